"""Simulate how often the intervals of survey regression contain the true mean.

Run `python benchmarks/coverage.py`. It prints a Markdown table of 2,000 experiments for each case and number of
queries with judgments of people; a model judges 200 queries. Width: relative to Student's interval of people only."""
import numpy as np
from scipy.stats import t

from irmetrics_nb.evaluation.estimation import survey_regression

EXPERIMENTS, TOTAL = 2000, 200


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


TRUTH = {normal: 0.5, biased: 0.5, skewed: 1 / 9, reciprocal: 0.2 * (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5}

if __name__ == "__main__":
    print("| values | n | coverage | people only | width |\n|---|---|---|---|---|")
    for draw, truth in TRUTH.items():
        for n in (10, 20, 50):
            rng = np.random.default_rng(n)
            rows = []
            for _ in range(EXPERIMENTS):
                y, h = draw(rng)
                _, low, high, _ = survey_regression(y[:n], h[:n], h)
                reach = t.ppf(0.975, n - 1) * y[:n].std(ddof=1) / n**0.5
                rows.append((low <= truth <= high, abs(y[:n].mean() - truth) <= reach, high - low, 2 * reach))
            covered, alone, width, usual = np.nanmean(np.array(rows, float), axis=0)
            print(f"| {draw.__name__} | {n} | {100 * covered:.1f} % | {100 * alone:.1f} % | {width / usual:.2f} |")
