"How many queries an experiment needs: against statsmodels, published tables, scipy and simulation."
import json
import re
import warnings
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from helpers import irmetrics
from scipy import stats

from irmetrics_nb import EvaluationWarning, Scores, compare, evaluate, how_many, load_example
from irmetrics_nb.comparing.gate import ASSUMED, queries_needed, t_power
from irmetrics_nb.comparing.statistics import detectable

# effect size, power, alpha: TTestPower().solve_power(size, alpha=alpha / 2, power=power, alternative='larger') of statsmodels 0.15, up
STATSMODELS = {
    (.02 / .15, .8, .05): 444, (.02 / .15, .8, .01): 661, (.02 / .15, .95, .005): 1119, (.02 / .15, .5, .05): 219,
    (.2, .8, .05): 199, (.2, .95, .01): 449, (.2, .5, .005): 201, (.5, .8, .05): 34, (.5, .95, .05): 54, (.5, .5, .01): 30,
    (.8, .8, .05): 15, (.8, .95, .01): 32, (.8, .5, .05): 9, (1.5, .8, .05): 6, (1.5, .95, .005): 13, (1.5, .5, .05): 4,
    (.05, .8, .05): 3142, (.05, .95, .005): 7932, (.05, .5, .01): 2658, (3, .8, .05): 4, (3, .95, .01): 6}


@pytest.mark.parametrize('asked', STATSMODELS, ids=str)
def test_number_of_queries_equals_statsmodels(asked):
    size, power, alpha = asked
    assert queries_needed(size, 1, power=power, alpha=alpha) == STATSMODELS[asked]
    assert how_many(size / 8, deviation=1 / 8, power=power, alpha=alpha).queries == STATSMODELS[asked]


def test_power_equals_scipy_noncentral_t_and_a_simulation():
    random = np.random.default_rng(5)
    for size, n in (.02 / .15, 50), (.5, 34), (1, 3), (.3, 12):
        critical = stats.t.isf(.025, n - 1)
        assert t_power(size, 1, n) == pytest.approx(stats.nct.sf(critical, n - 1, size * n**.5), abs=1e-10)
        drawn = random.normal(size, 1, (20_000, n))
        t = drawn.mean(axis=1) / drawn.std(axis=1, ddof=1) * n**.5
        assert t_power(size, 1, n) == pytest.approx(np.mean(t > critical), abs=4 * .5 / 20_000**.5)


def test_the_number_is_the_smallest_with_enough_power_and_never_below_three():
    random = np.random.default_rng(6)
    for size, power, alpha in zip(random.uniform(.02, 3, 40), random.uniform(.3, .99, 40), random.uniform(.001, .2, 40)):
        n = queries_needed(size, 1, power=power, alpha=alpha)
        assert t_power(size, 1, n, alpha=alpha) >= power
        assert n == 3 or t_power(size, 1, n - 1, alpha=alpha) < power
    assert queries_needed(1e6, 1) == 3


@pytest.mark.parametrize('n', [3, 5, 17, 50, 400])
def test_the_detectable_difference_of_a_sample_needs_as_many_queries_as_it_has(n):
    d = np.random.default_rng(n).beta(.5, .5, n) - .5
    for power, alpha in (.8, .05), (.9, .01):
        plan = how_many(detectable(d, power=power, alpha=alpha), d, power=power, alpha=alpha)
        assert (plan.queries, plan.present) in ((n, n), (n + 1, n))  # where the last digit of a float is above
        assert plan.present_power == pytest.approx(power, abs=1e-5)


def test_a_pilot_is_a_comparison_scores_numbers_or_differences_and_its_most_variable_pair_counts():
    example = load_example()
    runs = {name: example.runs[name] for name in ('bm25', 'lsa', 'title')}
    scores = evaluate(example.qrels, runs, 'AP nDCG@10')
    assert isinstance(scores, Scores)
    by_query = {name: dict(zip(scores.query_ids, row)) for name, row in zip(runs, scores.values[:, 1].tolist())}
    deviations = [np.std(a - b, ddof=1) for a, b in combinations(scores.values[:, 1], 2)]
    for pilot, measure in (scores, 'nDCG@10'), (compare(scores), 'nDCG@10'), (by_query, None), (compare(scores, measures='nDCG@10'), None):
        plan = how_many(.05, pilot, measure=measure)
        assert plan.deviation == pytest.approx(max(deviations)) and plan.present == 36
    a, b = scores.values[:2, 1]
    assert how_many(.05, b - a).deviation == pytest.approx(deviations[0])
    assert how_many(.05, [*(b - a), np.nan]).present == 36


