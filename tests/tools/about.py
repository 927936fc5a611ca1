"What stands beside the pages: the changelog, how to cite, a map of the site as text, its version, a report to look at."
import re
from datetime import date
from pathlib import Path

import yaml
from project import NBS, ROOT, cells, settings, sidebar

SAMPLE = "samples/report.html"
BESIDE = """In a paper:

> {says}

In BibTeX:

```bibtex
{bib}
```

Beside a number say its measure as this package writes it (`nDCG(gain='exp')@10` names gain and cutoff), the version,
and what stands under its table: ties, unanswered queries, the share of the top that is judged.

Definitions are cited from those who gave them: each page ends with its references. For other programs the citation
stands in [CITATION.cff]({file}).
"""


def site_url(have=None):
    "Where the site stands, without a slash at the end."
    have = have or settings()
    return have["doc_host"] + have["doc_baseurl"]


def front(title, summary):
    "The front matter of a page that is made from a file at the top."
    return f"---\ntitle: {title}\ndescription: {summary}\nrepo-actions: false\n---\n\n"


def changelog(text):
    "The page of CHANGELOG.md."
    body = re.sub(r"\A# [^\n]*\n+", "", text)
    return front("Changelog", "What changes for people who use irmetrics_nb, version by version") + body


def cite(found):
    "The page that says how to cite, from CITATION.cff."
    authors = " and ".join(author["name"] for author in found["authors"])
    key = f"{found['title']}_{found['version']}".replace(".", "_")
    title = f"{found['title']}: {found['abstract']}".replace("_", r"\_")
    year = found.get("date-released", date.today()).year
    fields = {"author": f"{{{authors}}}", "title": title, "year": year}
    fields |= {key: found[key] for key in ("version", "url", "license")}
    bib = f"@software{{{key},\n" + "".join(f"  {k} = {{{v}}},\n" for k, v in fields.items()) + "}"
    says = f"{authors} ({year}). *{found['title']}*, version {found['version']}. <{found['url']}>"
    head = front("How to cite", "A line for a paper, BibTeX, and what to say beside a number")
    return head + BESIDE.format(says=says, bib=bib, file=f"{found['repository-code']}/blob/main/CITATION.cff")


def site_map(have):
    "llms.txt: every page in the order of the sidebar, with its summary, for programs that read."
    lines, part, heading = [f"# {have['lib_name']}\n", f"> {have['description']}\n"], "", ""
    for entry in sidebar():
        if entry.part != part:
            lines.append(f"\n## {entry.part}\n")
        if entry.heading not in ("", heading):
            lines.append(f"\n### {entry.heading}\n")
        part, heading = entry.part, entry.heading
        title, summary = titled(entry)
        lines.append(f"- [{title}]({target(entry.href, have)})" + f": {summary}" * bool(summary))
    return "\n".join(lines) + "\n"


def titled(entry):
    "(title, summary) of a page in the sidebar; the summary of a page that is made elsewhere is empty."
    path = NBS / entry.href
    if not path.exists():
        return entry.text or path.stem, ""
    if path.suffix == ".qmd":
        head = yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])
        return head["title"], head["description"]
    title, _, summary = cells(path)[0].source.partition("\n> ")
    summary = summary.partition("\n- ")[0]  # below it stand settings of the page
    return entry.text or title.lstrip("# ").strip(), " ".join(summary.split())


def target(href, have):
    "The address of a page on the web."
    if "://" in href or not href:
        return href or f"{site_url(have)}/"
    path = Path(re.sub(r"\.(ipynb|qmd)$", ".html", href))
    return f"{site_url(have)}/{path.with_name(re.sub(r'^[0-9]+[a-zA-Z0-9]*_', '', path.name)).as_posix()}"


def write(done):
    "Write the pages and the map into `done`, and what the settings say into the site's."
    have = settings()
    made = {
        "about/changelog.qmd": changelog(read("CHANGELOG.md")),
        "about/cite.qmd": cite(yaml.safe_load(read("CITATION.cff"))),
        "llms.txt": site_map(have),
    }
    for name, text in made.items():
        (done / name).parent.mkdir(exist_ok=True)
        (done / name).write_text(text, encoding="utf-8")
    path = done / "nbdev.yml"
    said = yaml.safe_load(path.read_text(encoding="utf-8"))
    version = f"[{have['lib_name']} {have['version']}](/about/changelog.qmd)"
    said["project"]["resources"] = ["llms.txt", SAMPLE]
    said["website"]["page-footer"] = {"center": f"{version} · [How to cite](/about/cite.qmd)"}
    path.write_text(yaml.safe_dump(said, sort_keys=False, allow_unicode=True), encoding="utf-8")


def read(name):
    "A file at the top of the project."
    return (ROOT / name).read_text(encoding="utf-8")


def sample(folder):
    "A report to look at: all six systems of the collection that comes with the package."
    from irmetrics_nb import load_example, report

    example = load_example()
    words = {"documents": example.documents, "topics": example.topics}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / Path(SAMPLE).name
    report(example.qrels, example.runs, "nDCG@10 AP", baseline="tfidf", **words).save(path)
    picture = f'<meta property="og:image" content="{site_url()}/images/card.png">\n'
    path.write_text(path.read_text(encoding="utf-8").replace("<title>", f"{picture}<title>", 1), encoding="utf-8")
