"""The pages in Chinese: `python tests/tools/chinese.py` updates nbs/zh from the English pages, which they translate.

A page below nbs/zh has the cells of the English page with the same name. Only the text of its Markdown cells is
translated by hand. This script copies the code and the outputs, and translates phrases in them by nbs/zh/words.json,
{page: {English: Chinese}}. It reports each cell whose formulas, numbers, code, links or headings are not the English.
"""
import json
import os
import posixpath
import re
import sys
from collections import Counter
from pathlib import PurePosixPath

from project import NBS, translations

ZH = NBS / "zh"
SHORT = 15  # characters of a phrase that must fill a cell of a table, an element or a line
LINK = re.compile(r"""(\]\(|\b(?:href|src)=")(?!\w+:|/|\#)([^)\s"#]+)""")
OPTION = re.compile(r"(?m)^#\| (?:code-summary|fig-alt): .*$")
FORMULA = re.compile(r"\$\$.*?\$\$|(?<![\\$\w])\$(?=\S)[^$\n]*?(?<=\S)\$(?![\w$])", re.DOTALL)
CODE = re.compile(r"(?ms)^```.*?^```$|`[^`\n]+`")
TAG = re.compile(r"</?([a-z]+)\b([^>]*)>")
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def read(path):
    "Return the notebook at `path` as a dict."
    return json.loads(path.read_text(encoding="utf-8"))


def words():
    "Return {page: {English phrase: Chinese phrase}}."
    return read(ZH / "words.json")


def moved(text, page):
    "Return a Markdown or HTML text of an English page in which relative links hold from the Chinese page."
    folder = posixpath.dirname(page)

    def link(found):
        there = posixpath.normpath(posixpath.join(folder, found[2]))
        if PurePosixPath(there) in translations():
            return found[0]
        return found[1] + posixpath.relpath(there, posixpath.join("zh", folder))

    return LINK.sub(link, text)


def translated(text, phrases):
    "Return a text in which the phrases are translated, the longest first; a short phrase must stand alone."
    for phrase in sorted(phrases, key=len, reverse=True):
        known = re.escape(phrase)
        if len(phrase) < SHORT:
            known = rf"(?m)(?<=\| ){known}(?= \|)|(?<=>){known}(?=<)|^{known}$"
        text = re.sub(known, lambda _, phrase=phrase: phrases[phrase], text)
    return text


def update(page, english, chinese, phrases):
    "Return the Chinese notebook with the code and the outputs of the English one."
    texts = {cell["id"]: cell["source"] for cell in chinese["cells"] if cell["cell_type"] == "markdown"}

    def in_chinese(data):
        return {kind: lines(translated(moved("".join(value), page), phrases)) if kind.startswith("text/") else value
                for kind, value in data.items()}

    made = []
    for cell in english["cells"]:
        cell = dict(cell)
        if cell["cell_type"] == "markdown":
            cell["source"] = texts.get(cell["id"], cell["source"])
        else:
            source = OPTION.sub(lambda found: translated(found[0], phrases), "".join(cell["source"]))
            cell["source"] = lines(source)
            outputs = []
            for output in cell.get("outputs", []):
                output = dict(output)
                if "data" in output:
                    output["data"] = in_chinese(output["data"])
                if "text" in output:
                    output["text"] = lines(translated("".join(output["text"]), phrases))
                outputs.append(output)
            if "outputs" in cell:
                cell["outputs"] = outputs
        made.append(cell)
    return english | {"cells": made}


def lines(text):
    "Return a text as a notebook file has it."
    return text.splitlines(keepends=True)


def parts(text):
    "Return what a translation keeps: {kind: counts of formulas, code, links, tags and numbers} of a Markdown text."
    rest, found = text, {}
    for name, known in (("code", CODE), ("formulas", FORMULA)):
        found[name] = Counter(" ".join(each.split()) for each in known.findall(rest))
        rest = known.sub(" ", rest)
    found["links"] = Counter(re.findall(r"\]\(([^)\s]+)", rest))
    rest = re.sub(r"\]\([^)]*\)", "]", rest)
    found["tags"] = Counter(name + attributes for name, attributes in TAG.findall(rest))
    rest = re.sub(r"\{#[^}]*\}", "", TAG.sub(" ", rest))
    found["numbers"] = Counter(NUMBER.findall(rest))
    found["headings"] = Counter(mark for mark in re.findall(r"(?m)^(#+) ", text))
    return found


def differences(page, english, chinese):
    "Yield what the Markdown cells of a translation do not keep."
    if [cell["id"] for cell in english["cells"]] != [cell["id"] for cell in chinese["cells"]]:
        yield f"{page}: the cells are not those of the English page"
        return
    for ours, theirs in zip(english["cells"], chinese["cells"], strict=True):
        if ours["cell_type"] != "markdown":
            continue
        here, there = parts(moved("".join(ours["source"]), page)), parts("".join(theirs["source"]))
        for kind in here:
            if here[kind] != there[kind]:
                less, more = dict(here[kind] - there[kind]), dict(there[kind] - here[kind])
                yield f"{page}, cell {ours['id']}: {kind} of the English page {less}, here {more}"


def main():
    phrases, wrong = words(), []
    for name in translations():
        page = name.as_posix()
        english, stored = read(NBS / name), read(ZH / name)
        made = update(page, english, stored, phrases.get(page, {}))
        wrong += differences(page, english, stored)
        text = json.dumps(made, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        if text != (ZH / name).read_text(encoding="utf-8"):
            (ZH / name).write_text(text, encoding="utf-8")
            print(f"zh/{page}: updated")
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    os.chdir(NBS.parent)
    main()
