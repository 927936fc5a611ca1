"""The page "Write it yourself": wrong functions are told what they compute and where they fail, and right ones pass; in Chromium,
where the site has Python for the browser, the same is said by keyboard, and nothing is asked from elsewhere."""
import functools
import http.server
import json
import re
import threading
from fractions import Fraction
from math import log2

import lite
import pytest
from project import NBS, cells
from test_browser import CONTRAST, WIDE

PAGE = NBS / "learn/write_it.ipynb"
TASKS = re.findall(r'<div class="write" data-function="(\w+)">(.*?)^</div>', "\n".join(cell.source for cell in cells(PAGE)), re.DOTALL | re.MULTILINE)
NAMES = [name for name, _ in TASKS]


@pytest.fixture(scope="module")
def page():
    "The names of the cells that check a function, as the worker of the page runs them."
    space = {"__name__": "grader"}
    tagged = [cell for cell in json.loads(PAGE.read_text(encoding="utf-8"))["cells"] if "grader" in cell["metadata"].get("tags", [])]
    assert len(tagged) >= 5
    for cell in tagged:
        exec("".join(cell["source"]), space)
    return space


def blocks(name):
    "The stub and the answer of a task."
    return re.findall(r"```python\n(.*?)```", dict(TASKS)[name], re.DOTALL)


DCG = "import math\ndef dcg(grades, k):\n    return sum({} for i, g in enumerate({}, 1))"
NDCG = "import math\ndef d(x): return sum({} / math.log2(i + 1) for i, g in enumerate(x, 1))\ndef ndcg(grades, judged, k):\n    best = d({})\n    return d(grades[:k]) / best if best else 0"
AP = "def average_precision(grades, R, k):\n    found = total = 0\n    for i, g in enumerate({}, 1):\n        if g >= 1:\n            found += 1\n            total += found / i\n    return total / {} if total else 0"
RR = "def reciprocal_rank(grades, k):\n    x = 0\n    for i, g in enumerate({}):\n        if g >= 1{}: x = {}\n    return x"
ERR = "def err(grades, max_grade, k):\n    p, t = 1, 0\n    for i, g in enumerate({}, 1):\n        r = (2**g - 1) / 2**{}\n        t += {} / i\n        p *= 1 - r\n    return t"

