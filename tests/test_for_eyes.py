"What is meant for eyes: no id and no name becomes an order to a terminal, a mark, a tag or a command."
import io
import json
import re
import warnings
from html.parser import HTMLParser
from xml.etree import ElementTree

import mistune
import pytest
from helpers import irmetrics
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from irmetrics_nb import (
    DataError,
    EvaluationWarning,
    Run,
    check,
    compare,
    evaluate,
    explain,
    explain_difference,
    report,
)
from irmetrics_nb.cli_common import explanation_parts, for_terminal
from irmetrics_nb.comparing.gate import gate, missed_floors, parse_floor
from irmetrics_nb.data.errors import DataWarning, visible
from irmetrics_nb.evaluation.scores import FORMATS
from irmetrics_nb.evaluation.scores import rendered_scores as render
from irmetrics_nb.results.results import markdown_code, markdown_text

# To clear the screen, to go back in the line, to end it, the same by a byte that is no UTF-8, to write from right to left.
ORDERS = ['\x1b[2J', '\r', '\n', '\x07', '\x9b31m', '\udc9b31m', '\u202e', '\u2028', '\x7f', '\x00']
MARKUP = '<script>alert(1)</script>', '[a](javascript:b)', '`a`', '*a*', '_a_', 'a|b', '# a', '$a$', '\\a', '&lt;', '<!-- a', '</style>', '~~a~~', '[red]a'
EVIL = ''.join(ORDERS) + ' '.join(MARKUP)


def a(i): return f'{EVIL}{i}'


QUERIES, DOCS = [a(f'q{i}') for i in range(4)], [a(f'd{i}') for i in range(6)]
QRELS = {q: dict(zip(DOCS, (2, 0, 1, 0, 1))) for q in QUERIES}
ONE = {q: DOCS[i % 2:] for i, q in enumerate(QUERIES)}
TWO = dict.fromkeys(QUERIES, DOCS[3::-1])
RUNS = {a('one'): ONE, a('two'): TWO}
GROUPS = {q: a('group') + 'xy'[i % 2] for i, q in enumerate(QUERIES)}
VALUES = {name: {q: i / 8 + j / 4 * (j + i) / 3 for j, q in enumerate(QUERIES)} for i, name in enumerate(RUNS)}


def looked_at(*parts):
    "What rich prints, without colours."
    console = Console(file=io.StringIO(), width=100_000, color_system=None)
    for part in parts: console.print(part)
    return console.file.getvalue()


def warned(call):
    "The texts of the warnings of a call."
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        call()
    return '\n'.join(str(w.message) for w in seen)


def refused(call):
    "The text of an error."
    with pytest.raises(ValueError) as error: call()
    return str(error.value)


def silently(call, *args, **options):
    with warnings.catch_warnings(action='ignore', category=EvaluationWarning): return call(*args, **options)


def compared(**how): return compare(VALUES, measures=a('measure'), **how)


def shut():
    "A gate that fails in every way."
    return gate(compare(VALUES, measures='AP', baseline=a('two'), groups=GROUPS), max_drop=0, floors=['AP=9', '*:AP=9'])


def explained(): return explain('nDCG@10', QRELS, TWO, QUERIES[0], documents={d: a('title') for d in DOCS})


def difference(): return explain_difference('AP', QRELS, Run(ONE, name=a('one')), Run(TWO, name=a('two')))


def reported(): return report(QRELS, RUNS, 'AP', groups=GROUPS, title=a('title'), topics={q: a('asked') for q in QUERIES}, documents={d: {'title': a('t'), 'text': a('x')} for d in DOCS})


