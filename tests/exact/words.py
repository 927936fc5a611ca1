"What each measure is, in a sentence."

MEASURES = {
    "P": ("precision", "The relevant documents of the top k, divided by k; without a cutoff by the number retrieved."),
    "R": ("recall", "The relevant documents of the top k, divided by R, all relevant documents there are."),
    "F": ("F measure", "(1 + beta^2) P R / (beta^2 P + R) of the precision and the recall of the top k."),
    "Success": ("success", "1 if the top k holds a relevant document, else 0."),
    "Rprec": ("R-precision", "The precision of the top R, where R documents are relevant."),
    "Judged": ("judged share", "The documents of the top k that anybody judged, divided by the documents there."),
    "SetP": ("set precision", "The relevant documents retrieved, divided by the documents retrieved."),
    "SetR": ("set recall", "The relevant documents retrieved, divided by R."),
    "SetF": ("set F measure", "The F measure of all that was retrieved."),
    "SetAP": ("set average precision", "Set precision times set recall."),
    "AP": ("average precision", "The precision at the rank of each relevant document of the top k, summed, divided by R."),
    "GMAP": ("geometric mean of average precision", "AP; the geometric mean over the queries, values below 0.00001 as 0.00001."),
    "IPrec": (
        "interpolated precision",
        "The best precision at this recall or a higher one; without a recall the mean over 0, 0.1, 0.2 … 1.",
    ),
    "Bpref": (
        "binary preference",
        "The mean over the R relevant documents of 1 - min(n, R) / min(R, N): n of the N documents judged not relevant "
        "stand above it. One that was not retrieved adds 0.",
    ),
    "GMBpref": ("geometric mean of bpref", "Bpref; the geometric mean over the queries, values below 0.00001 as 0.00001."),
    "CG": ("cumulated gain", "The gains of the top k, summed."),
    "DCG": ("discounted cumulated gain", "The gain of each document of the top k, divided by log2(rank + 1), summed."),
    "nDCG": (
        "normalised discounted cumulated gain",
        "DCG, divided by the DCG of the ideal ranking: all judged documents, the largest gain first, cut at k.",
    ),
    "RR": ("reciprocal rank", "1 / rank of the first relevant document, if it stands in the top k."),
    "ERR": (
        "expected reciprocal rank",
        "The expected 1 / rank at which a reader stops, who stops at a document of grade g with probability "
        "(2^g - 1) / 2^G; G is the largest grade of all judgments.",
    ),
    "RBP": ("rank-biased precision", "(1 - p) times the sum of p^(rank - 1) over the relevant documents of the top k."),
    "NumRet": ("number retrieved", "How many documents were retrieved; the sum over the queries."),
    "NumRel": ("number relevant", "How many documents are relevant; the sum over the queries."),
    "NumRelRet": ("number relevant and retrieved", "How many documents of the top k are relevant; the sum over the queries."),
    "Fallout": (
        "fall-out",
        "The documents of the top k that are not relevant, divided by all such: judged so, or unjudged in the list.",
    ),
    "AUC": ("area under the ROC curve", "The share of pairs of a positive and a negative in which the positive scores higher; a tie is half."),
    "GAUC": ("group AUC", "The mean AUC of the groups that have a positive and a negative."),
}  # fmt: skip