L3 = 1 / log2(3)
# Name: function, code, what it computes, the smallest call that shows it, the right value, and its own (or a part of an error).
WRONG = {
    "gain 2^g - 1": ("dcg", DCG.format("(2**g - 1) / math.log2(i + 1)", "grades[:k]"), "DCG with gain 2^g - 1", "dcg([2], 1)", 2, 3),
    "discount one rank late": ("dcg", DCG.format("g / math.log2(i + 2)", "grades[:k]"), "gains are divided by log2(i + 2)", "dcg([1], 1)", 1, L3),
    "natural logarithm": ("dcg", DCG.format("g / math.log(i + 1)", "grades[:k]"), "gains are divided by ln(i + 1)", "dcg([1], 1)", 1, 1.442695),
    "base 10": ("dcg", DCG.format("g / math.log10(i + 1)", "grades[:k]"), "gains are divided by log10(i + 1)", "dcg([1], 1)", 1, 3.321928),
    "ranks 1 and 2 alike": ("dcg", DCG.format("g / math.log2(max(i, 2))", "grades[:k]"), "ranks 1 and 2 have the same weight", "dcg([0, 1], 2)", L3, 1),
    "no discount": ("dcg", DCG.format("g", "grades[:k]"), "another measure, CG", "dcg([0, 1], 2)", L3, 1),
    "k ignored": ("dcg", DCG.format("g / math.log2(i + 1)", "grades"), "DCG, and the cutoff k has no effect", "dcg([0, 1], 1)", 0, L3),
    "ideal of the top k": ("ndcg", NDCG.format("g", "sorted(grades[:k], reverse=True)"), "the ideal ranking contains only the top k of the list", "ndcg([1], [1, 1], 2)", 1 / (1 + L3), 1),
    "ideal not cut": ("ndcg", NDCG.format("g", "sorted(judged, reverse=True)"), "the ideal ranking is not cut at k", "ndcg([1], [1, 1], 1)", 1, 1 / (1 + L3)),
    "ideal not sorted": ("ndcg", NDCG.format("g", "judged[:k]"), "the judgments in the order of the input", "ndcg([0, 1], [0, 1], 2)", L3, 1),
    "nDCG with gain 2^g - 1": ("ndcg", NDCG.format("(2**g - 1)", "sorted(judged, reverse=True)[:k]"), "nDCG with gain 2^g - 1", "ndcg([1, 2], [1, 2], 1)", Fraction(1, 2), Fraction(1, 3)),
    "AP over found documents": ("average_precision", AP.format("grades[:k]", "found"), "divided by the number of relevant documents found", "average_precision([1], 2, 1)", Fraction(1, 2), 1),
    "AP over k": ("average_precision", AP.format("grades[:k]", "k"), "the sum of precisions divided by k", "average_precision([1], 1, 2)", 1, Fraction(1, 2)),
    "AP over min(R, k)": ("average_precision", AP.format("grades[:k]", "min(R, k)"), "the sum is divided by min(R, k)", "average_precision([1], 2, 1)", Fraction(1, 2), 1),
    "AP without k": ("average_precision", AP.format("grades", "R"), "AP, and the cutoff k has no effect", "average_precision([0, 1], 1, 1)", 0, Fraction(1, 2)),
    "RR from rank 0": ("reciprocal_rank", RR.format("grades[:k]", " and not x", "1 / i"), "ranks that begin with 0", "reciprocal_rank([1], 1)", 1, "Line 4: ZeroDivisionError"),
    "RR of the last": ("reciprocal_rank", RR.format("grades[:k], 1", "", "1 / i"), "1/rank of the last relevant result", "reciprocal_rank([1, 1], 2)", 1, Fraction(1, 2)),
    "RR that is the rank": ("reciprocal_rank", RR.format("grades[:k], 1", " and not x", "i"), "the rank of the first relevant result", "reciprocal_rank([0, 1], 2)", Fraction(1, 2), 2),
    "RR that is Success": ("reciprocal_rank", RR.format("grades[:k], 1", " and not x", "1"), "another measure, Success", "reciprocal_rank([0, 1], 2)", Fraction(1, 2), 1),
    "RR without k": ("reciprocal_rank", RR.format("grades, 1", " and not x", "1 / i"), "the cutoff is ignored", "reciprocal_rank([0, 1], 1)", 0, Fraction(1, 2)),
    "ERR without the product": ("err", ERR.format("grades[:k]", "max_grade", "r"), "without the probability that the reader is still reading", "err([1, 1], 1, 2)", Fraction(5, 8), Fraction(3, 4)),
    "ERR with max_grade 4": ("err", ERR.format("grades[:k]", "4", "p * r"), "max_grade fixed at 4", "err([1], 1, 1)", Fraction(1, 2), Fraction(1, 16)),
    "ERR with the largest grade of the list": ("err", ERR.format("grades[:k]", "max(grades)", "p * r"), "the highest grade of the list as max_grade", "err([1], 3, 1)", Fraction(1, 8), Fraction(1, 2)),
    "ERR without k": ("err", ERR.format("grades", "max_grade", "p * r"), "ERR, and the cutoff k has no effect", "err([0, 1], 1, 1)", 0, Fraction(1, 4)),
}
LATE = "gains are divided by log2(i + 2)"
HITS = "def average_precision(grades, n, k):\n    f = t = 0\n    for i, g in enumerate({}, 1):\n        if {}: f += 1; t += f / i\n    return t / {}"
BY_INDEX = "def average_precision(grades, n, k):\n    f = t = 0\n    for i in range({}):\n        if grades[i] >= 1: f += 1; t += f / {}\n    return t / n if n else 0"
FIRST = "def reciprocal_rank(grades, k):\n    for i, g in enumerate({}, 1):\n        if {}: return {}\n    return {}"
IDEAL = "import math\ndef d(x): return sum({} / math.log2({}) for i, g in enumerate(x, 1))\ndef ndcg(grades, judged, k):\n    {}\n    best = d({})\n    return d(grades[:{}]) / best if best else {}"
STOPS = "import math\ndef err(grades, max_grade, k):\n    p, t = 1, 0\n    for i, g in enumerate({}, 1):\n        r = {}\n        t += {}\n        {}\n    return t"
BEST, R_OF_ALL = "sorted(judged, reverse=True)", "sum(g >= 1 for g in judged)"
LAST, AT_LAST = f"m = min(k, len(grades), {R_OF_ALL})", "both the list and the ideal ranking are cut at min(k, n, R)"
EXP = "nDCG with gain 2^g - 1"
NO_NUMBER = "; it gives no number for "
# Name: function, code, and the parts of what it computes; () for a function that has no name.
FURTHER = {
    "dcg by index, to k": ("dcg", "import math\ndef dcg(grades, k): return sum(grades[i] / math.log2(i + 2) for i in range(k))", ("DCG, but not for every list.",)),
    "dcg by index, from 1": ("dcg", "import math\ndef dcg(grades, k): return sum(grades[i] / math.log2(i + 1) for i in range(1, k + 1))", ()),
    "dcg by index without the first": ("dcg", "import math\ndef dcg(grades, k): return sum(grades[i] / math.log2(i + 1) for i in range(1, k) if i < len(grades))", ("DCG with discount='jarvelin' and one mistake: the document at rank 1 never counts",)),
    "dcg with log2 of the index": ("dcg", "import math\ndef dcg(grades, k): return sum(g / (math.log2(i) if i else 1) for i, g in enumerate(grades[:k]))", ("DCG, but not for every list.",)),
    "dcg with log2 of the rank": ("dcg", DCG.format("g / math.log2(i)", "grades[:k]"), ()),
    "dcg of hits with log2 of the rank": ("dcg", "import math\ndef dcg(grades, k): return sum(g / math.log2(i) for i, g in enumerate(grades[:k], 1) if g)", ("DCG with ranks that begin with 0.",)),
    "dcg with 1 + ln": ("dcg", DCG.format("g / (1 + math.log(i))", "grades[:k]"), ()),
    "dcg over k": ("dcg", DCG.format("g / math.log2(i + 1) / k", "grades[:k]"), ()),
    "dcg with gain 2^g": ("dcg", DCG.format("2**g / math.log2(i + 1)", "grades[:k]"), ()),
    "dcg with gain 2^g - 1, late": ("dcg", DCG.format("(2**g - 1) / math.log2(i + 2)", "grades[:k]"), ("DCG with gain 2^g - 1 and one mistake: ", LATE)),
    "dcg with gain 1, late": ("dcg", DCG.format("(g > 0) / math.log2(i + 2)", "grades[:k]"), ("DCG with gain 1 for every relevant document and one mistake: ", LATE)),
    "dcg with gain 2^g - 1 and ln": ("dcg", DCG.format("(2**g - 1) / math.log(i + 1)", "grades[:k]"), ("DCG with gain 2^g - 1 and one mistake: gains are divided by ln(i + 1).",)),
    "dcg cut at the number of hits": ("dcg", DCG.format("g / math.log2(i + 1)", "grades[:min(k, sum(g >= 1 for g in grades))]"), ()),
    "dcg sorted": ("dcg", DCG.format("g / math.log2(i + 1)", "sorted(grades, reverse=True)[:k]"), ()),
    "dcg of ten": ("dcg", DCG.format("g / math.log2(i + 1)", "grades[:max(k, 10)]"), ()),
    "dcg of one less": ("dcg", DCG.format("g / math.log2(i + 1)", "grades[:k - 1]"), ("DCG of one rank less than k.",)),
    "dcg in whole numbers": ("dcg", DCG.format("g // math.log2(i + 1)", "grades[:k]"), ()),
    "dcg with four decimals": ("dcg", DCG.format("round(g / math.log2(i + 1), 4)", "grades[:k]"), ("DCG, rounded.",)),
    "dcg nearly right": ("dcg", DCG.format("g / math.log2(i + 1.004)", "grades[:k]"), ()),
    "ndcg cut": ("ndcg", IDEAL.format("g", "i + 1", LAST, BEST + "[:m]", "m", 0), ("nDCG with one mistake: ", AT_LAST)),
    "ndcg with gain 2^g - 1, cut": ("ndcg", IDEAL.format("(2**g - 1)", "i + 1", LAST, BEST + "[:m]", "m", 0), (EXP + " and one mistake: ", AT_LAST)),
    "ndcg with gain 1, cut": ("ndcg", IDEAL.format("(g > 0)", "i + 1", LAST, BEST + "[:m]", "m", 0), ("nDCG with gain 1 for every relevant document and one mistake: ", AT_LAST)),
    "ndcg whose list alone is cut": ("ndcg", IDEAL.format("g", "i + 1", LAST, BEST + "[:k]", "m", 0), ()),
    "ndcg of the list, with gain 2^g - 1": ("ndcg", IDEAL.format("(2**g - 1)", "i + 1", "", "sorted(grades, reverse=True)[:k]", "k", 0), (EXP + " and one mistake: ", "contains only retrieved documents")),
    "ndcg of the order given, with gain 2^g - 1": ("ndcg", IDEAL.format("(2**g - 1)", "i + 1", "", "judged[:k]", "k", 0), (EXP + " and one mistake: ", "in the order of the input")),
    "ndcg with gain 2^g - 1, weights alike": ("ndcg", IDEAL.format("(2**g - 1)", "max(i, 2)", "", BEST + "[:k]", "k", 0), (EXP + " and one mistake: ", "ranks 1 and 2 have the same weight")),
    "ndcg with gain 2^g - 1, 1 for nothing": ("ndcg", IDEAL.format("(2**g - 1)", "i + 1", "", BEST + "[:k]", "k", 1), (EXP + ", but not for every list.",)),
    "ndcg, 1 for nothing": ("ndcg", IDEAL.format("g", "i + 1", "", BEST + "[:k]", "k", 1), ("nDCG, but not for every list.",)),
    "ndcg of k hits": ("ndcg", IDEAL.format("(g > 0)", "i + 1", "", "[1] * k", "k", 0), ("nDCG with one mistake: the ideal ranking has k hits",)),
    "ndcg without division": ("ndcg", IDEAL.format("g", "i + 1", "return d(grades[:k])", BEST, "k", 0), ("another measure, DCG.",)),
    "AP cut": ("average_precision", HITS.format("grades[:min(k, len(grades), n)]", "g >= 1", "max(n, 1)"), ("AP with one mistake: the list is cut at min(k, n, R), as in `run[:min(k, len(run), len(relevant))]`.",)),
    "AP by index, to k": ("average_precision", BY_INDEX.format("k", "(i + 1)"), ("AP, but not for every list.",)),
    "AP by index, from 1": ("average_precision", BY_INDEX.format("1, k + 1", "i"), ()),
    "AP of high grades": ("average_precision", HITS.format("grades[:k]", "g > 1", "max(n, 1)"), ()),
    "AP of grade 1": ("average_precision", HITS.format("grades[:k]", "g == 1", "max(n, 1)"), ()),
    "AP that may divide by 0": ("average_precision", HITS.format("grades[:k]", "g >= 1", "n"), ("AP, but not for every list.",)),
    "AP over hits that may divide by 0": ("average_precision", HITS.format("grades[:k]", "g >= 1", "f"), ("AP with one mistake: ", "number of relevant documents found", NO_NUMBER)),
    "AP over the list": ("average_precision", HITS.format("grades[:k]", "g >= 1", "max(len(grades[:k]), 1)"), ("AP with one mistake: the sum is divided by the number of documents in the top k.",)),
    "AP over min(n, length)": ("average_precision", HITS.format("grades[:k]", "g >= 1", "max(min(n, len(grades)), 1)"), ()),
    "AP that is recall": ("average_precision", "def average_precision(grades, n, k): return sum(g >= 1 for g in grades[:k]) / n if n else 0", ("another measure, R.",)),
    "RR by index": ("reciprocal_rank", "def reciprocal_rank(grades, k):\n    for i in range(k):\n        if grades[i]: return 1 / (i + 1)\n    return 0", ("RR, but not for every list.",)),
    "RR by index, from 1": ("reciprocal_rank", "def reciprocal_rank(grades, k):\n    for i in range(1, k + 1):\n        if grades[i]: return 1 / i\n    return 0", ()),
    "RR that ends at the end of the list": ("reciprocal_rank", "def reciprocal_rank(grades, k):\n    i = 0\n    while not grades[i]: i += 1\n    return 1 / (i + 1)",
                                            ("RR with one mistake: the cutoff is ignored", NO_NUMBER + "20 of 416 lists.")),  # 5 lists of zeros, 4 cutoffs; 104 lists
    "RR of high grades": ("reciprocal_rank", FIRST.format("grades[:k]", "g > 1", "1 / i", 0), ("RR with one mistake: a document is relevant if its grade is above 1",)),
    "RR of grade 1": ("reciprocal_rank", FIRST.format("grades[:k]", "g == 1", "1 / i", 0), ()),
    "RR times the grade": ("reciprocal_rank", FIRST.format("grades[:k]", "g", "g / i", 0), ()),
    "RR with a logarithm": ("reciprocal_rank", "from math import log2\n" + FIRST.format("grades[:k]", "g", "1 / log2(i + 1)", 0), ()),
    "RR rounded": ("reciprocal_rank", FIRST.format("grades[:k]", "g", "round(1 / i, 2)", 0), ("RR, rounded.",)),
    "RR without a last return": ("reciprocal_rank", FIRST.format("grades[:k]", "g", "1 / i", None), ("RR, but not for every list.",)),
    "RR without k, 1 for nothing": ("reciprocal_rank", FIRST.format("grades", "g", "1 / i", 1), ("RR with one mistake: the cutoff is ignored, but not for every list.",)),
    "ERR by index": ("err", "def err(grades, m, k):\n    p, t = 1, 0\n    for i in range(k):\n        r = (2**grades[i] - 1) / 2**m\n        t += p * r / (i + 1)\n        p *= 1 - r\n    return t", ("ERR, but not for every list.",)),
    "ERR with 2^g": ("err", STOPS.format("grades[:k]", "2**g / 2**max_grade", "p * r / i", "p *= 1 - r"), ()),
    "ERR with g / (m + 1) and log2": ("err", STOPS.format("grades[:k]", "g / (max_grade + 1)", "p * r / math.log2(i + 1)", "p *= 1 - r"), ("ERR with 1/log2(i + 1) instead of 1/i", " and r = g / (max_grade + 1)")),
    "ERR with max_grade 4 and log2": ("err", STOPS.format("grades[:k]", "(2**g - 1) / 16", "p * r / math.log2(i + 1)", "p *= 1 - r"), ()),
    "ERR that multiplies by r": ("err", STOPS.format("grades[:k]", "(2**g - 1) / 2**max_grade", "p * r / i", "p *= r"), ()),
    "ERR of the result before": ("err", STOPS.format("grades[:k]", "(2**g - 1) / 2**max_grade", "p * r / i", "p = 1 - r"), ()),
    "ERR of hits": ("err", STOPS.format("grades[:k]", "(2**(g > 0) - 1) / 2**max_grade", "p * r / i", "p *= 1 - r"), ()),
    "ERR of the highest grade, which an empty list lacks": ("err", "def err(grades, m, k):\n    m, p, t = max(grades), 1, 0\n    for i, g in enumerate(grades[:k], 1):\n        r = (2**g - 1) / 2**max(m, 1)\n        t += p * r / i\n        p *= 1 - r\n    return t",
                                                            ("ERR with the highest grade of the list as max_grade", NO_NUMBER + "12 of 1,248 lists.")),  # 3 ways to miss documents, 4 cutoffs
}  # fmt: skip
RIGHT = {
    "dcg in NumPy": ("dcg", "import numpy as np\ndef dcg(grades, k):\n    g = np.asarray(grades[:k], float)\n    return g @ (1 / np.log2(np.arange(2, g.size + 2)))"),
    "ndcg in NumPy": ("ndcg", "import numpy as np\ndef d(g):\n    return (np.asarray(g, float) / np.log2(np.arange(len(g)) + 2)).sum()\ndef ndcg(grades, judged, k):\n    best = d(np.sort(judged)[::-1][:k])\n    return np.float64(0) if best == 0 else d(grades[:k]) / best"),
    "average_precision from the definition": ("average_precision", "def average_precision(grades, n_relevant, k):\n    hits = [g >= 1 for g in grades[:k]]\n    return sum(sum(hits[:i + 1]) / (i + 1) for i in range(len(hits)) if hits[i]) / max(n_relevant, 1)"),
    "reciprocal_rank as a generator": ("reciprocal_rank", "from fractions import Fraction\ndef reciprocal_rank(grades, k):\n    return next((Fraction(1, i) for i, g in enumerate(grades[:k], 1) if g), 0)"),
    "err by recursion": ("err", "def err(grades, max_grade, k, i=1):\n    if not grades[:k] or i > k: return 0\n    r = (2**grades[0] - 1) / 2**max_grade\n    return r / i + (1 - r) * err(grades[1:], max_grade, k, i + 1)"),
}
MESSAGES = {
    "no colon": ("dcg", "def dcg(grades, k)\n    return 1", "Line 1: SyntaxError: expected ':'."),
    "indent": ("dcg", "def dcg(grades, k):\nreturn 1", "Line 2: IndentationError: "),
    "another name": ("dcg", "def DCG(grades, k):\n    return 1", "The code has no function with the name dcg."),
    "unknown name at the top": ("dcg", "x = 1\ny = z\n", "Line 2: NameError: name 'z' is not defined."),
    "unknown name inside": ("dcg", "def dcg(grades, k):\n    t = 0\n    return tt", "Not yet. Line 3: NameError: name 'tt' is not defined"),
    "no return": ("err", "def err(grades, max_grade, k):\n    sum(grades)", "Not yet. Line 1: the function ends without `return` and a value, so it returns None."),
    "a list": ("dcg", "\ndef dcg(grades, k):\n    return grades", "Not yet. Line 2: the function returns a value of the type list, not a number."),
    "a text": ("dcg", "def dcg(grades, k):\n    return '1.0'", "Not yet. Line 1: the function returns a value of the type str, not a number."),
    "NaN": ("dcg", "def dcg(grades, k):\n    return float('nan')", "Not yet. Line 1: the function returns NaN, which is not a number."),
    "infinity": ("dcg", "def dcg(grades, k):\n    return 1e999", "Not yet. Line 1: the function returns infinity."),
    "too few parameters": ("ndcg", "def ndcg(grades, k):\n    return 1", "Not yet. Line 1: TypeError: ndcg() takes 2 positional arguments but 3 were given."),
    "exit": ("dcg", "def dcg(grades, k):\n    raise SystemExit(1)", "Not yet. Line 2: SystemExit: 1."),
    "the stub": ("rr", "def rr(grades, k):\n    return 0.0", "Not yet. Your function computes the same value for every list, 0."),
    "rounded": ("dcg", DCG.format("round(g / math.log2(i + 1), 3)", "grades[:k]"), "Not yet. Your function computes DCG, rounded."),
    "changed list": ("dcg", "import math\ndef dcg(grades, k):\n    t = sum(g / math.log2(i + 1) for i, g in enumerate(grades[:k], 1))\n    grades.sort()\n    return t", "Line 2: the function changes a list that it gets."),
    "nothing relevant": ("ndcg", NDCG.format("g", "sorted(judged, reverse=True)[:k]").replace(" if best else 0", ""), "Not yet. Your function computes nDCG, but not for every list."),
}  # fmt: skip


