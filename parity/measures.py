"""Measures that only specialised tools have, on random collections: `make parity`.

    python parity/measures.py [--rounds 300] [--only pyndeval,ir_measures] [--out parity/measures.json]

The JSON has, for each tool and measure, how many values were compared and by how much they differ at most, and for
small tools all of their names. Exit code 1 if values differ by more than the digits that the tool shows. A tool that is
not here keeps what was found before: trec_eval 10 is a program (see run.py), sample_eval.pl a script of TREC in Perl
whose path SAMPLE_EVAL has."""

import argparse
import datetime
import json
import os
import warnings
from pathlib import Path

import ask_measures
from run import FOUR_DIGITS, Tool, compared

HERE = Path(__file__).parent
TOOLS = {
    "pyndeval": Tool(ask_measures.pyndeval, "pyndeval"),
    "cwl_eval": Tool(ask_measures.cwl_eval, "cwl-eval"),
    "ir_measures": Tool(ask_measures.ir_measures, "ir-measures"),
    "pyNTCIREVAL": Tool(ask_measures.pyntcireval, "pyNTCIREVAL"),
    "trec_eval": Tool(ask_measures.trec_eval10, "", program="10.0"),
    "sample_eval.pl": Tool(ask_measures.sample_eval, "", near=FOUR_DIGITS, program="TREC 2009"),
}

# What lists all names of a tool.
NAMES = {
    "pyndeval": ask_measures.names_of_pyndeval,
    "cwl_eval": ask_measures.names_of_cwl_eval,
    "pyNTCIREVAL": ask_measures.names_of_pyntcireval,
}


def lacks(name):
    "What of a tool is not here, if anything."
    if name == "sample_eval.pl":
        return "" if os.environ.get("SAMPLE_EVAL") else "SAMPLE_EVAL does not name the script"
    return TOOLS[name].lacks()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--only", default=",".join(TOOLS))
    parser.add_argument("--out", type=Path, default=HERE / "measures.json")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    known = json.loads(args.out.read_text(encoding="utf-8")) if args.out.exists() else {}
    wrong = {}
    for name in args.only.split(","):
        if why := lacks(name):
            print(f"{name}: left out, {why}", flush=True)
            continue
        tool = TOOLS[name]
        measures = compared(tool.ask, args.rounds)
        unequal = {measure: row["largest"] for measure, row in measures.items() if not row["largest"] <= tool.near}
        numbers = sum(row["numbers"] for row in measures.values())
        print(f"{name}: {numbers:,} values of {len(measures)} measures, {unequal or 'all equal'}", flush=True)
        known[name] = {
            "version": tool.version(), "date": datetime.date.today().isoformat(),
            "rounds": args.rounds, "within": tool.near, "measures": measures,
        }  # fmt: skip
        if name in NAMES:
            known[name]["names"] = NAMES[name]()
        wrong |= unequal
    known = {name: known[name] for name in TOOLS if name in known}
    args.out.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
