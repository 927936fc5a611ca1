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
    cells = [line.split('|')[1:-1] for line in README.splitlines() if line.startswith('  | ')]
    rows = [(row[0], float(row[1].split()[0]), float(row[-1].split()[0])) for row in cells[1:]]
    assert len(rows) == 8 and all(re.search(r'\d', size) or 'same rows' in size for size, _, _ in rows)
    slower = [size for size, ours, pytrec_eval in rows if ours > pytrec_eval]
    assert len(slower) == 4 and 'Small files and dicts take longer than with pytrec_eval' in README