def test_the_page_has_the_five_functions():
    assert NAMES == ["dcg", "ndcg", "average_precision", "reciprocal_rank", "err"]
    assert len(WRONG) >= 10 and len(FURTHER) >= 40 and len(RIGHT) >= 5
    assert {name for name, *_ in WRONG.values()} == {name for name, *_ in RIGHT.values()} == set(NAMES)


@pytest.mark.parametrize("what", WRONG)
def test_wrong_function_gets_a_diagnosis_and_a_failing_case(page, what):
    name, code, computes, case, value, own = WRONG[what]
    verdict = page["check"](code, name)
    assert not verdict.passed
    assert verdict.says.startswith("Not yet. Your function computes ") and computes in verdict.says
    assert verdict.case["Call"] == case
    assert verdict.case["Expected"].partition(" (a division")[0].endswith(f"= {float(value):.4f}")
    assert own in verdict.case["Your function"] if isinstance(own, str) else verdict.case["Your function"] == f"{float(own):.4f}"
    assert verdict.hint and verdict.hint[-1] in "?."


@pytest.mark.parametrize("what", WRONG)
def test_no_smaller_case_shows_the_mistake(page, what):
    name, code, *_, case, _, _ = WRONG[what]
    f, error = page["load"](code, name)
    cases = page["examples"](name)
    right = page["package_values"](cases, lambda e: e.measure(name))
    calls = [f"{name}({', '.join(map(str, e.arguments(name)))})" for e in cases]
    before = calls.index(case)
    assert not error and [e.size() for e in cases] == sorted(e.size() for e in cases)
    assert all(page["call"](f, name, cases[row])[0] == pytest.approx(right[row]) for row in range(before))
    assert page["call"](f, name, cases[before])[0] != pytest.approx(right[before])