def test_the_upper_limit_of_a_pilot_covers_in_80_of_100_pilots():
    random = np.random.default_rng(7)
    upper = [how_many(.5, random.normal(size=9)).upper for _ in range(4000)]
    assert np.mean(np.array(upper) > 1) == pytest.approx(.8, abs=4 * .4 / 4000**.5)
    plan = how_many(.5, random.normal(size=9))
    assert plan.careful == how_many(.5, deviation=plan.upper).queries > plan.queries


def test_without_a_pilot_a_usual_deviation_is_assumed_and_a_large_one_named():
    plan = how_many(.7 - .68, queries=50)
    assert (plan.lower, plan.deviation, plan.upper) == ASSUMED
    assert plan.present_power == pytest.approx(t_power(.02, .3, 50))
    assert plan.careful == queries_needed(.02, .5)
    printed = ' '.join(repr(plan).split())
    assert '50 queries find it in 7 of 100' in printed
    assert 'is not from your data, but from the example collection: it may be 0.5' in printed
    # 198.2 of statsmodels
    assert plan.hopeful == 199 and 'or 0.1, as between variants of one system, and then 199' in printed


def bm25(example, k1, b):
    "Rank the documents of the example collection by BM25."
    words = {row['doc_id']: re.findall(r'\w+', f'{row["title"]} {row["text"]}'.lower()) for row in example.documents.iter_rows(named=True)}
    counts = {doc: Counter(text) for doc, text in words.items()}
    documents_with = Counter(word for count in counts.values() for word in count)
    length = np.mean([len(text) for text in words.values()])
    run = {}
    for query, text, _ in example.topics.iter_rows():
        scores = run[query] = {}
        for word in re.findall(r'\w+', text.lower()):
            rarity = np.log(1 + (len(words) - documents_with[word] + .5) / (documents_with[word] + .5))
            for doc, count in counts.items():
                norm = k1 * (1 - b + b * len(words[doc]) / length)
                if count[word]: scores[doc] = scores.get(doc, 0) + rarity * count[word] * (k1 + 1) / (count[word] + norm)
    return run


def test_variants_of_one_system_have_the_lower_assumed_deviation():
    example = load_example()
    runs = {f'{k1} {b}': bm25(example, k1, b) for k1, b in ((1.2, .75), (.9, .4), (2, .75), (1.2, .3), (1.2, 1))}
    values = evaluate(example.qrels, runs, 'nDCG@10 AP RR P@10').values
    deviations = [np.std(a - b, axis=1, ddof=1) for a, b in combinations(values, 2)]
    assert np.median(deviations) == pytest.approx(ASSUMED[0], abs=.02)
    assert np.min(deviations) == pytest.approx(.03, abs=.005) and np.max(deviations) == pytest.approx(.25, abs=.01)


@pytest.mark.parametrize(('means', 'number'), [((25.1, 24.0), '25.1'), ((1.2, .9), '1.2'), ((-3, -2.5), '-3'), ((25.1, 25), '25.1')])
def test_means_on_another_scale_need_their_own_deviation(means, number):
    with pytest.warns(EvaluationWarning, match=f'{number} is above 1, but the assumed standard deviation of 0.3 is for measures from 0 to 1; divide perc'):
        how_many(means=means)
    with pytest.warns(EvaluationWarning, match='such as DCG'): how_many(1.1)
    with warnings.catch_warnings(action='error'):
        how_many(means=means, deviation=5)
        how_many(means=(1, 0))


