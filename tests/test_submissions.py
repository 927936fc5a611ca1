"Checks of runs without judgments, with nasty files."
import pytest
from helpers import irmetrics

from irmetrics_nb import DataError
from irmetrics_nb.preparing.submissions import check_submission

GOOD = b'1 Q0 a 1 9 tag\n1 Q0 b 2 8 tag\n2 Q0 a 1 9 tag\n2 Q0 c 2 1 tag\n'


def codes(path, content, **options):
    path.write_bytes(content)
    return {*check_submission(path, rules='trec', **options).codes} - {'short'}


@pytest.mark.parametrize('change, code', [
    ((b'9 tag', b'1e5 tag'), None),
    ((b'1 Q0 a', b'1\tQ0\ta'), None),
    ((b'\n', b'\r\n'), None),
    ((b'1 Q0 b', b'1 Q0 caf\xe9'), 'not-utf8'),
    ((b'2 Q0 a', b'# comment\n2 Q0 a'), 'comments'),
    ((b'b 2', b'b 1'), 'duplicate-rank'),
    ((b'c 2 1', b'c 2 10'), 'rank-order'),
    ((b'1 Q0 b', b'1 Q0 a'), 'duplicate'),
    ((b'2 1 tag\n', b'2 1 gat\n'), 'tags'),
    ((b'tag', b'a-tag-of-21-characters'), 'tag'),
    ((b'tag', b't*'), 'tag'),
    ((b'1 Q0 b', b'1 0 b'), 'q0'),
    ((b'2 8 tag', b'2 8'), 'columns'),
    ((b'2 8 tag', b'2 8 tag more words'), 'columns'),
    ((b'2 8 tag', b'2 x tag'), 'number'),
    ((b'2 8 tag', b'x 8 tag'), 'rank-number'),
    ((GOOD, b''), 'refused'),
    ((GOOD, b'query_id,doc_id,score\n1,a,2\n'), 'not-trec'),
], ids=str)
def test_a_fault_of_a_file_has_its_code(change, code, tmp_path):
    assert codes(tmp_path / 'run.txt', GOOD) <= {'tied-query'}
    found = codes(tmp_path / 'run.txt', GOOD.replace(*change))
    if code is None: assert found <= {'tied-query'}
    else: assert code in found


def test_topics_and_documents_are_compared_as_bytes(tmp_path):
    topics = tmp_path / 'topics'
    for content in (b'01\n3\n', b'\xef\xbb\xbf01\r\n3', b'query_id\ttext\n01\tone two\n3\tb\n'):
        topics.write_bytes(content)
        checkup = check_submission({'1': ['a', 'b']}, topics, documents=['a'])
        texts = {f.code: f for f in checkup.findings}
        assert texts['missing-topics'].text.startswith('2 of 2 topics')
        assert texts['unknown-topics'].examples == ("'1'",)
        assert 'leading zeros' in texts['unknown-topics'].text
        assert texts['unknown-documents'].examples == ("'b'",)
    topics.write_bytes(b'')
    with pytest.raises(DataError): check_submission({'1': ['a']}, topics)


def test_depth_counts_documents_of_each_topic():
    run = {'1': ['a', 'b', 'c'], '2': ['a', 'b'], '3': ['a']}
    found = {f.code: f.examples for f in check_submission(run, depth=2).findings}
    assert (found['too-deep'], found['short']) == (("'1'",), ("'3'",))


def test_unknown_rules_are_errors():
    with pytest.raises(ValueError, match='rules must be'): check_submission({'1': ['a']}, rules='clef')
    with pytest.raises(ValueError, match='in a text file'): check_submission({'1': ['a']}, 'topics.csv')
    with pytest.raises(ValueError, match='depth must be'): check_submission({'1': ['a']}, depth=0)


def test_all_columns_with_a_fault_are_named_with_lines(tmp_path):
    (tmp_path / 'run').write_bytes(GOOD + b'3 Q0 a\n3 Q0 a 1 2 t u v\n')
    [finding] = [f for f in check_submission(tmp_path / 'run').findings if f.code == 'columns']
    assert [text.partition(', ')[2] for text in finding.examples] == [
        'line 5: 3 columns, expected 6', 'line 6: 8 columns, expected 6']


def test_the_command_checks_several_submissions(tmp_path):
    (tmp_path / 'a').write_bytes(GOOD)
    (tmp_path / 'b').write_bytes(GOOD.replace(b'2 Q0', b'7 Q0'))
    (tmp_path / 't').write_text('1\n2\n')
    assert irmetrics('check', tmp_path / 'a', '--topics', tmp_path / 't').returncode == 0
    done = irmetrics('check', tmp_path / 'a', tmp_path / 'b', '--topics', tmp_path / 't')
    assert done.returncode == 1 and 'unknown topics' in done.stdout
    assert irmetrics('check', tmp_path / 'a', tmp_path / 'b', '--depth', '5').returncode == 2


def test_a_checkup_says_what_it_did_not_check(tmp_path):
    (tmp_path / 'a.run').write_text('1 Q0 a 1 2.5 me\n')
    alone = check_submission({'1': ['a']})
    assert alone.facts['run']['not checked'] == 'columns, tags and ranks; topics; documents; depth'
    [facts] = check_submission(tmp_path / 'a.run', ['1'], depth=10).facts.values()
    assert facts['not checked'] == 'documents'
    [facts] = check_submission(tmp_path / 'a.run', ['1'], depth=10, documents=['a']).facts.values()
    assert 'not checked' not in facts