@pytest.mark.parametrize("what", FURTHER)
def test_a_wrong_function_is_named_right_or_not_at_all(page, what):
    name, code, parts = FURTHER[what]
    verdict = page["check"](code, name)
    _, named, computes = verdict.says.partition("Not yet. Your function computes ")
    assert not verdict.passed and bool(named) is bool(parts), verdict.says
    assert computes.startswith(parts[:1] or "") and all(part in computes for part in parts)
    if parts: assert (NO_NUMBER in computes) is (NO_NUMBER in "".join(parts))


def test_a_list_cut_at_the_number_of_relevant_has_its_own_hint(page):
    for what in "AP cut", "ndcg cut":
        assert page["check"](*FURTHER[what][1::-1]).hint == "Which rank is the last one that counts, if only one document is relevant?"


@pytest.mark.parametrize("what", RIGHT)
def test_a_right_function_passes_whatever_its_style(page, what):
    name, code = RIGHT[what]
    verdict = page["check"](code, name)
    assert verdict.passed and verdict.says.startswith(f"Right: your function computes {page['MEASURES'][name]}.")
    assert (verdict.case, verdict.hint) == ({}, "")
    f, _ = page["load"](code, name)
    assert page["audit"](page["of_run"](f, name), page["MEASURES"][name], shape="qrels run k")


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_of_the_page_is_right_and_the_stub_is_not(page, name):
    stub, answer = blocks(name)
    assert page["check"](answer, name).passed
    assert page["check"](stub, name).says == "Not yet. Your function computes the same value for every list, 0."


