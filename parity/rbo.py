"""Compare RBO with the values that Corsi and Urbano published: 10,000 pairs of rankings with ties.

    git clone https://github.com/julian-urbano/sigir2024-rbo
    python parity/rbo.py sigir2024-rbo

The path can also be a bare repository. It prints how many values are equal to 1e-12, and the largest difference."""

import csv
import io
import re
import subprocess
import sys

from irmetrics_nb import similarity


def scores_of(text):
    "The score of each document of a ranking such as 'a (b c) d', where brackets mean a tie."
    groups = re.findall(r"\(([^)]*)\)|(\S+)", text)
    return {doc: -i for i, (tied, single) in enumerate(groups) for doc in (tied or single).split()}


def main(path):
    command = ["git", "-C", path, "show", "HEAD:rbo/test.csv"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [*csv.DictReader(io.StringIO(text))]
    columns = [name for name in rows[0] if "." in name]
    equal, largest = 0, 0.0
    for row in rows:
        a, b = {"q": scores_of(row["x"])}, {"q": scores_of(row["y"])}
        measures = " ".join(f"RBO(p={row['p']}, ties={c[0]}, form={c[2:]})" for c in columns)
        ours = similarity(a, b, measures).values[0, :, 0]
        differences = [abs(x - float(row[c])) for x, c in zip(ours, columns, strict=True)]
        equal += sum(difference <= 1e-12 for difference in differences)
        largest = max(largest, *differences)
    print(f"{equal:,} of {len(rows) * len(columns):,} values are equal; largest difference {largest:.1e}")


if __name__ == "__main__":
    main(sys.argv[1])
