"""Builds the programs that `make parity` asks: three versions of trec_eval, in a folder for the variable TREC_EVALS.

    git clone https://github.com/usnistgov/trec_eval
    python parity/build_trec_evals.py trec_eval programs
    TREC_EVALS=programs make parity

It needs git, make and a C compiler. The programs print all digits instead of four. The tag v9.0.8 is not version 9.0.8,
but a program that calls itself 9.0.7 and compares scores as 32-bit floats."""

import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TAGS = {"9.0.4": "v9.0.4", "9.0.8": "trec_eval-9.0.8", "10.0": "v10.0"}


def build(source, folder, version):
    "One program, in the folder, named after its version."
    with tempfile.TemporaryDirectory() as temporary:
        archive = Path(temporary, "source.tar")
        subprocess.run(["git", "-C", source, "archive", "-o", archive, TAGS[version]], check=True)
        with tarfile.open(archive) as packed:
            packed.extractall(temporary, filter="data")
        for name in ("meas_print_single.c", "meas_print_final.c"):
            rewrite(Path(temporary, name), r"%6\.4f", "%.17g")
        if version == "9.0.4":  # declared long, and defined int: it reads beyond them
            for name in ("measures.c", "formats.c"):
                rewrite(Path(temporary, name), r"(?m)^int te_num_", "long te_num_")
        subprocess.run(["make", "-s"], cwd=temporary, check=True)
        program = folder / f"trec_eval-{version}"
        program.write_bytes(Path(temporary, "trec_eval").read_bytes())
        program.chmod(0o755)
    return program


def rewrite(path, pattern, by):
    path.write_text(re.sub(pattern, by, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    source, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for version in TAGS:
        print(build(source, folder, version))