@pytest.mark.parametrize("what", MESSAGES)
def test_errors_in_code_are_explained_in_one_line(page, what):
    name, code, says = MESSAGES[what]
    name, code = ("reciprocal_rank", code.replace("rr(", "reciprocal_rank(")) if name == "rr" else (name, code)
    verdict = page["check"](code, name)
    shown = f"{verdict.says}\n{verdict.case.get('Your function', '')}"
    assert not verdict.passed and says in shown
    assert "\n" not in verdict.says


def test_printed_text_is_shown_only_for_the_smallest_case(page):
    verdict = page["check"]("def dcg(grades, k):\n    print('grades are', grades)\n    return 0.0", "dcg")
    assert (verdict.case["Call"], verdict.printed) == ("dcg([1], 1)", "grades are [1]\n")


def test_a_mistake_that_is_not_known_is_not_given_a_name(page):
    verdict = page["check"](DCG.format("g**0.7 / math.log2(i + 1)", "grades[:k]"), "dcg")
    assert verdict.says == "Not yet. No known measure or mistake gives these values."
    assert verdict.case == {"Call": "dcg([2], 1)", "Expected": "DCG@1 = 2/log2(2) = 2.0000", "Your function": "1.6245"}
    assert verdict.hint


def test_each_listed_mistake_is_wrong_and_differs_from_the_others(page):
    for name, slips in page["SLIPS"].items():
        cases = page["examples"](name)
        right = page["package_values"](cases, lambda e, name=name: e.measure(name))
        tables = [tuple(round(float(f([*e.grades], [*e.judged], e.k)), 9) for e in cases) for _, _, f in slips]
        assert len(slips) >= 3 and len({*tables}) == len(tables), name
        assert tuple(right.round(9)) not in tables, name


