"""Measure irmetrics_nb beside other tools: `make bench`, or `make bench-quick` for a small version of it.

    python benchmarks/run.py [--quick] [--only files,start] [--rounds 5] [--out results.json]
    python benchmarks/run.py --base HEAD~5      # the working tree beside an earlier commit

With `--only`, the other sections of results.json stay as they are. trec_eval is measured if its source is in the folder
`$TREC_EVAL_SOURCE`, or in benchmarks/.cache/trec_eval_source (git clone https://github.com/usnistgov/trec_eval); it is
built there with -O3. torchmetrics is measured if it is installed in .venv-bench.

Whole processes are started afresh and by turns, ours and theirs in every round; wall time, processor time and the
largest resident memory are what the operating system says of each. All must give the same values, or differ for a
reason that is checked as well. The JSON keeps the wall time of every round; all else is medians.

This program stays small (nothing but the standard library): a child's largest memory is at least its parent's.
"""
import argparse
import contextlib
import datetime
import functools
import importlib.metadata
import importlib.util
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from calls import CALLS

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".cache"
US = "irmetrics_nb"
TREC_EVAL = "trec_eval -O3"
SOURCE = Path(os.environ.get("TREC_EVAL_SOURCE", CACHE / "trec_eval_source"))
PACKAGES = "numpy scipy polars pytrec-eval-terrier ir-measures ranx numba pandas pyarrow scikit-learn torchmetrics"
ENV = os.environ | {"NUMBA_CACHE_DIR": str(CACHE / "numba"), "PYTHONWARNINGS": "ignore", "PYTHONDONTWRITEBYTECODE": ""}
PROGRAM = Path(sysconfig.get_path("scripts")) / "irmetrics"

SECTIONS = {
    "files": "Two text files in, six means out; a fresh process",
    "tables": "The same from two Parquet files",
    "memory": "In memory, from nested dicts to six means",
    "start": "Starting up: a fresh process that does little",
    "frames": "From two data frames to five means",
    "dicts": "Many small queries, from dicts to five means",
    "call": "One call: one query, and one list",
    "runs": "100 small files, one after another",
    "arrays": "nDCG@10 of arrays with a row for each query",
    "gauc": "AUC within each group, in memory",
    "decide": "All pairs of five systems by randomization, in memory",
    "compare": "All pairs of 20 systems by the t-test, from the values of queries",
    "examine": "Checking a run, and finding the conventions of a number",
    "prepare": "Fusing and pooling five runs in memory",
    "diagnosis": "The same files with the AVX-512 code of numpy, and without it",
    "growth": "Growth with rows, and with judgments",
    "limits": "Files larger than the memory that the process may use",
}
OURS = f"import {US}", "irmetrics evaluate"  # what start-ups are compared with
# What was set out to reach: (section, case, tool whose wall time is divided by that of ours) -> at least.
GOALS = {
    ("files", "M", "pytrec_eval"): 6, ("files", "M-hard", "pytrec_eval"): 5, ("files", "M-shuffled", "pytrec_eval"): 7,
    ("files", "M", "ir_measures"): 15, ("files", "M", "ranx"): 15, ("files", "L", "pytrec_eval"): 4,
    ("memory", "M, dicts", "pytrec_eval"): 8, ("memory", "S, dicts", "pytrec_eval"): 3,
    ("start", "import", "import numpy"): 1 / 1.3, ("start", "S", "pytrec_eval, script"): 1 / 2.5,
    ("gauc", "10,000,000 rows", "scikit-learn"): 50,
    ("decide", "Fisher, 100,000 draws", "ranx"): 100,
}


# ---- one process ----


def measure(*command, before=None):
    """Start a program, wait for it: seconds by the clock and of the processor, megabytes at most, and what it printed.

    `before`: is called in the new process."""
    with tempfile.TemporaryFile() as to, tempfile.TemporaryFile() as trouble:
        start = time.perf_counter()
        child = subprocess.Popen([*map(str, command)], stdout=to, stderr=trouble, env=ENV, preexec_fn=before)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        to.seek(0), trouble.seek(0)
        out, err = to.read().decode(), trouble.read().decode()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\nended with {child.returncode}:\n{err}")
    unit = 1 if sys.platform == "darwin" else 1024
    cpu = used.ru_utime + used.ru_stime
    return dict(wall=wall, cpu=cpu, system=used.ru_stime, peak=used.ru_maxrss * unit / 1e6, out=out, err=err)


