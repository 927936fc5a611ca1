"What stands beside the pages: the changelog, how to cite, a map of the site as text, its version, a report to look at."
import re
from pathlib import Path

import yaml
from project import NBS, ROOT, cells, settings

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
    fields = {"author": f"{{{authors}}}", "title": title} | {k: found[k] for k in ("version", "url", "license")}
    bib = f"@software{{{key},\n" + "".join(f"  {k} = {{{v}}},\n" for k, v in fields.items()) + "}"
    says = f"{authors}. *{found['title']}*, version {found['version']}. <{found['url']}>"
    head = front("How to cite", "A line for a paper, BibTeX, and what to say beside a number")
    return head + BESIDE.format(says=says, bib=bib, file=f"{found['repository-code']}/blob/main/CITATION.cff")


def part(items, depth=2):
    "The pages of a part of the sidebar as lines of the map."
    for item in items:
        if isinstance(item, dict) and "section" in item:
            yield f"\n{'#' * depth} {item['section']}\n"
            yield from part(item["contents"], depth + 1)
        else:
            yield item


def site_map(site, have):
    "llms.txt: every page in the reader's order, with its summary, for programs that read."
    lines = [f"# {have['lib_name']}\n", f"> {have['description']}\n"]
    for item in part(site["website"]["sidebar"]["contents"]):
        if isinstance(item, str) and not item.endswith(".ipynb"):
            lines.append(item)
            continue
        href = item if isinstance(item, str) else item["href"]
        title, summary = (item["text"], "") if isinstance(item, dict) else ("", "")
        if href.endswith(".ipynb"):
            head = cells(NBS / href)[0].source.split("\n> ")
            title, summary = title or head[0].lstrip("# ").strip(), " ".join(head[1].split()) if len(head) > 1 else ""
        lines.append(f"- [{title}]({target(href, have)})" + f": {summary}" * bool(summary))
    return "\n".join(lines) + "\n"


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
        "llms.txt": site_map(yaml.safe_load(read("_quarto.yml")), have),
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
