"The fonts of the site: small, and no letter of a page is missing."
import gzip
import hashlib
import json
import re
from pathlib import Path
from urllib.parse import unquote

import fonts
import pytest
import rendered
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from project import NBS, ROOT, cells, notebooks

FONT = NBS / "fonts/stix-two-math.woff2"
SITE = ROOT / "_docs"
HEAVIEST = 400_000  # bytes of the home page, packed
# What TeX writes, and the letter that stands for it; the others only set what is inside of them.
SIGNS = {
    "sum": "∑", "prod": "∏", "int": "∫", "cdot": "⋅", "times": "×", "pm": "±", "ge": "≥", "le": "≤", "ne": "≠", "approx": "≈", "in": "∈",
    "cap": "∩", "cup": "∪", "to": "→", "leftrightarrow": "↔", "infty": "∞", "dots": "…", "bar": "‾", "widehat": "\u0302", "sqrt": "√",
    "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "ell": "ℓ", "alpha": "α𝛼", "beta": "β𝛽", "delta": "δ𝛿", "Delta": "Δ𝛥",
    "kappa": "κ𝜅", "lambda": "λ𝜆", "mu": "μ𝜇", "pi": "π𝜋", "sigma": "σ𝜎", "tau": "τ𝜏", "varphi": "φ𝜑", "chi": "χ𝜒", "Phi": "Φ𝛷",
}  # fmt: skip
SETTING = set(
    "frac tfrac dfrac binom mathrm mathbb mathcal text operatorname log ln min max Pr left right big Big bigl bigr begin end quad qquad".split()
)


def formulas():
    "(page, formula) of all pages, in their prose and in what their cells show."
    shown = ("text/markdown", "text/latex")
    for name in notebooks():
        for cell in cells(NBS / name):
            texts = [cell.source] * (cell.kind == "markdown")
            texts += ["".join(data) for output in cell.outputs for kind, data in output.get("data", {}).items() if kind in shown]
            for text in texts:
                text = re.sub(r"(?ms)^(```|~~~).*?^\1|`[^`\n]+`", "", text)
                for found in re.findall(r"\$\$.*?\$\$|(?<![\\$\w])\$(?=\S)[^$\n]*?(?<=\S)\$(?![\w$])", text, re.DOTALL):
                    yield str(name), found.strip("$")


def test_the_font_of_formulas_is_the_one_whose_letters_are_listed_and_small():
    assert hashlib.sha256(FONT.read_bytes()).hexdigest() == fonts.CHECKSUM
    assert FONT.stat().st_size < 60_000
    assert len(fonts.letters()) > 500


def test_every_letter_of_every_formula_is_in_the_font():
    have, found = fonts.letters(), [*formulas()]
    assert len(found) > 300
    unknown = {(name, sign) for name, text in found for sign in re.findall(r"\\([a-zA-Z]+)", text) if sign not in SETTING | SIGNS.keys()}
    assert unknown == set(), "add the sign to SIGNS, and see that the font has it"
    said = {(name, letter) for name, text in found for letter in re.sub(r"\\[a-zA-Z]+", "", text) if not letter.isspace()}
    assert {(name, letter) for name, letter in said if letter not in have} == set()
    assert {sign for sign, letters in SIGNS.items() if not set(letters) <= have} == set()


def test_every_latin_letter_is_in_the_font_upright_and_slanted_and_those_in_script_and_with_a_double_line():
    have = fonts.letters()
    slanted = {chr(0x1D434 + i) for i in range(52)} - {"\U0001d455"} | {"ℎ"}
    script = {letter for _, text in formulas() for letter in re.findall(r"\\mathcal\{?(\w)", text)}
    double = {letter for _, text in formulas() for letter in re.findall(r"\\mathbb\{?(\w)", text)}
    special = {"B": "ℬ", "E": "ℰ", "F": "ℱ", "H": "ℋ", "I": "ℐ", "L": "ℒ", "M": "ℳ", "R": "ℛ"}
    assert slanted <= have
    assert script and {special.get(letter, chr(0x1D49C + ord(letter) - 65)) for letter in script} <= have
    assert double and {chr(0x1D538 + ord(letter) - 65) for letter in double} <= have


