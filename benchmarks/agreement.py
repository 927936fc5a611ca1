"""How often do the bootstrap ranges of `agreement` contain the true correlation of two judges?

    python benchmarks/agreement.py [experiments]

An experiment draws queries and the values of systems by two judges, who share most of the noise of a value (SD 0.2
shared, 0.1 of each judge). The true correlation is that of the expected means. Friendly: the expected means are far
apart. Unfriendly: they are close, so that chance decides the order of many systems. Tied: the expected means of pairs
of systems are equal, so no sample has the true correlation.
"""
import sys

import numpy as np

from irmetrics_nb.preparing.judges import correlate, tau_ap, tau_b

SHAPES = {"friendly": 0.3, "unfriendly": 0.05, "tied": 0.1}


def draw(random, shape, n_systems, n_queries):
    "Return the values by judge a and by judge b, and the expected means."
    means = random.uniform(0.5 - SHAPES[shape] / 2, 0.5 + SHAPES[shape] / 2, n_systems)
    if shape == "tied":
        means[1::2] = means[: n_systems // 2 * 2 : 2]
    favoured = np.where(np.arange(n_systems) < 2, SHAPES[shape] / 2, 0)  # by judge b
    expected = np.stack([means, means + favoured])
    queries = random.normal(0, 0.2, n_queries)  # easy and hard queries
    shared = random.normal(0, 0.2, (n_systems, n_queries))
    noise = random.normal(0, 0.1, (2, n_systems, n_queries))
    return expected[..., None] + queries + shared + noise, expected


def coverage(shape, n_systems, n_queries, experiments):
    "Return the share of intervals that contain the true value, for tau and tau_AP, and the mean true and observed tau."
    random = np.random.default_rng(7)
    inside, taus = [], []
    for number in range(experiments):
        (a, b), (x, y) = draw(random, shape, n_systems, n_queries)
        found = correlate(a, b, number)
        truth = [function(x[:, None], y[:, None])[0] for function in (tau_b, tau_ap)]
        inside.append([low <= true <= high for true, (_, low, high) in zip(truth, found.values())])
        taus.append([truth[0], found["tau"][0]])
    return *np.mean(inside, axis=0), *np.mean(taus, axis=0)


if __name__ == "__main__":
    experiments = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("| means | systems | queries | tau | tau_AP | mean true tau | mean observed tau |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for shape in SHAPES:
        for n_systems, n_queries in (6, 50), (20, 50), (20, 200):
            tau, ap, *means = coverage(shape, n_systems, n_queries, experiments)
            cells = f"{tau:.1%}", f"{ap:.1%}", *(f"{mean:.2f}" for mean in means)
            print("|", " | ".join([shape, str(n_systems), str(n_queries), *cells]), "|", flush=True)
