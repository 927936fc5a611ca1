"""Small judgments and runs, by name: what is tried on every measure.

A list has the grades of what was retrieved, best rank first (None: nobody judged the document), and of what was missed.
A collection has rows: query, document, grade; query, document, score. Each is tried without a cutoff and with some."""

from typing import NamedTuple


class Input(NamedTuple):
    about: str
    data: dict
    cutoffs: tuple = (None,)


def grades(about, retrieved, missed=(), cutoffs=(None,)):
    return Input(about, {"grades": list(retrieved), "missed": list(missed)}, cutoffs)


def rows(about, judgments, run, cutoffs=(None,)):
    "judgments, run: 'q1 d1 3; q1 d2 0', row after row."
    return Input(about, {"judgments": as_rows(judgments), "run": as_rows(run)}, cutoffs)


def as_rows(text):
    return [[query, document, number_in(number)] for query, document, number in map(str.split, text.split(";"))]


def number_in(text):
    return int(text) if text.lstrip("-").isdigit() else float(text)


_ = None
LISTS = {
    "example": grades("four relevant documents of grades 1, 2 and 3, at ranks 1, 4, 5 and 6", [3, 0, 0, 1, 2, 1], cutoffs=(None, 4)),
    "first": grades("the only relevant document stands first", [1, 0], cutoffs=(None, 1, 5)),
    "second": grades("the only relevant document stands second", [0, 1], cutoffs=(None, 1, 5)),
    "third-below-the-cutoff": grades("the only relevant document stands below the cutoff", [0, 0, 1], cutoffs=(2,)),
    "two-of-two": grades("both relevant documents are found, at ranks 1 and 3", [1, 0, 1], cutoffs=(None, 2)),
    "at-2-and-4": grades("both relevant documents are found, at ranks 2 and 4", [0, 1, 0, 1], cutoffs=(None, 3)),
    "hit-then-many-misses": grades("a hit on top of misses", [1, 0, 0, 0, 0], cutoffs=(2, 3)),
    "three-in-a-row": grades("three relevant documents and nothing else", [1, 1, 1], cutoffs=(None, 2)),
    "more-relevant-than-k": grades("more documents are relevant than the cutoff lets in", [1, 0, 1, 1], cutoffs=(2, 3)),
    "one-missed": grades("one of two relevant documents was missed", [0, 1], [1], cutoffs=(None, 1, 5)),
    "two-missed": grades("two of three relevant documents were missed", [1, 0, 0], [1, 1], cutoffs=(None, 2, 5)),
    "nothing-relevant": grades("nothing is relevant", [0, 0], cutoffs=(None, 1)),
    "nothing-found": grades("what is relevant was missed", [0, 0], [1], cutoffs=(None, 1)),
    "graded": grades("a grade of 1 above a grade of 3", [1, 3], cutoffs=(None, 1)),
    "graded-2-3": grades("a grade of 2 above a grade of 3", [2, 3], cutoffs=(None, 1)),
    "graded-2-only": grades("grades of 2, and below them one of 1", [0, 2, 1], cutoffs=(None, 2)),
    "graded-best-missed": grades("the best document was missed", [1, 0], [3], cutoffs=(None, 1, 5)),
    "graded-two-missed": grades("two documents were missed, the best among them", [1, 2], [1, 3], cutoffs=(None, 1, 5)),
    "graded-0-1-2": grades("the best document stands last", [0, 1, 2], cutoffs=(None, 2)),
    "graded-1-0-2": grades("the best document stands third", [1, 0, 2], cutoffs=(None, 2)),
    "graded-best-below-the-cutoff": grades("the best documents stand below the cutoff", [1, 0, 2, 3], cutoffs=(2,)),
    "graded-three-alike": grades("three grades of 2 at ranks 1, 3 and 4", [2, 0, 2, 2], cutoffs=(None, 3)),
    "junk-first": grades("a document of grade -1 on top of a relevant one", [-1, 1], cutoffs=(None, 1)),
    "junk-last": grades("a document of grade -1 below a relevant one", [1, -1], cutoffs=(None, 1)),
    "junk-only": grades("nothing but a document of grade -1", [-1, _]),
    "unjudged-first": grades("a document that nobody judged on top of a relevant one", [_, 1], cutoffs=(None, 1)),
    "unjudged-between": grades("a document that nobody judged between two relevant ones", [1, _, 1], cutoffs=(None, 2)),
    "unjudged-and-bad": grades("an unjudged and a bad document above a relevant one", [_, 0, 1], [1, 0], cutoffs=(None, 2)),
    "bad-above": grades("two bad documents above a relevant one, a third was missed", [0, 0, 1], [0, 1], cutoffs=(None, 2)),
    "fractions": grades("grades that are no whole numbers", [0.5, 1.5], cutoffs=(None, 1)),
    "fraction-above-bad": grades("a grade of 1.5 above a bad document", [1.5, 0]),
    "fractions-below-1": grades("grades between 0 and 1", [0.5, 1, 0.25], cutoffs=(None, 2)),
    "recall-of-seven-tenths": grades("of three relevant documents, two stand first and one fourth", [1, 1, 0, 1]),
    "recall-of-a-third": grades("three relevant documents, at ranks 2, 3 and 6", [0, 1, 1, 0, 0, 1]),
    "four-relevant": grades("four relevant documents, at ranks 1, 3, 4 and 6", [1, 0, 1, 1, 0, 1]),
}  # fmt: skip

