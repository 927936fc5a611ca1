"""The landing pages: a card for each page of a part of the sidebar, and the table of all measures.

`<!-- cards -->` and `<!-- measures -->` in a page named index.qmd are replaced when the site is built.
"""
import re
from itertools import groupby

import finding
import yaml
from about import titled
from api import escape
from project import NBS, sidebar

OUTSIDE = {"Test vectors for every language": "JSON files with exact values, to test an implementation in any language"}


def cards(part, done):
    "The cards of a part of the sidebar as Markdown; `done` is the folder with the pages that the build makes."
    entries = [entry for entry in sidebar() if entry.part == part and entry.heading]
    for heading, group in groupby(entries, key=lambda entry: entry.heading):
        listed = "\n\n".join(card(entry, done) for entry in group)
        yield f"## {heading}\n\n::: {{.cards}}\n\n{listed}\n\n:::"


def card(entry, done):
    "One card: the title, which is the link, and one line."
    title, summary = titled(entry)
    if (done / entry.href).suffix == ".qmd" and not (NBS / entry.href).exists():
        head = (done / entry.href).read_text(encoding="utf-8").split("---\n")[1]
        summary = yaml.safe_load(head)["description"]
    summary = summary or OUTSIDE.get(title, "")
    summary = re.sub(r"^Lesson \d+: (.)", lambda found: found[1].upper(), summary)
    href = entry.href if "://" in entry.href else f"/{entry.href}"
    return f"::: {{.card-link}}\n[{title}]({href})\n\n{summary}\n:::"


FIND = """```{=html}
<p><label>Find a measure by its name in any tool, or by a word:
<input type="search" id="find-measure" placeholder="ndcg_cut, patience, 折损"></label>
<span role="status" id="measures-found"></span></p>
<script>
addEventListener('DOMContentLoaded', () => {
  const field = document.querySelector('#find-measure');
  const families = [...document.querySelectorAll('#all-measures section')];
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(' ');
    let found = 0;
    for (const family of families) {
      const rows = [...family.querySelectorAll('tbody tr')];
      for (const row of rows) {
        const text = (family.firstElementChild.textContent + ' ' + row.textContent).toLowerCase();
        row.hidden = !words.every(word => text.includes(word));
      }
      const left = rows.filter(row => !row.hidden).length;
      family.hidden = !left;
      found += left;
    }
    document.querySelector('#measures-found').textContent = field.value && `${found} measures`;
  });
});
</script>
```"""


def measures():
    "A table of measures for each family, and a field to search them: each name leads to the page that teaches it."
    from irmetrics_nb.metrics.parsing import FAMILIES

    taught = finding.teachers()
    known = [measure for measure in finding.measures() if measure[1] in FAMILIES or measure[1] == "auc"]
    parts = [FIND]
    for family, title in {**FAMILIES, "auc": "Models that predict clicks"}.items():
        rows = ["| Measure | Question | Other names |", "|:--|:--|:--|"]
        for name, page, question, names, long in known:
            if page == family:
                home = finding.teacher(name, page, taught)
                others = ", ".join(dict.fromkeys([*long, *(other for other in names if other != name)]))
                rows.append(f"| [{name}](/{home.as_posix()}) | {escape(question)} | {escape(others)} |")
        parts += [f"### {title}", "\n".join(rows)] if rows[2:] else []
    return "\n\n".join(parts)


def write(done):
    "Fill in the landing pages in `done`."
    for path in sorted(done.glob("*/index.qmd")):
        text = path.read_text(encoding="utf-8")
        if "<!-- cards -->" in text:
            (part,) = (entry.part for entry in sidebar() if entry.href == path.relative_to(done).as_posix())
            text = text.replace("<!-- cards -->", "\n\n".join(cards(part, done)))
            path.write_text(text.replace("<!-- measures -->", measures()), encoding="utf-8")
