"The README does what it says."
import re
from pathlib import Path

README = (Path(__file__).parents[1]/'README.md').read_text('utf-8')


def test_python_blocks_run_in_order_and_print_their_output(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a report is saved
    blocks = re.findall(r'```python\n(.*?)```\n(?:\n```text\n(.*?)```)?', README, re.DOTALL)
    assert len(blocks) == 3
    space = {}
    for code, expected in blocks:
        *body, last = code.rstrip().split('\n')
        exec('\n'.join(body), space)
        try: value = eval(last, space)
        except SyntaxError: value = exec(last, space)
        printed = capsys.readouterr().out or f'{value!r}\n'
        if expected: assert printed == expected


def test_the_commands_it_names_are_there():
    makefile = (Path(__file__).parents[1]/'Makefile').read_text('utf-8')
    for target in re.findall(r'`?make (\w+)', README): assert re.search(rf'^{target}:', makefile, re.MULTILINE), target


def test_it_can_be_read_in_one_sitting():
    assert len(README.splitlines()) <= 160


def test_table_of_speed_contains_sizes_that_are_slower():
    ratios = [float(ratio) for ratio in re.findall(r'\| ([\d.]+) × \|$', README, re.MULTILINE)]
    assert len(ratios) >= 6 and min(ratios) < 1 < max(ratios)
    assert 'Small inputs can take longer than with pytrec_eval' in README