def job(*args):
    "The command that runs a job."
    return [sys.executable, HERE / "jobs.py", *args]


def values(out):
    "What a job or trec_eval printed: measure -> mean."
    rows = [line.split() for line in out.splitlines()]
    return {TREC_NAMES.get(m, m): float(v) for m, *_, v in rows}


def say(text):
    "Show in a terminal what is being done; the next text takes its place."
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


# ---- many, by turns ----


class Results:
    "All that was measured, and how it is shown while it comes in."

    def __init__(self):
        self.rows, self.agreement, self.extra, self.section = [], [], {}, ""

    def by_turns(self, section, case, commands, rounds, inside=False):
        """Run every command once a round; `rounds` is a number, or one for each command. Returns what they computed.

        `inside`: the seconds are those that the process measured itself, of a call."""
        many = {tool: rounds if isinstance(rounds, int) else rounds[tool] for tool in commands}
        seen, found = defaultdict(list), {}
        for turn in range(max(many.values())):
            tools = [tool for tool in commands if turn < many[tool]]
            for tool in random.Random(turn).sample(tools, len(tools)):  # the last one leaves its memory
                done = measure(*commands[tool])
                found[tool] = done.pop("out"), done.pop("err")
                if inside:
                    del done["system"]  # of the whole process
                    call = json.loads(found[tool][0].splitlines()[-1])
                    done |= {k: call[k] for k in ("wall", "cpu")}
                    found[tool] = call["values"]
                seen[tool].append(done)
            say(f"{section}, {case}: round {turn + 1} of {max(many.values())}")
        say("")
        for tool, all_of_it in seen.items():
            self.add(section, case, tool, **{k: [one[k] for one in all_of_it] for k in all_of_it[0]})
        return found

    def add(self, section, case, tool, **lists):
        "A row of the table: the median of each list, and the wall time and the system's time of every round."
        middle = {k: round(statistics.median(v), 8) for k, v in lists.items()}
        rounds = {f"{what}rounds": [round(x, 8) for x in lists[key]]
                  for what, key in (("", "wall"), ("system_", "system")) if key in lists}
        self.rows.append(dict(section=section, case=case, tool=tool, **middle, **rounds))

    def compare(self, case, tool, theirs, ours, tolerance, because=""):
        "Note how far the values of a tool are from ours."
        far = max(abs(theirs[m] - ours[m]) for m in theirs)
        note = dict(section=self.section, case=case, tool=tool, largest=far, tolerance=tolerance, because=because)
        self.agreement.append(note)
        if not far <= tolerance:
            print(f"{case}: {tool} does not agree\n  theirs {theirs}\n  ours   {ours}", file=sys.stderr)

    def compared(self):
        "The rows, each with how many times as long as ours it takes, and how much more memory."
        ours = {(r["section"], r["case"]): r for r in self.rows if r["tool"] in (US, *OURS)}
        for row in self.rows:
            own = ours[row["section"], row["case"]]
            if row is not own:
                # The median over the rounds in which both ran: what slows the machine for a while slows both.
                row["ratio"] = round(statistics.median(a / b for a, b in zip(row["rounds"], own["rounds"])), 3)
                row |= {f"{what}_ratio": round(row[what] / own[what], 3) for what in ("cpu", "peak") if what in row}
        return self.rows


# ---- the sections ----


def files(results, part, rounds, peers):
    "From two text files to six means, by every tool."
    program = trec_eval()
    for case in ("S", "M", "M-hard", "M-shuffled", "M-blanks", "L", "L2", "L-half"):
        tools = [US, "pytrec_eval", *(peers if case in ("S", "M") else ())]
        paths = made(case, part)
        measures = L2_MEASURES if case == "L2" else ()
        commands = {tool: job("files", tool, *paths, *measures) for tool in tools}
        if program and case in ("S", "M", "M-shuffled", "L2"):
            commands[TREC_EVAL] = [program, *trec_options(measures), *paths]
        found = results.by_turns("files", case, commands, fewer(commands, peers, rounds))
        agree(results, case, {t: values(out) for t, (out, _) in found.items()}, paths)
    if "ranx" in peers:
        qrels, run = made("S-no-ties", 1)
        theirs, ours = (values(measure(*job("files", t, qrels, run))["out"]) for t in ("ranx", US))
        results.compare("S-no-ties", "ranx", theirs, ours, 1e-6)


