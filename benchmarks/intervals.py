"""Simulate how often the intervals of survey regression contain the true mean.

Run `python benchmarks/intervals.py` (half a minute). It prints a Markdown table of 2,000 experiments for each case and
number of queries with judgments of people; a model judges 200 queries. If all values are equal, there is no
interval, which counts as a miss. Width: relative to Student's interval of people only."""
import numpy as np
from scipy.stats import t

from irmetrics_nb.evaluation.estimation import survey_regression

EXPERIMENTS, TOTAL, SIZES = 2000, 200, (10, 20, 50)
MEAN_RR = 0.2 * (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5


def normal(rng):
    "Normal values, and a good model."
    y = rng.normal(0.5, 0.2, TOTAL)
    return y, y + rng.normal(0, 0.1, TOTAL)


def biased(rng):
    "Values in [0, 1], and a model that is too generous."
    y = rng.beta(2, 2, TOTAL)
    return y, y**0.5 + rng.normal(0, 0.1, TOTAL)


def skewed(rng):
    "Values near 0, and a model with skewed errors."
    y = rng.beta(0.5, 4, TOTAL)
    return y, np.minimum(y + rng.exponential(0.1, TOTAL), 1)


def reciprocal(rng):
    "RR with 80 % zeros; the model finds another document in a quarter of the queries."
    y = np.where(rng.random(TOTAL) < 0.8, 0, 1 / rng.integers(1, 6, TOTAL))
    return y, np.where(rng.random(TOTAL) < 0.25, 1 / rng.integers(1, 6, TOTAL), y)


def uninformed(rng):
    "Values in [0, 1], and a model that guesses."
    return rng.beta(2, 2, TOTAL), rng.beta(2, 2, TOTAL)


def difference_normal(rng):
    "Two systems whose values depend on the query; the second is 0.05 better. A good model."
    query = rng.normal(0.5, 0.2, TOTAL)
    a, b = query + rng.normal(0, 0.1, TOTAL), query + rng.normal(0.05, 0.1, TOTAL)
    return b - a, b - a + rng.normal(0, 0.1, TOTAL)


def difference_favoured(rng):
    "Two equal systems; the model favours the second, most of all where its value is low."
    a, b = rng.beta(2, 2, TOTAL), rng.beta(2, 2, TOTAL)
    return b - a, b**0.5 - a + rng.normal(0, 0.1, TOTAL)


def difference_rr(rng):
    "RR of two equal systems that often have the same values; the model is wrong for the second in a quarter of them."
    a = np.where(rng.random(TOTAL) < 0.4, 0, 1 / rng.integers(1, 6, TOTAL))
    b = np.where(rng.random(TOTAL) < 0.3, rng.permutation(a), a)
    return b - a, np.where(rng.random(TOTAL) < 0.25, 1 / rng.integers(1, 6, TOTAL), b) - a


def difference_rare(rng):
    "The second system is better in a tenth of the queries, by up to 1, and slightly worse in the others."
    y = np.where(rng.random(TOTAL) < 0.1, rng.random(TOTAL), rng.normal(-0.02, 0.02, TOTAL))
    return y, y + rng.normal(0, 0.05, TOTAL)


def difference_uninformed(rng):
    "RR of two equal systems, and a model that guesses."
    y, _ = difference_rr(rng)
    return y, rng.permutation(y)


TRUTH = {normal: 0.5, biased: 0.5, skewed: 1 / 9, reciprocal: MEAN_RR, uninformed: 0.5, difference_normal: 0.05,
         difference_favoured: 0, difference_rr: 0, difference_rare: 0.1 * 0.5 - 0.9 * 0.02, difference_uninformed: 0}


def experiments(draw, truth, n):
    "Return (coverage, coverage of people only, relative width) in percent, percent and as a ratio."
    rng = np.random.default_rng(n)
    quantile = t.ppf(0.975, n - 1)
    rows = []
    for _ in range(EXPERIMENTS):
        y, h = draw(rng)
        people = y[:n]
        _, low, high, _ = survey_regression(people, h[:n], h)
        reach = quantile * people.std(ddof=1) / n**0.5
        rows.append((low <= truth <= high, abs(people.mean() - truth) <= reach, high - low, 2 * reach))
    covered, alone, width, usual = np.array(rows, float).T
    known = ~np.isnan(width)
    return 100 * covered.mean(), 100 * alone.mean(), width[known].mean() / usual[known].mean()


if __name__ == "__main__":
    sizes = ", ".join(map(str, SIZES))
    print(f"| values | coverage in % (n = {sizes}) | people only | width |\n|---|---|---|---|")
    for draw, truth in TRUTH.items():
        columns = zip(*(experiments(draw, truth, n) for n in SIZES), strict=True)
        formats = zip(columns, (".1f", ".1f", ".2f"), strict=True)
        cells = [", ".join(f"{x:{form}}" for x in column) for column, form in formats]
        print("|", " | ".join([draw.__name__.replace("_", " of "), *cells]), "|", flush=True)