def test_a_published_difference_is_found_less_often_if_half_is_true():
    plan = how_many(means=(.70, .68), deviation=.2, queries=50)
    critical = stats.t.isf(.025, 49)
    assert plan.half_power == pytest.approx(stats.nct.sf(critical, 49, .01 / .2 * 50**.5), abs=1e-9)
    printed = ' '.join(repr(plan).split())
    assert 'Published differences are often larger than the true ones. If half of this difference is true, 50 queries find it in 5 of 100' in printed
    assert 'If half of this difference is true, 787 queries find it in 29 of 100' in ' '.join(repr(how_many(means=(.70, .68), deviation=.2)).split())
    assert 'Published' not in repr(how_many(.02, deviation=.2, queries=50))


def test_a_pilot_names_its_most_variable_pair():
    same, other = {'q': 0, 'r': .5, 's': 1}, {'q': .1, 'r': .5, 's': .8}
    far = {'q': 1, 'r': .5, 's': .25}
    plan = how_many(.1, {'A': same, 'B': other, 'C\n': far})
    assert plan.pair == 'A and C\\n'
    assert 'the differences of single queries between A and C\\n have a standard deviation of 0.878' in ' '.join(repr(plan).split())
    assert how_many(.1, [.1, .2, .4]).pair is None


def test_without_a_difference_a_plan_gives_the_detectable_one():
    plan = how_many(queries=500, deviation=.1)
    assert stats.nct.sf(stats.t.isf(.025, 499), 499, plan.difference / .1 * 500**.5) == pytest.approx(.8, abs=1e-6)
    assert ' '.join(repr(plan).split()).startswith('500 queries find a true difference of 0.01255 in 80 of 100 such experiments, if')
    d = np.random.default_rng(2).normal(size=40)
    assert how_many(pilot=d).difference == pytest.approx(detectable(d))


def test_a_percentage_is_of_the_baselines_mean_as_in_the_gate():
    old, new = {'q': .2, 'r': .4, 's': .9}, {'q': .1, 'r': .5, 's': .8}  # of 0.5
    assert how_many('2%', {'old': old, 'new': new}).difference == pytest.approx(.01)
    pilot = compare({'new': new, 'old': old}, baseline='old')
    assert how_many('2%', pilot).difference == how_many(' -2% ', pilot).difference == pytest.approx(.01)
    assert how_many('0.02', pilot).to_dict() == how_many(-.02, pilot).to_dict()


def test_the_upper_limit_of_a_pilot_is_called_one_sided():
    assert 'its upper limit (one-sided, 80 %) is' in ' '.join(repr(how_many(.5, [.1, .2, .4, .8])).split())


def test_several_pairs_share_the_level():
    assert how_many(.02, deviation=.15, pairs=10).queries == 753  # 752.8 of statsmodels, at alpha = 0.005


def test_a_plan_prints_and_converts_like_other_results(tmp_path):
    plan = how_many(-.02, deviation=.15, queries=50)
    assert json.loads(plan.to_json())['queries'] == 444 and plan.to_polars()['present_power'][0] == pytest.approx(.1502, abs=1e-4)
    assert 'find it in 15 of 100' in plan.to_markdown() and 'The standard deviation' not in repr(plan)
    plan.save(tmp_path / 'plan.csv')
    assert (tmp_path / 'plan.csv').read_text().startswith('queries,power,')