L2_MEASURES = "AP nDCG@10 RR P@10 R@100".split()
TREC_NAMES = dict(zip("map ndcg_cut_10 recip_rank P_10 recall_100 recall_1000".split(), [*L2_MEASURES, "R@1000"]))


def trec_eval():
    "The program trec_eval, built with -O3 where its source is found; or None."
    program = CACHE / "trec_eval" / "trec_eval"
    if not program.exists() and SOURCE.is_dir():
        shutil.copytree(SOURCE, program.parent, dirs_exist_ok=True)
        program.unlink(missing_ok=True)  # one that was built with other options
        flags = r'CFLAGS=-O3 -I. -w -DVERSIONID=\"$(VERSIONID)\"'
        subprocess.run(["make", "-s", "-C", program.parent, "trec_eval", flags], check=True)
    return program if program.exists() else None


def trec_options(measures):
    "The measures as options of trec_eval."
    names = [name for name, m in TREC_NAMES.items() if not measures or m in measures]
    many = [name.replace("_10", ".10") for name in names if not name.startswith("recall")]
    recall = ",".join(name.removeprefix("recall_") for name in names if name.startswith("recall"))
    return [word for name in [*many, f"recall.{recall}"] for word in ("-m", name)]


def fewer(tools, peers, rounds, most=3):
    "The rounds of each tool: at most so many of a slow one."
    return {tool: min(most, rounds) if tool in peers else rounds for tool in tools}


# A peer's own convention, under which ours must give its values: (a job of ours, tolerance, in words).
REASONS = {
    "pytrec_eval": ("float32", 1e-6, "scores cut to 32 bits"),
    TREC_EVAL: ("float32", 6e-5, "scores cut to 32 bits, four decimals printed"),
    "ir_measures": ("float32", 1e-6, "scores cut to 32 bits"),
    "ranx": ("given", 1e-3, "equal scores as in the file; ranx's sort is not stable"),
}


def agree(results, case, found, paths):
    "Compare the values of every peer with ours, and where they differ with ours under its convention."
    cache = {}
    for tool, theirs in found.items():
        if tool == US:
            continue
        how, tolerance, words = REASONS[tool]
        close, because = (6e-5, "four decimals printed") if tool == TREC_EVAL else (1e-6, "")
        if max(abs(theirs[m] - found[US][m]) for m in theirs) <= close:
            results.compare(case, tool, theirs, found[US], close, because)
            continue
        if how not in cache:
            cache[how] = values(measure(*job("check", how, *paths))["out"])
        results.compare(case, tool, theirs, cache[how], tolerance, words)


def tables(results, part, rounds, peers):
    "From two Parquet files, or the tables that polars reads from them, to six means; and what polars alone needs."
    for case in "M", "L":
        others = ["ir_measures"] if "ir_measures" in peers and case == "M" else []
        tools = [US, f"{US}, polars", "polars' join and sort", *others]
        paths = made(case, part, "tables")
        found = results.by_turns("tables", case, {t: job("tables", t, *paths) for t in tools}, min(3, rounds))
        found.pop("polars' join and sort")  # has no means
        means = {t: values(out) for t, (out, _) in found.items()}
        results.compare(f"{case}, Parquet", f"{US}, polars", means.pop(f"{US}, polars"), means[US], 1e-12)
        agree(results, f"{case}, Parquet", means, paths)


def memory(results, part, rounds, peers):
    "From nested dicts in memory to six means."
    for case, turns in ("S", 10 * rounds), ("M", min(3, rounds)):
        found = json.loads(measure(*job("memory", case, part, turns, *peers))["out"])
        for what, tools in found.items():
            for tool, took in tools.items():
                results.add("memory", f"{case}, {what}", tool, wall=took["wall"], cpu=took["cpu"])
                if tool not in (US, "ranx"):
                    results.compare(f"{case}, {what}", tool, took["values"], tools[US]["values"], 1e-6)