PLAIN = {
    'a table of several runs': lambda: repr(evaluate(QRELS, RUNS, 'AP nDCG@10')),
    'a table of queries': lambda: render(evaluate(QRELS, RUNS, 'AP'), per_query=True),
    'a table of rich': lambda: looked_at(*for_terminal(evaluate(QRELS, RUNS, 'AP')._blocks())),
    'a run': lambda: repr(Run(ONE, name=EVIL)),
    'a check-up': lambda: repr(check(QRELS, RUNS)),
    'findings': lambda: '\n'.join(map(str, check({q: {d + '/': 1 for d in DOCS} for q in QUERIES}, RUNS).findings)),
    'a comparison': lambda: repr(compared()),
    'a comparison with a baseline and slices': lambda: repr(compared(baseline=a('one'), groups=GROUPS)),
    'sentences': lambda: '\n'.join(compared(groups=GROUPS).sentences()),
    'warnings of a comparison': lambda: '\n'.join(compared(groups=GROUPS).warnings),
    'a comparison by rich': lambda: looked_at(*for_terminal(compared(baseline=a('one'), groups=GROUPS)._blocks())),
    'a gate': lambda: repr(shut()),
    'a floor': lambda: '\n'.join(missed_floors(evaluate(QRELS, RUNS, 'AP').split_runs(), [parse_floor('AP=9')])),
    'JUnit': lambda: '\n'.join(ElementTree.fromstring(shut().to_junit()).itertext()) + repr([e.attrib for e in ElementTree.fromstring(shut().to_junit()).iter()]),
    'an explanation': lambda: explained().to_text(),
    'what if': lambda: '\n'.join(map(repr, (explained().move(DOCS[0], 1), explained().without(DOCS[0]), explained().grade(DOCS[0], 3)))),
    'swaps': lambda: repr(explained().swaps()),
    'an explanation by rich': lambda: looked_at(*explanation_parts(explained().without(DOCS[0]))),
    'a difference': lambda: repr(difference()),
    'the difference of a query': lambda: repr(difference().query(QUERIES[0])),
    'a report in a line': lambda: repr(reported()),
    'an error about a file': lambda: refused(lambda: Run(f'no/{EVIL}'.replace('\0', ''))),
    'an error about an id': lambda: refused(lambda: Run([(a('q'), a('d'), 1), (a('q'), a('d'), 2)])),
    'an error about a number': lambda: refused(lambda: Run({a('q'): {a('d'): EVIL}})),
    'an error about columns': lambda: refused(lambda: Run([{a('column'): 1}])),
    'an error about queries': lambda: refused(lambda: evaluate({a('q'): {'d': 1}}, {a('p'): ['d']})),
    'an error about a baseline': lambda: refused(lambda: compared(baseline=a('three'))),
    'an error about a slice': lambda: refused(lambda: gate(compared(baseline=a('one'), groups=GROUPS), floors=['none:AP=1'])),
    'an error that is made by hand': lambda: str(DataError(EVIL)) + str(DataWarning(EVIL)),
    'a warning': lambda: warned(lambda: evaluate({a('q'): {a('d'): 1}}, {a('run'): {a('q'): [a('e')]}})),
    'a warning about texts': lambda: warned(lambda: explain('AP', QRELS, ONE, QUERIES[0], documents={EVIL: 'words'})),
}
MARKDOWN = {
    'a table': lambda: render(evaluate(QRELS, RUNS, 'AP'), 'markdown'),
    'a table of queries': lambda: render(evaluate(QRELS, RUNS, 'AP'), 'markdown', per_query=True),
    'a table in a notebook': lambda: evaluate(QRELS, RUNS, 'AP')._repr_markdown_(),
    'a check-up': lambda: check({q: {d + '/': 1 for d in DOCS} for q in QUERIES}, RUNS).to_markdown(),
    'a comparison': lambda: compared(groups=GROUPS).to_markdown(),
    'a comparison with a baseline': lambda: compared(baseline=a('one')).to_markdown(),
    'a gate': lambda: shut().to_markdown(),
    'an explanation': lambda: explained().without(DOCS[0]).to_markdown(),
    'a report': lambda: reported().to_markdown(),
}
HTML = {
    'a table': lambda: evaluate(QRELS, RUNS, 'AP')._repr_html_(),
    'a table of queries': lambda: render(evaluate(QRELS, RUNS, 'AP'), 'html', per_query=True),
    'a check-up': lambda: check({q: {d + '/': 1 for d in DOCS} for q in QUERIES}, RUNS)._repr_html_(),
    'a comparison': lambda: compared(groups=GROUPS)._repr_html_(),
    'an explanation': lambda: explained().without(DOCS[0])._repr_html_(),
    'a difference': lambda: difference()._repr_html_(),
    'the difference of a query': lambda: difference().query(QUERIES[0])._repr_html_(),
    'a report': lambda: reported().to_html(),
}
LATEX = {
    'a table': lambda: render(evaluate(QRELS, RUNS, 'AP'), 'latex', per_query=True),
    'a comparison': lambda: compared(groups=GROUPS).to_latex(),
    'a report': lambda: reported().to_latex(),
}
FORMS = [(name, call) for every in (PLAIN, MARKDOWN, HTML, LATEX) for name, call in every.items()]
SEEN = re.compile('[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\udc80-\udc9f]')


@pytest.mark.parametrize('call', [call for _, call in FORMS], ids=[f'{name}-{i}' for i, (name, _) in enumerate(FORMS)])
def test_no_order_to_a_terminal_comes_through(call):
    text = silently(call)
    assert 'x1b' in text  # or the test would show nothing
    assert not SEEN.search(text), ascii(text[:2000])


def test_a_name_cannot_end_its_line_and_write_one_of_its_own():
    said = {name: silently(call) for name, call in FORMS}
    for name, text in said.items(): assert not any(line.startswith(('\x07', '<script>', 'x1b', '\x9b')) for line in text.split('\n')), name
    forged = compare({'a\nGate: passed': {'1': .5, '2': .3}, 'b': {'1': .1, '2': .1}}, measures='AP', baseline='b')
    lines = repr(gate(forged, floors=['AP=9'])).split('\n')
    assert lines[0].startswith('Gate: FAILED') and not any(line.startswith('Gate: passed') for line in lines)


class Tags(HTMLParser):
    "The tags of a page, and where its links lead; scripts that hold data are none."
    def __init__(self, page):
        super().__init__()
        self.names, self.links, self.text = [], [], ''
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == 'script' and (given.get('type') == 'application/json'): return
        self.names.append(tag)
        self.links += [x for x in (given.get('href'), given.get('src')) if x]
        assert not any(name.startswith('on') for name in given)

    def handle_data(self, data): self.text += data