@pytest.mark.parametrize(('call', 'says'), [
    (lambda: how_many(0, deviation=1), 'a billion queries are too few to find a difference of 0; plan'),
    (lambda: how_many(float('nan'), deviation=1), 'difference must be a number such as 0.02, or a percentage such as 2%, not nan'),
    (lambda: how_many(.1, power=80), 'not 0.05, 80 and 1'),
    (lambda: how_many(.1, alpha=1.5), 'not 1.5, 0.8 and 1'), (lambda: how_many(.1, pairs=0), 'not 0.05, 0.8 and 0'),
    (lambda: how_many(.1, deviation=-1), 'deviation must be above 0, not -1'),
    (lambda: how_many(.1, deviation=0), 'deviation must be above 0, not 0'),
    (lambda: how_many(.1, deviation=float('nan')), 'deviation must be above 0, not nan'),
    (lambda: how_many(.1, queries=2), 'queries must be 3 or more, not 2'),
    (lambda: how_many(.1, queries=0), 'queries must be 3 or more, not 0'),
    (lambda: how_many(.1, [.1, .2, .4], deviation=.2), 'give a pilot or deviation=, not both'),
    (lambda: how_many(.1, [.1, .2, .4], deviation=0), 'give a pilot or deviation=, not both'),
    (lambda: how_many(.1, [.1, .2, .4], queries=0), 'queries must be 3 or more, not 0'),
    (lambda: how_many(.1, [.1, .1, .1, .1]), 'no standard deviation'),
    (lambda: how_many(.1, [.1, .2]), 'needs 3 queries or more'),
    (lambda: how_many(.1, []), 'needs 3 queries or more'),
    (lambda: how_many(.1, [.1, np.inf, .2]), 'infinite'),
    (lambda: how_many(1e-9, deviation=1), 'a billion queries are too few'),
    (lambda: how_many(.1, {'A': {'q': 1, 'r': 2, 's': .5}}), 'two or more systems'),
    (lambda: how_many(.1, {'A': {'q': 1}, 'B': {'r': 2}}), 'needs 3 queries or more'),
    (lambda: how_many('2 percent', deviation=1), "difference must be a number such as 0.02, or a percentage such as 2%, not '2 percent'"),
    (lambda: how_many('2%', deviation=1), '2% of what is unknown: without a pilot of two systems there is no baseline'),
    (lambda: how_many('2%', [.1, .2, .4]), '2% of what is unknown'),
    (lambda: how_many(), 'give difference, means or queries'), (lambda: how_many(deviation=1), 'give difference, means or queries'),
    (lambda: how_many(.1, means=(.5, .4)), 'give either difference or means, not both'),
])  # fmt: skip
def test_what_cannot_be_planned_is_an_error_that_names_it(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_normal_and_discrete_differences_reach_the_power_and_rare_losses_do_not():
    random = np.random.default_rng(8)
    size = 4000, 199
    shapes = {
        'normal': random.normal(size=size), 'fifths': (random.binomial(5, .5, size) - random.binomial(5, .5, size)) / 2.5**.5,
        'rare losses': (.05 - (random.random(size) < .05)) / (.05 * .95)**.5}
    found = {name: np.mean(stats.ttest_1samp(.2 + d, 0, axis=1, alternative='greater').pvalue < .025) for name, d in shapes.items()}
    assert found['normal'] == pytest.approx(.8, abs=.03) and found['fifths'] == pytest.approx(.8, abs=.03)
    assert found['rare losses'] < .75  # as the page says


def test_the_command_takes_a_pilot_a_deviation_or_two_published_means(tmp_path):
    folder = load_example().folder
    pilot = [folder / 'qrels.txt', folder / 'runs' / 'lsa.run.gz', folder / 'runs' / 'bm25.run.gz']
    done = irmetrics('power', *pilot, '--difference', '.1', '--format', 'json')
    told = json.loads(done.stdout)
    scores = evaluate(load_example().qrels, {name: load_example().runs[name] for name in ('lsa', 'bm25')}, 'nDCG@10')
    assert (done.returncode, told) == (0, how_many(.1, scores).to_dict())
    percent = irmetrics('power', *pilot, '--difference', '2%', '--format', 'json')
    assert json.loads(percent.stdout)['difference'] == pytest.approx(.02 * scores.values[0, 0].mean())
    printed = irmetrics('power', '--means', '0.70', '0.68', '--queries', '50').stdout
    assert printed == f'{how_many(means=(.7, .68), queries=50)!r}\n'
    percent = irmetrics('power', '--means', '25.1', '24.0')
    assert percent.returncode == 0 and '25.1 is above 1' in ' '.join(percent.stderr.split())
    assert '0.01255' in irmetrics('power', '--queries', '500', '--deviation', '.1').stdout
    assert irmetrics('power', '--difference', '.02', '--deviation', '.15', '--format', 'markdown').stdout.startswith('- 444 queries are needed')


@pytest.mark.parametrize(('args', 'says'), [
    ([], 'give difference, means or queries'), (['--difference', '.1', '--means', '.5', '.4'], 'give either difference or means'),
    (['--difference', '0'], 'too few to find a difference of 0;'), (['--difference', '.1', '--queries', '1'], 'queries must be 3 or more, not 1')])
def test_the_command_refuses_what_it_cannot_plan(args, says):
    done = irmetrics('power', *args)
    assert done.returncode == 2 and says in done.stderr