def test_a_notebook_grades_a_function_by_its_name(page):
    def err(grades, max_grade, k): return sum(grades[:k])

    assert "another measure, CG" in str(page["grade"](err))
    with pytest.raises(ValueError, match="rank: the names of the functions are dcg, ndcg"):
        page["grade"](lambda grades, k: 0, "rank")


# ---- the editor ----


def test_the_editor_and_its_worker_ask_only_the_site():
    install = "https://github.com/irmetrics-nb/irmetrics_nb"  # in a text
    for name, addresses in {"write.js": [install], "write_worker.js": []}.items():
        text = (NBS / "play" / name).read_text(encoding="utf-8")
        assert re.findall(r"https?://[\w./-]+", text) == addresses
        assert not re.search(r"XMLHttpRequest|\beval\(|innerHTML|url\(|@import|WebSocket|sendBeacon", text), name
    assert "fetch(" not in (NBS / "play/write.js").read_text(encoding="utf-8")


if (lite.LITE / "index.html").exists():  # after `make docs lite`

    SITE = lite.SITE

    @pytest.fixture(scope="module")
    def site():
        "The address of the rendered site, with the paths that were asked for and the bytes that were sent."
        asked = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_): pass

            def send_header(self, word, value):
                if word == "Content-Length":
                    asked.append((self.path, int(value)))
                super().send_header(word, value)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(SITE)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", asked
        server.shutdown()
        server.server_close()

    @pytest.fixture
    def opened(browser, site):
        "The page; at its end nothing was asked from another host and nothing was complained about."
        home, asked = site
        context, said = browser.new_context(viewport={"width": 1000, "height": 900}), []
        context.on("request", lambda r: said.append(r.url) if not r.url.startswith((home, "data:", "blob:")) else None)
        page = context.new_page()
        page.on("console", lambda m: said.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda e: said.append(str(e)))
        page.goto(f"{home}learn/write_it.html")
        page.locator(".write > section").first.wait_for()
        yield page
        context.close()
        assert said == []

    def editor(page, name):
        return page.get_by_role("region", name=f"Editor: {name}", exact=True)

    def checked(page, name, code):
        "What is said of a code, typed into the editor."
        part = editor(page, name)
        part.get_by_label("Your code").fill(code)
        part.get_by_label("Your code").press("Control+Enter")
        part.locator(".right, .wrong").wait_for(timeout=240_000)
        return part

    def test_the_page_loads_no_python_before_the_first_check(opened, site):
        asked = [path for path, _ in site[1]]
        assert opened.locator(".write > section").count() == 5
        assert any(path.endswith("play/write.js") for path in asked) and not any("/lite/" in path for path in asked)

    def test_functions_are_checked_in_the_browser(opened, site):
        site[1].clear()
        seen = []
        opened.context.on("request", lambda r: seen.append(r.url.rpartition("/")[2]))
        for what in "gain 2^g - 1", "AP over k", "ERR without the product", "RR from rank 0":
            name, code, computes, case, *_ = WRONG[what]
            part = checked(opened, name, code)
            assert computes in part.locator(".wrong").inner_text()
            assert part.locator("dd").first.inner_text() == case
            part.get_by_role("button", name="Hint").click()
            assert part.locator(".hint").inner_text().startswith("Hint: ")
            assert not part.locator(".answer").is_visible()
        for name, code in RIGHT.values():
            part = checked(opened, name, code)
            part.locator(".right").wait_for(timeout=60_000)
            assert part.locator(".right").inner_text().startswith("Right: ")
        assert {"pyodide.asm.wasm", "write_it.ipynb"} <= {*seen}, "requests of the worker are among those that the fixture looks at"
        sent = dict(site[1])
        assert sum("pyodide" in path for path in sent) >= 6
        assert sum(size for path, size in sent.items() if "/lite/" in path) < 20e6, "megabytes that the page announces"

    def test_an_endless_loop_is_stopped_and_the_next_check_works(opened):
        part = checked(opened, "dcg", "def dcg(grades, k):\n    while True: pass")
        assert part.locator(".wrong").inner_text() == "Stopped after 15 seconds: your function does not end for some list."
        part = checked(opened, "dcg", "def dcg(grades, k)\n    return 1")
        opened.get_by_text("Line 1: SyntaxError: expected ':'.").wait_for(timeout=240_000)
        assert part.get_by_role("button", name="Check").is_enabled()

    def test_the_keyboard_enters_and_leaves_the_editor(opened):
        part = editor(opened, "dcg")
        code = part.get_by_label("Your code")
        code.fill("def dcg(grades, k):")
        code.press("End")
        for key in ("Enter", "x", "Enter", "Tab", "y", "Shift+Tab"):
            code.press(key)
        assert code.input_value() == "def dcg(grades, k):\n    x\n    y"
        code.press("Escape")
        code.press("Tab")
        assert part.get_by_role("button", name="Check").evaluate("e => e === document.activeElement")
        opened.keyboard.press("Shift+Tab")
        opened.keyboard.press("Escape")
        opened.keyboard.press("Shift+Tab")
        assert not code.evaluate("e => e === document.activeElement")
        part.get_by_role("button", name="Start again").click()
        assert code.input_value() == blocks("dcg")[0]
        part.get_by_role("button", name="Show the answer").click()
        assert part.locator(".answer").inner_text().strip() == blocks("dcg")[1].strip()

    def test_without_python_on_the_site_the_notebook_is_named(browser, site):
        context = browser.new_context()
        opened = context.new_page()
        opened.goto(f"{site[0]}learn/write_it.html")
        moved = (NBS / "play/write_worker.js").read_text(encoding="utf-8").replace("../lite/", "../nowhere/")
        opened.context.route("**/play/write_worker.js", lambda route: route.fulfill(content_type="text/javascript", body=moved))
        part = editor(opened, "ndcg")
        part.get_by_role("button", name="Check").click()
        part.get_by_text("Run this in a notebook").wait_for(timeout=60_000)
        assert "grade(ndcg)" in part.locator(".said").inner_text()
        assert part.get_by_role("button", name="Check").is_enabled()
        context.close()

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_the_page_fits_a_phone_and_can_be_read(browser, site, scheme):
        context = browser.new_context(viewport={"width": 400, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.goto(f"{site[0]}learn/write_it.html")
        page.locator(".write > section").first.wait_for()
        page.get_by_role("button", name="Show the answer").first.click()
        page.get_by_role("button", name="Hint").first.click()
        wide, late = page.evaluate(WIDE), page.evaluate(CONTRAST)
        context.close()
        assert wide <= 0 and late == []