def calls(section):
    "A section of calls.py: each call in a process of its own, which measures it."

    def measured(results, part, rounds, peers):
        for case, others in CALLS[section][1].items():
            tools = [US, *(t for t in others if t in peers or t not in ("ir_measures", "ranx", "torchmetrics"))]
            if "torchmetrics" in others and importlib.util.find_spec("torchmetrics"):
                tools.append("torchmetrics")
            paths = made(case.split(",")[0], part, "tables") if section in ("frames", "examine") else ()
            commands = {t: call(section, case, t, part) for t in tools}
            found = results.by_turns(section, case, commands, fewer(tools, peers, rounds, most=1), inside=True)
            if section == "frames":
                agree(results, case, found, text_of(paths))
                continue
            for tool in tools[1:]:
                if found[tool]:
                    results.compare(case, tool, found[tool], found[US], 1e-5 if tool == "torchmetrics" else 1e-6)

    return measured


def call(section, case, tool, part):
    "The command that makes a call."
    return [sys.executable, HERE / "calls.py", section, case, tool, part]


def text_of(paths):
    "The text files beside Parquet files."
    return [Path(path).with_suffix(".txt") for path in paths]


def start(results, part, rounds, peers):
    "What starting costs, and what it is made of."
    paths, turns = made("S", 1), 4 * rounds
    imports = {f"import {m}": [sys.executable, "-c", f"import {m}"] for m in (US, "numpy", "pytrec_eval")}
    results.by_turns("start", "import", {"python alone": [sys.executable, "-c", "pass"], **imports}, turns)
    program = [PROGRAM, "evaluate", *paths, "-m", "AP nDCG@10 RR P@10 R@100 R@1000"]
    results.by_turns("start", "S", {
        "irmetrics evaluate": program,
        f"{US}, script": job("files", US, *paths),
        "pytrec_eval, script": job("files", "pytrec_eval", *paths),
    }, turns)
    for what, command in (f"import {US}", ["-c", f"import {US}"]), ("irmetrics evaluate", program):
        found = [made_of(measure(sys.executable, "-X", "importtime", *command)["err"]) for _ in range(5)]
        groups = sorted({g for one in found for g in one})
        parts = {g: round(statistics.median(one.get(g, 0) for one in found), 1) for g in groups}
        results.extra.setdefault("start-up", {})[what] = dict(sorted(parts.items(), key=lambda item: -item[1]))


def made_of(report):
    "Milliseconds spent in the modules of each package, by the report of -X importtime."
    spent = defaultdict(float)
    for line in report.splitlines():
        if line.startswith("import time:") and "[us]" not in line:
            own, _, name = line.removeprefix("import time:").split("|")
            package = name.strip().split(".")[0]
            standard = package in sys.stdlib_module_names or package.startswith("_")
            spent["standard library" if standard else package] += int(own) / 1000
    return spent


