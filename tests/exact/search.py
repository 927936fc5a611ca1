"""Small judgments and runs at random: do they tell apart what the inputs by name do not?

    PYTHONPATH=tests python -m exact.search [--tries 300] [measures]

Prints, for each pair of names that only a random case tells apart, the cheapest such case: give it a name in inputs.py.
It also prints pairs that a random list tells apart, and the inputs by name only as judgments and a run."""

import argparse
import random
from itertools import combinations

from exact.choice import AT_RECALL, MULTIPLES, Case, candidates, first_tiers, names, never_differ, tried
from exact.measures import MEASURES

GRADES = 0, 0, 1, 1, 2, 3, -1, 0.5, 1.5
SCORES = 0, 1, 1, 2, 3, 1.00000001
DOCUMENTS = "d1", "d2", "d3", "d4"


def random_list(rng):
    retrieved = [rng.choice(GRADES), *(rng.choice((*GRADES, None)) for _ in range(rng.randint(0, 4)))]
    rng.shuffle(retrieved)
    missed = [rng.choice(GRADES) for _ in range(rng.choice((0, 0, 1, 2)))]
    return {"grades": retrieved, "missed": missed}


def random_collection(rng):
    judgments, run = [], []
    queries = [f"q{i}" for i in range(1, rng.choice((1, 1, 2, 3)) + 1)]
    for query in queries:
        judgments += [[query, d, rng.choice(GRADES)] for d in rng.sample(DOCUMENTS, rng.randint(1, 3))]
        if query == "q1" or rng.random() < 0.7:
            run += [[query, d, rng.choice(SCORES)] for d in rng.sample(DOCUMENTS, rng.randint(1, 4))]
    if rng.random() < 0.2:
        run.append(["q9", "d1", 1])
    for rows in (judgments, run):
        if rng.random() < 0.2:
            query, document, _ = rng.choice(rows)
            rows.append([query, document, rng.choice((0, 1, 2, 4))])
    return {"judgments": judgments, "run": run}


def random_labels(rng, grouped):
    n = rng.randint(2, 7)
    data = {"labels": [rng.choice((0, 1, 2)) for _ in range(n)], "scores": [rng.randint(1, 3) for _ in range(n)]}
    return data | ({"groups": [rng.choice(("ann", "bob", "cy")) for _ in range(n)]} if grouped else {})


def random_cases(measure, tries, seed=0):
    rng = random.Random(f"{measure}{seed}")
    for number in range(tries):
        if MEASURES[measure].input == "labels":
            data = random_labels(rng, measure == "GAUC")
        elif MEASURES[measure].input == "list" or number % 3 == 0:
            data = random_list(rng)
        else:
            data = random_collection(rng)
        parameter = MEASURES[measure].cutoff or "k"
        cutoffs = {"recall": AT_RECALL, "multiple": MULTIPLES, "k": (None, 1, 2, 3, 5)}[parameter]
        cutoff = rng.choice(cutoffs) if MEASURES[measure].cutoff else None
        yield Case(f"random {number}", "", ({} if cutoff is None else {parameter: cutoff}) | data)


def with_found(measure, every, computed, tries=10_000):
    "Cases that were tried, and random ones for the pairs that none of them tells apart and that can differ."
    apart = set().union(*(each.apart for each in every))
    groups = [set(group) for group, _ in never_differ(measure, computed)]
    left = {pair for pair in combinations(computed, 2) if pair not in apart and not any(set(pair) <= group for group in groups)}
    found, cases = list(every), random_cases(measure, tries if left else 0)
    for case in cases:
        named = {name: computed[name] for pair in left for name in pair}
        (each,) = tried(measure, [case], named)
        if any(each.apart & {pair, pair[::-1]} for pair in left):
            found += tried(measure, [case._replace(about="found by a search at random")], computed)
            left -= found[-1].apart
        if not left:
            break
    return found


def news(measure, tries, seed=0):
    "{pair: case} of what is told apart by a random case, and by no input of its tier that has a name."
    computed = names(measure).computed
    known = first_tiers(tried(measure, candidates(measure), computed))
    found = {}
    for each in tried(measure, random_cases(measure, tries, seed), computed):
        for pair in each.apart:
            before = found.get(pair)
            if each.case.tier >= known.get(pair, 9):
                continue
            if before is None or (each.case.tier, each.case.cost) < (before.tier, before.cost):
                found[pair] = each.case
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measures", nargs="*", default=list(MEASURES))
    parser.add_argument("--tries", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    for measure in args.measures:
        found = news(measure, args.tries, args.seed)
        print(f"{measure}: {len(found)} pairs that no input by name tells apart, or only in a later tier")
        by_case = {}
        for pair, case in found.items():
            by_case.setdefault((case.tier, case.cost, case.name), (case, []))[1].append(pair)
        for _, (case, pairs) in sorted(by_case.items(), key=lambda item: item[0]):
            print(f"  tier {case.tier}: {case.data}")
            print("    " + "; ".join(f"{a} | {b}" for a, b in pairs[:6]) + (f" and {len(pairs) - 6} more" if len(pairs) > 6 else ""))


if __name__ == "__main__":
    main()