def test_icons_that_no_page_names_are_left_out(tmp_path):
    folder = tmp_path / "site_libs/bootstrap"
    folder.mkdir(parents=True)
    names = {"search": 0xF101, "moon": 0xF102, "file-text": 0xF103, "arrow": 0xF104}
    rules = "".join(f'.bi-{name}::before {{ content: "\\{code:x}"; }}\n' for name, code in names.items())
    (folder / "bootstrap-icons.css").write_text(f"@font-face {{}}\n{rules}", encoding="utf-8")
    (folder / "a.css").write_text(".x::before { content: '\\f104'; }", encoding="utf-8")
    (folder / "a.js").write_text("icon('file-text')", encoding="utf-8")
    (tmp_path / "index.html").write_text('<i class="bi bi-search"></i>', encoding="utf-8")
    built = FontBuilder(1000, isTTF=True)
    glyphs = [".notdef", *names]
    built.setupGlyphOrder(glyphs)
    built.setupCharacterMap({code: name for name, code in names.items()})
    built.setupGlyf({name: TTGlyphPen(None).glyph() for name in glyphs})
    built.setupHorizontalMetrics(dict.fromkeys(glyphs, (500, 0)))
    built.setupHorizontalHeader()
    built.setupPost()
    built.font.flavor = "woff"
    built.save(folder / "bootstrap-icons.woff")
    assert fonts.slim_icons(tmp_path) == 3
    assert set(TTFont(folder / "bootstrap-icons.woff").getBestCmap()) == {0xF101, 0xF103, 0xF104}
    css = (folder / "bootstrap-icons.css").read_text(encoding="utf-8")
    assert css.startswith("@font-face") and ".bi-moon" not in css and ".bi-search" in css


def test_the_styles_of_the_dark_theme_are_loaded_only_for_those_who_want_them():
    link = '<link href="{}.css" rel="stylesheet" append-hash="true" class="quarto-color-scheme{}" id="quarto-bootstrap">'
    page = f"<head>{link.format('light', '')}{link.format('dark', ' quarto-color-alternate')}</head>"
    made = rendered.by_day(page)
    assert re.findall(r'href="(\w+)\.css" rel="([\w-]+)"', made) == [("light", "stylesheet"), ("dark", "disabled-stylesheet")]
    assert made.count("<script>") == 1 and '"(prefers-color-scheme: dark)"' in made
    assert rendered.by_day("<head></head>") == "<head></head>"


def loaded(page):
    "The files that a page of the site loads by day: itself, styles, scripts, pictures, and the fonts of the styles and of text."
    text = (SITE / page).read_text(encoding="utf-8")
    links = re.findall(r'<link href="([^"]+)" rel="stylesheet"|<link rel="stylesheet" href="([^"]+)"', text)
    sources = re.findall(r'<(?:script|img)\b[^>]*?\bsrc="([^":]+)"', text)
    faces = ["source-sans-3-latin", "source-sans-3-latin-italic", "jetbrains-mono"] + ["stix-two-math"] * ("<math" in text)
    mine = [*(a or b for a, b in links), *sources, *(f"fonts/{face}.woff2" for face in faces), f"{fonts.ICONS}.woff", page]
    return {SITE / unquote(each.partition("?")[0].removeprefix("./")) for each in mine}


if (SITE / "index.html").exists():  # there is a rendered site here

    def test_the_home_page_weighs_little():
        packed = {path.name: min(path.stat().st_size, len(gzip.compress(path.read_bytes()))) for path in loaded("index.html")}
        assert len(packed) > 12
        assert sum(packed.values()) <= HEAVIEST, json.dumps(packed, indent=1)

    def test_every_letter_of_the_rendered_formulas_is_in_the_font():
        said = set()
        for path in Path(SITE).rglob("*.html"):
            for found in re.findall(r"<math.*?</math>", path.read_text(encoding="utf-8"), re.DOTALL):
                said |= set(re.sub(r"<annotation.*?</annotation>|<[^>]+>|&\w+;", "", found, flags=re.DOTALL))
        assert said and {letter for letter in said if not letter.isspace()} - fonts.letters() == set()


@pytest.mark.parametrize("spelled", ["A", "20-21,41"])
def test_ranges_of_letters_are_read(spelled, monkeypatch):
    monkeypatch.setattr(fonts, "FORMULAS", spelled)
    assert fonts.letters() == ({"\n"} if spelled == "A" else {" ", "!", "A"})