def gauc(results, part, rounds, peers):
    "AUC within groups; scikit-learn has a loop over a sample of the groups."
    rows, groups = round(10_000_000 * part), round(200_000 * part)
    sample = min(4000, groups // 20)
    found = json.loads(measure(*job("gauc", rows, groups, min(3, rounds), sample))["out"])["gauc"]
    for tool, took in found.items():
        results.add("gauc", f"{rows:,} rows", tool, wall=took["wall"], cpu=took["cpu"])
    results.compare("GAUC", "scikit-learn", found["scikit-learn"]["values"], found[US]["values"], 1e-6)
    results.extra["gauc"] = dict(rows=rows, groups=groups, sample=sample)


def decide(results, part, rounds, peers):
    "Ten pairs of five systems: the peers draw fewer times, and their time is multiplied."
    queries, draws, sample = round(6980 * part), 100_000, 500
    done = measure(*job("decide", queries, min(3, rounds), draws, sample, *peers))
    found = json.loads(done["out"])
    for test, tools in found.items():
        case = f"{test}, {draws if test == 'Fisher' else draws // 10:,} draws"
        for tool, took in tools.items():
            results.add("decide", case, tool, wall=took["wall"], cpu=took["cpu"])
            if tool != US:
                results.compare(case, tool, took["values"], tools[US]["values"], 0.1, f"{sample} random draws")
    results.extra["decide"] = dict(queries=queries, pairs=10, draws=draws, sample=sample, peak=done["peak"])


GROWTH = [f"{size} M" for size in ("0.1", "0.25", "0.5")] + ["M", "2 M", "5 M"]
JUDGED = [f"M/4, {n} judged" for n in (1, 3, 10, 30, 100, 300)]
JUDGED_OF_L = [f"L, {n} judged" for n in (1, 3, 10, 30, 120)]


def growth(results, part, rounds, peers):
    "Time and memory as the rows grow from a tenth of M to five times M, and the judgments from 1 a query to all."
    for case in GROWTH + JUDGED + JUDGED_OF_L:
        paths = made(case, part)
        commands = {t: job("files", t, *paths) for t in (US, "pytrec_eval")}
        results.by_turns("growth", case, commands, {US: min(3, rounds), "pytrec_eval": 1})
    for what, cases, size in ("rows", GROWTH, "rows"), ("judgments", JUDGED, "judgments"):
        own = {r["case"]: r["cpu"] for r in results.rows if (r["section"], r["tool"]) == ("growth", US)}
        slope = exponent([MADE[c][size] for c in cases], [own[c] for c in cases])
        results.extra.setdefault("exponent", {})[what] = round(slope, 3)


def exponent(x, y):
    "The slope of a straight line through the logarithms."
    from math import log

    return statistics.linear_regression([*map(log, x)], [*map(log, y)]).slope


def limits(results, part, rounds, peers):
    "A text file and a table, each evaluated in half the memory that it takes on the disk."
    for case, form in ("5 M", "files"), ("50 M rows", "tables"):
        paths = made(case, part, form)
        size = os.path.getsize(paths[1])
        with limited(size // 2, form == "files") as (before, by):
            done = measure(*job("limited", size // 8, *paths), before=before)
        results.add("limits", case, US, **{k: [done[k]] for k in ("wall", "cpu", "peak")})
        results.extra.setdefault("limits", {})[case] = dict(file=size / 1e6, limit=size / 2e6, by=by)


WITHOUT = "X86_V4 AVX512_ICL"  # parts of numpy; the names that it does not know are ignored


def diagnosis(results, part, rounds, peers):
    "Ours with numpy's AVX-512 code and without it, where the processor has it: its sort is slow on some (numpy#32690)."
    if not set(WITHOUT.split()) & set(simd()["found"]):
        print("diagnosis: no AVX-512 code of numpy for this processor")
        return
    for case in "M", "M-shuffled", "L2":
        command = job("files", US, *made(case, part), *(L2_MEASURES if case == "L2" else ()))
        without = ["env", f"NPY_DISABLE_CPU_FEATURES={WITHOUT}", *command]
        results.by_turns("diagnosis", case, {US: command, f"{US}, without AVX-512": without}, rounds)


# ---- beside an earlier commit ----


def against(revision, part, rounds):
    "Print how the working tree compares with an earlier commit, by turns, with the same numpy."
    git, tree = ["git", "-C", HERE], CACHE / "base"
    commit = subprocess.check_output([*git, "rev-parse", "--short", f"{revision}^{{commit}}"], text=True).strip()
    if tree.exists():  # left by a measurement that was stopped
        subprocess.run([*git, "worktree", "remove", "--force", tree], check=True)
    subprocess.run([*git, "worktree", "add", "-q", "--detach", tree, commit], check=True)
    try:
        side_by_side(commit, tree, part, rounds)
    finally:
        subprocess.run([*git, "worktree", "remove", "--force", tree], check=True)


def side_by_side(commit, tree, part, rounds):
    "Measure the working tree and the commit in the folder `tree`, and print the ratios."
    results = Results()
    of = {US: ["env", f"PYTHONPATH={HERE.parent}"], commit: ["env", f"PYTHONPATH={tree}"]}
    for tool, folder in (US, HERE.parent), (commit, tree):
        module = measure(*of[tool], sys.executable, "-P", "-c", f"import {US}; print({US}.__file__)")["out"].strip()
        if not Path(module).is_relative_to(folder / US):
            raise SystemExit(f"{module} is imported, not {folder / US}")
    cases = {name: job("files", US, *made(name, part), *(L2_MEASURES if name == "L2" else ()))
             for name in ("S", "M", "M-shuffled", "L2")}
    for case, command in cases.items():
        results.by_turns("base", case, {tool: [*env, *command] for tool, env in of.items()}, rounds)
    for section in "dicts", "call", "arrays", "compare":
        for case in CALLS[section][1]:
            commands = {tool: [*env, *call(section, case, US, part)] for tool, env in of.items()}
            found = results.by_turns("base", case, commands, rounds, inside=True)
            results.compare(case, commit, found[commit], found[US], 1e-12)
    print(f"{machine()}\n{'':<32}{'s now':>10}{commit + ' ÷ now: wall':>24}{'cpu':>8}{'peak':>8}")
    for row in results.compared():
        if row["tool"] == US:
            now = row["wall"]
            continue
        print(f"{row['case']:<32}{now:>10.5f}{row['ratio']:>24.2f}{row['cpu_ratio']:>8.2f}{row['peak_ratio']:>8.2f}")


@contextlib.contextmanager
def limited(size, address_space):
    "What limits a process to so many bytes if it is called there, and the name of it."
    import resource

    group = Path("/sys/fs/cgroup/memory") / f"{US}-{os.getpid()}"
    if address_space:
        yield lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)), "address space (ulimit -v)"
        return
    try:
        group.mkdir()
        for what in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"):
            (group / what).write_text(str(size))
    except OSError:  # no rights, or another kind of control groups
        yield None, "nothing: only measured"
        return
    try:
        yield lambda: (group / "cgroup.procs").write_text(str(os.getpid())), "control group"
    finally:
        group.rmdir()


MADE = {}


def made(name, part, form="files"):
    "The paths of a collection, made in a process of its own if it is not there, and read once."
    say(f"making {name}")
    code = f"""import data, json
print(json.dumps([list(map(str, data.{form}({name!r}, {part}))), data.about({name!r}, {part})]))"""
    paths, MADE[name] = json.loads(subprocess.check_output([sys.executable, "-c", code], cwd=HERE))
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 20):
                pass
    return paths


# ---- what is written down ----


def machine():
    "Where this ran."
    model = platform.processor()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as info:
            model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), model)
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return dict(processor=model, cores=os.cpu_count(), memory=f"{total / 2**30:.0f} GiB",
                system=f"{platform.system()} {platform.machine()}", simd=simd())


