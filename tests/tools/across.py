"""Save results of every kind by this Python, and verify those that others saved, too (a part of `make matrix`).

    python tests/tools/across.py .nox/results
"""
import platform
import shutil
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
from test_verification import collection, results_of  # noqa: E402

from irmetrics_nb import compare, verify  # noqa: E402


def main(folder):
    warnings.simplefilter("ignore")
    here = Path(folder, f"{platform.python_version()}-numpy-{version('numpy')}")
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir(parents=True)
    qrels, runs = collection(here)
    results = results_of(qrels, runs)
    drawn = {"test": "bootstrap", "interval": "bca", "draws": 999}
    results["Random"] = compare(qrels, runs, "AP", test="randomization", draws=999)
    results["Drawn"] = compare(qrels, runs, "AP", **drawn)
    for name, result in results.items():
        for end in "json", "parquet", "intoto.json":
            result.save(here / f"{name}.{end}")
    found = {path: verify(path) for path in sorted(Path(folder).glob("*/*")) if path.suffix in (".json", ".parquet")}
    wrong = [f"{path}\n{result}" for path, result in found.items() if {x.outcome for x in result.rows} != {"equal"}]
    folders = ", ".join(sorted({path.parent.name for path in found}))
    print(f"{here.name} verified {len(found)} results of {folders}; {len(wrong)} differ")
    sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(sys.argv[1])
