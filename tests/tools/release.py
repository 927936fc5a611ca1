"""Check before a release that tag, settings.ini, CHANGELOG.md and CITATION.cff name one version and one date.

    python tests/tools/release.py v0.1.0
"""
import re
import sys

import yaml
from project import ROOT, settings


def problems(tag, root=ROOT):
    "What keeps a release with this tag back, a line each."
    version = settings(root)["version"]
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    heading = re.search(rf"(?m)^## {re.escape(version)} \((.+)\)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"))
    date = heading[1] if heading else ""
    if tag != f"v{version}":
        yield f"settings.ini: the version is {version}, the tag {tag}; the tag of this version is v{version}"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        yield f"CHANGELOG.md: no heading '## {version} (YYYY-MM-DD)'; write the date of the release"
    if citation["version"] != version:
        yield f"CITATION.cff: version {citation['version']} is not {version}; write {version}"
    if str(citation.get("date-released")) != date:
        yield f"CITATION.cff: date-released is {citation.get('date-released')}; write the date of the changelog"


def main():
    if found := [*problems(sys.argv[1])]:
        sys.exit("\n".join(found))
    print(f"{sys.argv[1]} can be released.")


if __name__ == "__main__":
    main()