@functools.cache
def simd():
    "numpy's code for this processor: what it always uses, what it found, what it did not find, and the highest level."
    code = "import json, numpy; print(json.dumps(numpy.show_config('dicts')['SIMD Extensions']))"
    levels = json.loads(measure(sys.executable, "-c", code)["out"])
    return dict(level=(levels["found"] or levels["baseline"])[-1], **levels)


def versions():
    "Of Python, of us, and of the peers."
    out = {"Python": platform.python_version(), US: importlib.metadata.version(US)}
    for package in PACKAGES.split():
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            out[package] = importlib.metadata.version(package)
    if trec_eval():
        said = measure(trec_eval(), "--version")
        out["trec_eval"] = (said["out"] + said["err"]).split()[-1]
    git = [subprocess.run(["git", *words], cwd=HERE.parent, capture_output=True, text=True).stdout.strip()
           for words in (["describe", "--always"], ["status", "--porcelain", US])]
    if git[0]:
        out["commit"] = git[0] + "-dirty" * bool(git[1])
    return out


def written(results, section, of, part, quick, out):
    "Put a section into the JSON of all sections; `of`: the versions. Returns all of it."
    found = json.loads(out.read_text()) if out.exists() else {}
    if (found.get("part"), found.get("quick")) != (part, quick):
        found = {}
    now = dict(date=datetime.date.today().isoformat(), machine=machine(), versions=of)
    found |= dict(part=part, quick=quick, sections=SECTIONS, **results.extra)
    found["measured"] = found.get("measured", {}) | {section: now}
    found["data"] = found.get("data", {}) | MADE
    for kind, new in ("results", results.compared()), ("agreement", results.agreement):
        kept = [one for one in found.get(kind, ()) if one["section"] != section]
        found[kind] = sorted(kept + new, key=lambda one: [*SECTIONS].index(one["section"]))
    out.write_text(json.dumps(found, indent=1) + "\n")
    return found


