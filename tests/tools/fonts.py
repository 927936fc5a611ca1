"""The fonts of the site, as small as its pages allow.

Bootstrap's icons are cut down when the site is built, to those that its pages and scripts name. The font of formulas
is cut down once, by the command that `make_formulas` gives, since that needs brotli. FORMULAS says which letters it
has, and a test compares them with the formulas of all pages. For a letter that is missing: add it to FORMULAS, make the
font anew from the STIX Two Math of stipub/stixfonts, and write down its checksum.
"""
import logging
import re
from pathlib import Path

FORMULAS = (
    "20-7E,A0,B1,B7,D7,F7,300-304,306-308,30A,30C,391-3C9,3D1,3D5,3D6,3F0,3F1,3F5,2010-2015,2018-201D,2026,2032-2034,203E,2044,"
    "20D7,2061-2064,2102,210A-2115,211A-211D,2124,212C,2130-2134,2190-2195,21A6,21D0-21D5,2200-223C,2243-2265,2282-228B,"
    "2295-2299,22A4,22A5,22C0-22C5,22EE-22F1,2308-230B,23DE,23DF,27E8,27E9,27F5-27FA,1D434-1D467,1D49C-1D4B5,1D538-1D56B,"
    "1D6A4,1D6A5,1D6E2-1D71B"
)
CHECKSUM = "5b7448664287e4f6c05ad86704df8867678748b235dd21543b776e405e07bf03"
ICONS = "site_libs/bootstrap/bootstrap-icons"
RULE = re.compile(r'\.bi-([\w-]+)::before \{ content: "\\(f[0-9a-f]+)"; \}\n')


def letters():
    "The letters that the font of formulas has."
    ends = (part.split("-") for part in FORMULAS.split(","))
    return {chr(code) for first, *last in ends for code in range(int(first, 16), int([first, *last][-1], 16) + 1)}


def make_formulas(source, target):
    "The command that makes the font of formulas from the whole one; it needs the packages fonttools and brotli."
    codes = ",".join(f"U+{part}" for part in FORMULAS.split(","))
    how = "--layout-features=ssty,dtls,flac --flavor=woff2 --no-hinting --desubroutinize"
    return f"pyftsubset {source} --unicodes={codes} {how} --output-file={target}"


def named_icons(site: Path, known):
    "Which of the icons in `known` do the pages, scripts and styles of a site name?"
    named = set()
    for path in site.rglob("*"):
        if path.suffix in (".html", ".js", ".css") and path.stem != "bootstrap-icons":
            text = path.read_text(encoding="utf-8")
            named |= set(re.findall(r"\bbi-([\w-]+)", text)) & known.keys()
            named |= set(re.findall(r"[\"'`]([\w-]+)[\"'`]", text)) & known.keys() if path.suffix == ".js" else set()
            codes = set(re.findall(r"\\(f[0-9a-f]{3})\b", text)) if path.suffix == ".css" else set()
            named |= {name for name, code in known.items() if code in codes}
    return named


def slim_icons(site: Path):
    "Cut the icons of the rendered site down to those that are named; returns how many are left."
    from fontTools import subset
    from fontTools.ttLib import TTFont

    logging.getLogger("fontTools").setLevel(logging.ERROR)  # the font comes with two bytes too many
    css, font = site / f"{ICONS}.css", site / f"{ICONS}.woff"
    text = css.read_text(encoding="utf-8")
    known = dict(RULE.findall(text))
    named = named_icons(site, known)
    css.write_text(RULE.sub(lambda rule: rule[0] if rule[1] in named else "", text), encoding="utf-8")
    made = TTFont(font)
    cutter = subset.Subsetter()
    cutter.populate(unicodes=[int(known[name], 16) for name in named])
    cutter.subset(made)
    made.save(font)
    return len(named)