COLLECTIONS = {
    "tie": rows("a relevant document ties with a bad one that has the greater id", "q d1 1; q d2 0", "q d1 5; q d2 5", (None, 1)),
    "tie-bad-given-first": rows("the same, the bad one given first, and the relevant one has the greater id", "q d2 1; q d1 0", "q d1 5; q d2 5", (None, 1)),
    "tie-of-three": rows("three documents tie, the second given is relevant, and a bad one has the greatest id", "q d2 1; q d1 0; q d3 0", "q d1 5; q d2 5; q d3 5", (None, 1, 2)),
    "tie-of-three-graded": rows("three grades tie", "q d2 3; q d1 1; q d3 0", "q d1 5; q d2 5; q d3 5", (None, 1, 2)),
    "tie-of-two-relevant": rows("two relevant documents and a bad one tie", "q d2 1; q d1 1; q d3 0", "q d1 5; q d3 5; q d2 5", (None, 1, 2)),
    "tie-below-a-hit": rows("a tie below a relevant document", "q d1 1; q d2 1; q d3 0", "q d1 9; q d3 5; q d2 5", (None, 2)),
    "tie-with-unjudged": rows("a relevant, a bad and an unjudged document tie", "q d2 1; q d1 0", "q d1 5; q d2 5; q d3 5", (None, 1, 2)),
    "unanswered": rows("the second query is not answered", "q1 d1 1; q2 d1 1", "q1 d1 5", (None, 1)),
    "unanswered-half": rows("the second query is not answered, the first half", "q1 d1 1; q1 d2 1; q2 d1 1", "q1 d1 5; q1 d3 4", (None, 1, 2)),
    "unanswered-and-nothing": rows("the second query is not answered, the third has nothing relevant", "q1 d1 1; q2 d1 1; q3 d1 0", "q1 d1 5; q3 d1 5", (None, 1)),
    "nothing-relevant-in-one": rows("the second query has nothing relevant", "q1 d1 1; q2 d1 0", "q1 d1 5; q2 d1 5", (None, 1)),
    "nothing-relevant-nor-answered": rows("the second query has nothing relevant, and is not answered", "q1 d1 1; q2 d1 0", "q1 d1 5", (None, 1)),
    "no-judgment-at-all": rows("all judgments of the second query are -1, and it is not answered", "q1 d1 1; q2 d1 -1", "q1 d1 5", (None, 1)),
    "no-hit-in-one": rows("the second query has no hit", "q1 d1 1; q2 d1 1", "q1 d1 5; q2 d2 5", (None, 1)),
    "different-queries": rows("two queries, hits at ranks 1 and 3", "q1 d1 1; q2 d3 1", "q1 d1 5; q2 d1 5; q2 d2 4; q2 d3 3", (None, 2)),
    "query-without-judgments": rows("the run has a query that nobody judged", "q1 d1 1", "q1 d1 5; q2 d1 5", (None, 1)),
    "judged-elsewhere": rows("a document is judged for the other query only", "q1 d1 1; q2 d2 1", "q1 d1 5; q1 d2 4; q2 d2 5", (None, 1)),
    "near-scores": rows("two scores that are alike as 32-bit floats", "q d1 1; q d2 0", "q d1 1.00000001; q d2 1", (None, 1)),
    "near-scores-given": rows("two scores that are alike as 32-bit floats, the greater one last and relevant", "q d1 1; q d2 0", "q d2 1; q d1 1.00000001", (None, 1)),
    "twice-in-the-run": rows("a relevant document stands twice in the run, first below a bad one", "q d1 1; q d2 0", "q d1 3; q d2 5; q d1 9", (None, 1, 2)),
    "twice-in-the-run-best-first": rows("a relevant document stands twice in the run, the lower row last", "q d1 1; q d2 0", "q d1 9; q d2 5; q d1 3", (None, 1, 2)),
    "thrice-in-the-run": rows("a relevant document stands three times in the run", "q d1 1; q d2 0; q d3 0", "q d1 5; q d2 7; q d1 9; q d3 3; q d1 1", (None, 1, 2)),
    "twice-judged": rows("a document is judged twice, first as bad", "q d1 0; q d1 1; q d2 1", "q d1 5; q d2 3", (None, 1)),
    "twice-judged-graded": rows("a document is judged three times", "q d1 1; q d1 3; q d1 2; q d2 1", "q d2 5; q d1 3", (None, 1)),
    "twice-in-a-row": rows("a relevant document stands twice in a row", "q d1 1; q d2 1; q d3 0", "q d1 9; q d3 3; q d1 5", (None, 1, 2)),
    "bad-twice-above": rows("a bad document stands twice above a relevant one", "q d1 1; q d2 0", "q d2 9; q d2 7; q d1 5", (None, 1, 2)),
    "twice-judged-falling": rows("a document is judged twice, first as relevant", "q d1 1; q d1 0", "q d1 5; q d2 3", (None, 1)),
    "twice-judged-junk": rows("a document is judged twice, first with -1", "q d1 -1; q d1 1", "q d1 5; q d2 3", (None, 1)),
    "unjudged-twice": rows("an unjudged document stands twice in the run", "q d1 1", "q d1 7; q d2 9; q d2 5", (None, 1, 2)),
    "tie-unjudged-given-first": rows("an unjudged document ties with a relevant one that has the greater id", "q d2 1", "q d1 5; q d2 5", (None, 1)),
    "near-scores-unjudged": rows("scores that are alike as 32-bit floats, the greater one judged", "q d1 1", "q d2 1; q d1 1.00000001", (None, 1)),
    "zero-score-alone": rows("the only document has the score 0", "q d1 1", "q d1 0", (None, 1)),
    "zero-score-judged": rows("the only judged document has the score 0", "q d1 1", "q d2 1; q d1 0", (None, 1, 2)),
    "zero-scores": rows("the relevant document has the score 0", "q d1 1; q d2 0", "q d2 1; q d1 0", (None, 1)),
    "given-order-of-grades": rows("the judgments are given worst first", "q d1 1; q d2 3", "q d2 5; q d1 3", (None, 1)),
}  # fmt: skip

