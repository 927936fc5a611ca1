"The judgments are parsed once in a report, and a run once if its rows fit into the memory, otherwise at most twice."
import random

import pytest
from helpers import irmetrics

from irmetrics_nb import (
    Conventions,
    Qrels,
    Run,
    check,
    compare,
    evaluate,
    explain,
    explain_difference,
    nDCG,
    report,
)
from irmetrics_nb.data import text
from irmetrics_nb.explaining.arithmetic import from_run
from irmetrics_nb.explaining.explanation import explain_query


@pytest.fixture
def folder(tmp_path):
    "Judgments and three runs of 300 queries, as TREC files; each run is longer than the block that recognises it."
    draw = random.Random(5)
    queries = [f'q{i:03}' for i in range(300)]
    judgments = [f'{q} 0 d{i} {draw.randrange(3)}\n' for q in queries for i in range(8)]
    (tmp_path/'qrels.txt').write_text(''.join(judgments))
    for name in 'ab':
        lines = []
        for q in queries:
            ranked = enumerate(draw.sample(range(100), 60))
            lines += [f'{q} Q0 d{doc} {rank + 1} {60 - rank} {name}\n' for rank, doc in ranked]
        (tmp_path/f'{name}.run').write_text(''.join(lines))
    draw.shuffle(lines)
    (tmp_path/'shuffled.run').write_text(''.join(lines))
    return tmp_path


@pytest.fixture
def parsed(monkeypatch, folder):
    "How often the rows of each file were parsed, on average over its lines."
    lines = {}
    parse_piece = text.parse_piece
    def count(source, begin, end, layout):
        piece = parse_piece(source, begin, end, layout)
        lines[source.name] = lines.get(source.name, 0) + len(piece[1])
        return piece
    monkeypatch.setattr(text, 'parse_piece', count)
    def times(name):
        path = folder/name
        return lines.pop(str(path), 0) / len(path.read_text().splitlines())
    return times


def paths(folder, *names):
    return {name: folder/f'{name}.run' for name in names}


@pytest.mark.parametrize('options', [{}, {'checkup': False}, {'duplicates': 'first'}, {'conventions': 'beir'}, {'ties': 'average'}], ids=str)
def test_a_report_parses_each_file_once(folder, parsed, options):
    report(folder/'qrels.txt', paths(folder, 'a', 'b', 'shuffled'), 'AP nDCG@10', **options)
    assert [parsed(name) for name in ('qrels.txt', 'a.run', 'b.run', 'shuffled.run')] == [1, 1, 1, 1]


def test_a_report_of_one_run_parses_it_once(folder, parsed):
    report(folder/'qrels.txt', folder/'a.run')
    assert parsed('qrels.txt') == parsed('a.run') == 1


@pytest.mark.parametrize('options', [{}, {'checkup': False}, {'duplicates': 'first'}, {'conventions': 'beir'}], ids=str)
def test_a_report_parses_a_run_that_does_not_fit_into_the_memory_at_most_twice(folder, parsed, options):
    large = report(folder/'qrels.txt', paths(folder, 'a', 'b'), memory=200_000, **options)
    assert parsed('qrels.txt') == 1
    assert 1 < parsed('a.run') <= 2 and 1 < parsed('b.run') <= 2
    assert large.to_html() == report(folder/'qrels.txt', paths(folder, 'a', 'b'), **options).to_html()


@pytest.mark.parametrize('call', [
    lambda qrels, a, b: evaluate(qrels, {'a': a, 'b': b}),
    lambda qrels, a, b: compare(qrels, {'a': a, 'b': b}),
    lambda qrels, a, b: check(qrels, {'a': a, 'b': b}),
    lambda qrels, a, b: explain_difference('AP', qrels, a, b).query('q001'),
    lambda qrels, a, b: [explain('AP', qrels, a, 'q001', judgments='retrieved'), Run(b)],
], ids=['evaluate', 'compare', 'check', 'explain_difference', 'explain'])
def test_other_functions_parse_each_file_once(folder, parsed, call):
    call(folder/'qrels.txt', folder/'a.run', folder/'b.run')
    assert parsed('qrels.txt') == parsed('a.run') == parsed('b.run') == 1


def test_the_command_parses_each_file_once(folder, parsed):
    done = irmetrics('report', folder/'qrels.txt', folder/'a.run', folder/'b.run', '-o', folder/'out.html')
    assert done.returncode == 0
    assert parsed('qrels.txt') == parsed('a.run') == parsed('b.run') == 1


@pytest.mark.parametrize('rules', [{}, {'ties': 'given'}, {'ties': 'best'}, {'negative': 'keep'}, {'judgments': 'retrieved'}], ids=str)
def test_a_query_is_explained_from_its_listing_without_a_source(folder, rules):
    qrels = Qrels(folder/'qrels.txt')
    run = Run(folder/'a.run')
    conventions = Conventions(**rules)
    order = 'given' if conventions.ties == 'given' else 'docid'
    for query in qrels.queries[:20]:
        listing = from_run(qrels, run, query, ties=order, negative=conventions.negative)
        found = explain_query(nDCG @ 10, listing, conventions, query=query)
        expected = explain(nDCG @ 10, qrels, run, query, **rules)
        assert found.to_dict() == expected.to_dict() and found.text == expected.text