def show(found):
    "The tables, as text."
    for section, one in found["measured"].items():
        print(f"{section}: {one['date']}, {one['machine']['processor']}, commit {one['versions'].get('commit')}")
    section = case = None
    for row in found["results"]:
        if row["section"] != section:
            section = row["section"]
            print(f"\n{SECTIONS[section]}\n{'':<54}{'wall s':>9}{'from':>9}{'to':>9}{'x ours':>8}"
                  f"{'cpu s':>9}{'x ours':>8}{'peak MB':>9}{'x ours':>8}")
        name = f"{row['case'] if row['case'] != case else '':<30} {row['tool']}"
        case = row["case"]
        cells = [f"{row['wall']:.4f}", f"{min(row['rounds']):.4f}", f"{max(row['rounds']):.4f}", _2(row, "ratio"),
                 _2(row, "cpu", 4), _2(row, "cpu_ratio"), _2(row, "peak", 0), _2(row, "peak_ratio")]
        print(f"{name:<54}" + "".join(f"{c:>{w}}" for c, w in zip(cells, (9, 9, 9, 8, 9, 8, 9, 8))))
    print("\nAgreement: the largest difference of a mean")
    for one in found["agreement"]:
        good = "yes" if one["largest"] <= one["tolerance"] else "NO"
        print(f"  {good:<4}{one['case']:<24}{one['tool']:<20}{one['largest']:.0e}  {one['because']}")
    for what, parts in found.get("start-up", {}).items():
        most = ", ".join(f"{name} {ms:.0f}" for name, ms in parts.items() if ms >= 0.5)
        print(f"\nWhat `{what}` imports, in ms: {most}")
    for case, one in found.get("limits", {}).items():
        print(f"\n{case}: a file of {one['file']:,.0f} MB under a limit of {one['limit']:,.0f} MB by {one['by']}")
    if "exponent" in found:
        print(f"\nTime grows as size to the power of: {found['exponent']}")
    print("\nGoals" + ", which were set for the whole of M" * (found["part"] != 1))
    for row in found["results"]:
        goal = GOALS.get((row["section"], row["case"], row["tool"]))
        if goal and "ratio" in row:
            said = "reached" if row["ratio"] >= goal else "missed "
            by_cpu = f"; by processor time {row['cpu_ratio']:.2f}" if "cpu_ratio" in row else ""
            print(f"  {said} {row['case']:<16}{row['tool']:<22}{row['ratio']:.2f} (at least {goal:.2f}){by_cpu}")


def _2(row, key, digits=2):
    return f"{row[key]:.{digits}f}" if key in row else ""


def main():
    "Measure, print, write."
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("--quick", action="store_true", help="S and a tenth of M, without ranx, in about five minutes")
    ask.add_argument("--part", type=float, help="this part of M's queries (default 1)")
    ask.add_argument("--rounds", type=int, help="at most (default 5)")
    ask.add_argument("--only", help=f"some of {','.join(SECTIONS)}")
    ask.add_argument("--peers", help="besides pytrec_eval and scikit-learn: ir_measures,ranx, or none")
    ask.add_argument("--base", help="measure the working tree beside this commit, and print how they compare")
    ask.add_argument("--out", type=Path, help="where the JSON goes (default: benchmarks/results.json for full rounds)")
    given = ask.parse_args()
    part = given.part or (0.1 if given.quick else 1.0)
    rounds = given.rounds or (3 if given.quick else 5)
    peers = (given.peers or ("ir_measures" if given.quick else "ir_measures,ranx")).replace("none", "").split(",")
    peers = [p for p in peers if p]
    if given.base:
        against(given.base, part, rounds)
        return
    asked = (given.only or ",".join(s for s in SECTIONS if not given.quick or s not in ("growth", "limits"))).split(",")
    full = (part, rounds, given.quick, given.peers) == (1, 5, False, None)
    out, of = given.out or (HERE if full else CACHE) / "results.json", versions()
    found = None
    warm_up(peers)
    for section in asked:
        results, begin = Results(), time.perf_counter()
        results.section = section
        (calls(section) if section in CALLS else globals()[section])(results, part, rounds, peers)
        if results.rows:
            found = written(results, section, of, part, given.quick, out)
        print(f"{section}: measured in {time.perf_counter() - begin:.0f} s", flush=True)
    if not found:
        return
    show(found)
    print(f"\nWritten to {out}." + " nbs/reference/speed.ipynb shows it: run it again." * full)
    if "growth" in asked:
        measure(sys.executable, HERE / "plot.py", out, CACHE / "growth.png")
        print(f"The growth as a picture: {CACHE / 'growth.png'}")
    sys.exit(any(one["largest"] > one["tolerance"] for one in found["agreement"]))


def warm_up(peers):
    "Start every tool once: what it compiles for itself is kept for the next time."
    paths = made("S", 1.0)
    for tool in (US, "pytrec_eval", *peers):
        measure(*job("files", tool, *paths))


if __name__ == "__main__":
    main()