LABELS = {
    "one-pair": Input("one pair, in order", {"labels": [1, 0], "scores": [2, 1]}),
    "one-pair-tied": Input("one pair, tied", {"labels": [1, 0], "scores": [1, 1]}),
    "graded-labels": Input("labels of 0, 1 and 2", {"labels": [2, 1, 0, 1], "scores": [4, 1, 2, 3]}),
    "one-class": Input("no negative", {"labels": [1, 1], "scores": [2, 1]}),
}
GROUPS = {
    "two-groups": Input("a group of two and one of four", {"labels": [0, 1, 1, 0, 0, 1], "scores": [2, 1, 4, 3, 2, 1], "groups": ["ann", "ann", "bob", "bob", "bob", "bob"]}),
    "more-positives": Input("groups that differ in size and in positives", {"labels": [0, 1, 0, 0, 1, 1], "scores": [3, 2, 1, 0, 2, 1], "groups": ["ann", "ann", "ann", "bob", "bob", "bob"]}),
    "one-class-group": Input("the second group has no negative", {"labels": [1, 0, 1], "scores": [2, 1, 1], "groups": ["ann", "ann", "bob"]}),
    "graded-groups": Input("labels of 0, 1 and 2", {"labels": [2, 1, 0, 1, 0, 2], "scores": [3, 2, 1, 2, 1, 0], "groups": ["ann", "ann", "ann", "bob", "bob", "bob"]}),
}  # fmt: skip