READERS = {'markdown-it': MarkdownIt('commonmark', {'html': True}).enable(['table', 'strikethrough']).render,
           'mistune': mistune.create_markdown(escape=False, plugins=['table', 'strikethrough', 'math'])}


@pytest.mark.parametrize('reader', READERS)
@pytest.mark.parametrize('name', MARKDOWN)
def test_two_readers_of_markdown_find_no_tag_no_link_and_no_mark_in_a_name(name, reader):
    page = Tags(READERS[reader](MARKDOWN[name]()))
    assert not {'script', 'style', 'a', 'img', 'em', 'del', 's'} & {*page.names}, name
    assert not page.links and ('<script>' in page.text or 'script' not in page.text)


@pytest.mark.parametrize('reader', READERS)
@given(text=st.text(alphabet='ab1 <>&|*_`~[]()#+-.$!\\"\'/=\x1b\n', min_size=1, max_size=20))
def test_any_text_comes_through_markdown_as_it_was(text, reader):
    shown = Tags(READERS[reader](f'x {markdown_text(text)} x')).text.strip()
    assert shown.split() == f'x {visible(text)} x'.split()
    table = READERS[reader](f'| a | b |\n|---|---|\n| {markdown_text(text)} | z |\n')
    assert re.findall('<(?!/?(?:table|thead|tbody|tr|th|td))[a-z]', table) == [] and table.count('<td') == 2
    item = Tags(READERS[reader](f'- {markdown_text(text)}'))
    assert {*item.names} <= {'ul', 'li', 'p'} and item.text.split() == visible(text).split()
    code = Tags(READERS[reader](f'x {markdown_code("a" + text + "a")} x'))
    assert {*code.names} <= {'p', 'code'}


@pytest.mark.parametrize('name', HTML)
def test_no_name_is_a_tag_in_html(name):
    text = silently(HTML[name])
    page = Tags(text)
    assert 'alert(1)' in page.text and page.names.count('script') == (name == 'a report')
    assert not any('javascript' in link for link in page.links)


def test_csv_and_json_keep_ids_as_they_are():
    scores = evaluate(QRELS, RUNS, 'AP')
    assert [*json.loads(render(scores, 'json', per_query=True))[0]['per_query']] == QUERIES
    assert all(f'"{q}"' in render(scores, 'csv', per_query=True) for q in QUERIES)
    assert [v['system'] for v in json.loads(shut().to_json())['verdicts']][0] == a('one')
    assert {*check(QRELS, RUNS).to_dict()['facts']} == {'judgments', *RUNS}
    assert Run(ONE).to_dict().keys() == ONE.keys() and {*FORMATS} == {'table', 'markdown', 'html', 'latex', 'csv', 'json'}


@pytest.mark.parametrize('command', ['evaluate', 'evaluate --per-query', 'evaluate --verbose', 'evaluate --min AP=2', 'evaluate --format markdown', 'evaluate --format html',
                                     'evaluate --format latex', 'check', 'check --format markdown', 'compare', 'compare --format markdown', 'compare --max-drop 0', 'compare --max-drop 0 --format junit', 'report'])
def test_no_command_lets_an_order_through_on_either_stream(tmp_path, command):
    (tmp_path/'qrels').write_bytes(b'q\x1b[2J 0 d\x1b[2J 1\nr\x9b 0 d\x1b[2J 1\n')
    run = 'a\x1b[2Jrun'
    for name in (run, 'b'): (tmp_path/name).write_bytes(b'q\x1b[2J Q0 d\x1b[2J 1 2.5 tag\x1b[2J\nr\x9b Q0 d\x1b[3J 1 2.5 tag\x1b[2J\n')
    verb, *options = command.split()
    done = irmetrics(verb, 'qrels', run, 'b', *options, cwd=tmp_path)
    assert not SEEN.search(done.stdout + done.stderr), ascii(done.stdout + done.stderr)
    for wrong in ([verb, 'qrels', 'no\x1b[2Jfile', *options], [verb, run, 'qrels', *options]):
        done = irmetrics(*wrong, 'b', cwd=tmp_path)
        assert done.returncode and not SEEN.search(done.stdout + done.stderr), ascii(done.stdout + done.stderr)


def test_explain_in_the_command_lets_no_order_through(tmp_path):
    (tmp_path/'qrels').write_bytes(b'q 0 d\x1b[2J 1\nq 0 e\x1b[2J 1\n')
    (tmp_path/'run').write_bytes(b'q Q0 d\x1b[2J 1 2.5 t\n')
    for options in ([], ['--format', 'markdown']):
        done = irmetrics('explain', 'qrels', 'run', 'q', '-m', 'AP', *options, cwd=tmp_path)
        assert done.returncode == 0 and 'd\\' in done.stdout and not SEEN.search(done.stdout + done.stderr)
    done = irmetrics('explain', 'qrels', 'run', 'q\x1b[2J', '-m', 'AP', cwd=tmp_path)
    assert done.returncode == 1 and not SEEN.search(done.stderr)
