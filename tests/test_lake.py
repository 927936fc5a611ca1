"Runs in folders and in parts, and tables that are made when they are asked for: the numbers of the same rows in one file."
import json
import re
from pathlib import Path
from urllib.parse import quote

import numpy as np
import polars as pl
import pytest

from irmetrics_nb import DataError, EvaluationWarning, Qrels, Run, check, compare, evaluate, report
from irmetrics_nb.cli import main
from irmetrics_nb.data import recognition as streams
from irmetrics_nb.data.judging import judge_run
from irmetrics_nb.data.recognition import open_table
from irmetrics_nb.evaluation.scores import rendered_scores

QRELS = {f"q{i}": {f"d{i}": 1, f"d{i + 1}": 2} for i in range(40)}
ROWS = [(f"q{i}", f"d{(i + j) % 50}", float(-j if i % 2 else (7 * j) % 5)) for i in range(40) for j in range(12)]
TABLE = pl.DataFrame(ROWS, schema=["query_id", "doc_id", "score"], orient="row")
HERE = evaluate(QRELS, ROWS, "AP nDCG@5")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    "A batch has a hundred rows, so that these few are many."
    monkeypatch.setattr(streams, "BATCH_ROWS", 100)


def write(table, path, kind):
    {"parquet": table.write_parquet, "csv": table.write_csv, "json": table.write_ndjson}[kind](path)


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
@pytest.mark.parametrize("scattered", [False, True])
def test_a_folder_of_parts_is_one_run_wherever_it_was_cut(tmp_path, kind, scattered):
    table = TABLE.sample(fraction=1, shuffle=True, seed=1) if scattered else TABLE
    folder = tmp_path / "bm25"
    folder.mkdir()
    for i, first in enumerate(range(0, len(table), 77)):
        write(table[first : first + 77], folder / f"part-0000{i}", kind)
    (folder / "_SUCCESS").touch()
    (folder / ".part-00000.crc").write_bytes(b"\0")
    scores = evaluate(QRELS, folder, "AP nDCG@5")
    assert (scores.to_dict(), scores.name) == (HERE.to_dict(), "bm25")


def test_judgments_may_come_in_parts_too(tmp_path):
    table = Qrels(QRELS).to_polars()
    for i in range(2):
        table[i::2].write_parquet(tmp_path / f"part-{i}")
    assert evaluate(tmp_path, ROWS, "AP nDCG@5").to_dict() == HERE.to_dict()


def test_parts_given_as_runs_are_refused_and_would_have_been_two_runs_of_half_the_score(tmp_path):
    half = [tmp_path / "part-0.parquet", tmp_path / "part-1.parquet"]
    qrels = {"q1": {"d": 1}, "q2": {"d": 1}}
    for path, query in zip(half, qrels, strict=True):
        pl.DataFrame({"query_id": [query], "doc_id": ["d"], "score": [1.0]}).write_parquet(path)
    assert [evaluate(qrels, path, "AP").means["AP"] for path in half] == [0.5, 0.5]
    for runs in half, tmp_path / "part-*":
        with pytest.raises(DataError, match="seem to be parts of one run; give a folder that contains only these parts"):
            evaluate(qrels, runs, "AP")
    assert evaluate(qrels, tmp_path, "AP").means["AP"] == 1


def test_any_other_folder_or_pattern_is_a_run_per_file(tmp_path):
    for name in "b.run", "a.run", ".hidden":
        Run(ROWS, name=name[0]).save(tmp_path / name)
    for runs in tmp_path, str(tmp_path / "*.run"), [tmp_path / "?.run"]:
        assert list(evaluate(QRELS, runs, "AP").means) == ["a", "b"]
    with pytest.raises(DataError, match="no file matches this pattern"):
        evaluate(QRELS, tmp_path / "*.parquet", "AP")


def systems():
    return pl.concat([TABLE.with_columns(pl.lit(name).alias("model")) for name in ("two", "one")])


def relation(frame):
    duckdb = pytest.importorskip("duckdb")
    return duckdb.connect().from_arrow(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))


@pytest.mark.parametrize("form", [lambda t: t, pl.DataFrame.lazy, pl.DataFrame.to_pandas, relation], ids="eager lazy pandas duckdb".split())
def test_a_column_of_systems_gives_a_run_each(form):
    scores = evaluate(QRELS, form(systems()), "AP nDCG@5", system="model")
    assert scores.to_dict() == {name: HERE.to_dict() for name in ("one", "two")}


def test_a_partition_of_systems_gives_a_run_each(tmp_path):
    for name in "one", "two":
        (tmp_path / f"model={name}").mkdir()
        TABLE.write_parquet(tmp_path / f"model={name}" / "part-0.parquet")
    assert evaluate(QRELS, tmp_path, "AP nDCG@5", system="model").to_dict() == {name: HERE.to_dict() for name in ("one", "two")}


@pytest.mark.parametrize("ids", [("007", "7"), ("2024-01-01", "2024-01-02"), ("a b/c", "d")])
def test_ids_in_folder_names_are_unchanged_text(tmp_path, ids):
    for name, doc in zip(ids, "ab", strict=True):
        folder = tmp_path / f"query_id={quote(name, safe='')}"
        folder.mkdir()
        pl.DataFrame({"doc_id": [doc], "score": [1.0]}).write_parquet(folder / "part-0.parquet")
    scores = evaluate({ids[0]: {"a": 1}, ids[1]: {"b": 1}}, tmp_path, "AP")
    assert scores.to_dict() == {name: {"AP": 1.0} for name in ids}


def test_a_partition_without_a_value_is_no_system(tmp_path):
    for name in "one", "__HIVE_DEFAULT_PARTITION__":
        (tmp_path / f"model={name}").mkdir()
        TABLE.write_parquet(tmp_path / f"model={name}" / "part-0.parquet")
    with pytest.raises(DataError, match=f"^{re.escape(str(tmp_path))}: some rows have no value in column 'model'$"):
        evaluate(QRELS, tmp_path, "AP", system="model")


@pytest.mark.parametrize("form", [pl.DataFrame.lazy, relation], ids=["lazy", "duckdb"])
@pytest.mark.parametrize("scattered", [False, True])
def test_lazy_tables_are_read_in_batches_of_whole_queries(form, scattered):
    rows = TABLE.sample(fraction=1, shuffle=True, seed=1) if scattered else TABLE
    source = open_table(form(rows))
    assert max(len(set(batch["query_id"])) * 12 for _, batch in source) >= 96
    assert evaluate(QRELS, form(rows), "AP nDCG@5").to_dict() == HERE.to_dict()
    if not scattered:
        assert [batch["query_id"].n_unique() * 12 for _, batch in source] == [len(batch) for _, batch in source]
        judged, reading = judge_run(QRELS, form(rows), memory=3200)
        assert reading.how.startswith("in ") and reading.how.endswith(" batches")


def test_where_polars_hands_out_no_batches_a_table_is_computed_in_memory(monkeypatch):
    monkeypatch.delattr(pl.LazyFrame, "collect_batches", raising=False)
    scores = evaluate(QRELS, TABLE.lazy(), "AP nDCG@5")
    assert scores.to_dict() == HERE.to_dict()
    assert scores.runs[0].reading == "in one batch"


@pytest.mark.parametrize("form", [pl.DataFrame.lazy, relation], ids=["lazy", "duckdb"])
def test_a_document_twice_in_a_stream_is_found(form):
    twice = pl.concat([TABLE, TABLE[:1]])
    with pytest.raises(DataError, match="duplicate document 'd0' in query 'q0'"):
        evaluate(QRELS, form(twice), "AP")


def test_over_the_network_tables_are_read_and_all_else_is_refused_with_what_to_do():
    with pytest.raises(DataError, match=r"s3://lake/run.txt: over the network, only paths that end in .*copy"):
        evaluate(QRELS, "s3://lake/run.txt", "AP")
    with pytest.raises(DataError, match=r"s3://lake/\*.parquet: patterns do not work over the network; give a list of the files"):
        evaluate(QRELS, "s3://lake/*.parquet", "AP")
    with pytest.raises(DataError, match="^nowhere://lake/run.parquet: "):
        evaluate(QRELS, "nowhere://lake/run.parquet", "AP")


class Served:
    "Files over HTTP on this machine, whole or in ranges of bytes."

    def __init__(self, folder):
        import functools
        import http.server
        import threading

        class Ranges(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
                path = Path(self.translate_path(self.path))
                if not asked or not path.is_file():
                    return super().do_GET()
                content = path.read_bytes()
                end = len(content) - 1
                first, last = (int(asked[1]), min(int(asked[2] or end), end)) if asked[1] else (max(0, end + 1 - int(asked[2])), end)
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
                self.send_header("Content-Length", str(last + 1 - first))
                self.end_headers()
                self.wfile.write(content[first : last + 1])

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Ranges, directory=folder))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def served(tmp_path):
    server = Served(tmp_path)
    yield server
    server.close()


@pytest.mark.parametrize(("end", "kind"), [("parquet", "parquet"), ("csv", "csv"), ("jsonl", "json"), ("ndjson", "json")])
def test_a_table_over_http_gives_the_values_of_the_file(tmp_path, served, end, kind, capsys):
    write(TABLE, tmp_path / f"run.{end}", kind)
    write(Qrels(QRELS).to_polars(), tmp_path / f"qrels.{end}", kind)
    urls = [f"{served.url}/{name}.{end}" for name in ("qrels", "run")]
    scores = evaluate(*urls, "AP nDCG@5")
    assert (scores.to_dict(), scores.name) == (HERE.to_dict(), "run")
    lines = command(capsys, "evaluate", *urls, "-m", "AP", "--format", "csv").splitlines()
    assert lines == ["run,AP", f"run,{HERE.means['AP']!r}"]
    with pytest.raises(SystemExit, match="0"):
        main(["check", *urls, "--format", "json"])
    assert json.loads(capsys.readouterr().out)["facts"][urls[1]]["documents"] == len(ROWS)


def test_a_column_of_systems_over_http_gives_a_run_each(tmp_path, served):
    systems().write_parquet(tmp_path / "systems.parquet")
    scores = evaluate(QRELS, f"{served.url}/systems.parquet", "AP nDCG@5", system="model")
    assert scores.to_dict() == {name: HERE.to_dict() for name in ("one", "two")}


def test_errors_over_http_contain_the_path(tmp_path, served):
    (tmp_path / "no.parquet").write_bytes(b"this is no table")
    TABLE.rename({"score": "points"}).write_parquet(tmp_path / "points.parquet")
    pl.concat([TABLE, TABLE[:1]]).write_parquet(tmp_path / "twice.parquet")
    for name, said in (("none.csv", ".*404"), ("no.parquet", ".*(?i:parquet|magic|footer)"), ("points.parquet", "no column score"),
                       ("twice.parquet", "duplicate document 'd0' in query 'q0'")):
        with pytest.raises(DataError, match=f"^{served.url}/{name}: {said}"):
            evaluate(QRELS, f"{served.url}/{name}", "AP")
    with pytest.raises(DataError, match="run.txt: over the network, only paths that end in .* can be read; copy other files to this computer first"):
        evaluate(QRELS, f"{served.url}/run.txt", "AP")


def twenty():
    "Runs that differ: some do not answer q7, and some have few documents for q3."
    def there(i, query, j):
        return not (query == "q7" and i % 5 == 0) and not (query == "q3" and i % 5 == 1 and j > 3)

    return {f"s{i:02}": [row for n, row in enumerate(ROWS) if there(i, row[0], n % 12)] for i in range(20)}


def test_twenty_runs_print_one_table_and_one_list_of_notes():
    scores = evaluate(QRELS, twenty(), "AP nDCG@10")
    table, small = str(scores).split("\n\n")
    assert len(table.splitlines()) == 22
    small = small.replace("\n", " ")
    assert small.startswith("40 queries; 0 to 1 missing from the run (most: s00); 0 without a relevant document; ")
    assert "; 0 to 1 with fewer than 10 documents (most: s01)" in small
    assert small.count("Conventions:") == 1


def test_per_run_prints_the_notes_of_each_run():
    scores = evaluate(QRELS, twenty(), "AP nDCG@10")
    text = rendered_scores(scores, per_run=True)
    assert " ".join(text.split()).count("missing from the run") == 20


def command(capsys, *words):
    "What `irmetrics` prints; the exit code must be 0."
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words)])
    assert not ended.value.code, capsys.readouterr().err
    return capsys.readouterr().out


def test_the_command_takes_folders_patterns_and_systems(tmp_path, capsys):
    Qrels(QRELS).save(tmp_path / "qrels.txt")
    (tmp_path / "runs").mkdir()
    for name in "a.run", "b.run":
        Run(ROWS, name=name[0]).save(tmp_path / "runs" / name)
    systems().write_parquet(tmp_path / "systems.parquet")
    mean = repr(HERE.means["AP"])
    for words, names in (([tmp_path / "runs"], "ab"), ([tmp_path / "runs" / "*.run"], "ab"),
                         ([tmp_path / "systems.parquet", "--system", "model"], ["one", "two"])):
        lines = command(capsys, "evaluate", tmp_path / "qrels.txt", *words, "-m", "AP", "--format", "csv").splitlines()
        assert lines == ["run,AP", *(f"{name},{mean}" for name in names)]


def test_command_prints_notes_once_or_per_run(tmp_path, capsys):
    Qrels(QRELS).save(tmp_path / "qrels.txt")
    paths = [tmp_path / f"{name}.run" for name in twenty()]
    for path, rows in zip(paths, twenty().values(), strict=True):
        Run(rows, name=path.stem).save(path)
    together, each = (command(capsys, "evaluate", tmp_path / "qrels.txt", *paths, "-m", "nDCG@10", *more) for more in ([], ["--per-run"]))
    assert together.count("Conventions:") == 1
    assert " ".join(each.split()).count("missing from the run") == 20


def test_a_folder_a_pattern_or_a_column_of_several_runs_is_compared_reported_and_checked(tmp_path):
    for name, rows in {"good": ROWS, "bad": ROWS[::2]}.items():
        Run(rows, name=name).save(tmp_path / f"{name}.run")
    both = pl.concat([pl.DataFrame(rows, schema=TABLE.schema, orient="row").with_columns(pl.lit(name).alias("model"))
                      for name, rows in (("good", ROWS), ("bad", ROWS[::2]))])
    named = compare(QRELS, {"good": ROWS, "bad": ROWS[::2]}, "AP", baseline="bad").pair("bad", "good")
    for runs, how in ((tmp_path, {}), (str(tmp_path / "*.run"), {}), (both, {"system": "model"}), (both.lazy(), {"system": "model"})):
        assert compare(QRELS, runs, "AP", baseline="bad", **how).pair("bad", "good") == named
        found = report(QRELS, runs, "AP", baseline="bad", **how)
        assert {run.name for run in found.scores.runs} == {"good", "bad"}
        assert found.comparison.pair("bad", "good") == named
        assert len(found.checkup.facts) == 3
    assert len(check(QRELS, tmp_path).facts) == 3
    with pytest.raises(TypeError, match="several runs, not one PosixPath; pass .name: run., a list, a folder of runs, or a table with system="):
        compare(QRELS, tmp_path / "good.run", "AP")
    with pytest.raises(ValueError, match="a comparison needs two or more systems"):
        compare(QRELS, str(tmp_path / "good.*"), "AP")


def test_comparison_of_many_runs_shortens_notes_unless_per_run(tmp_path, capsys):
    Qrels(QRELS).save(tmp_path / "qrels.txt")
    (tmp_path / "runs").mkdir()
    for name, rows in twenty().items():
        Run(rows, name=name).save(tmp_path / "runs" / f"{name}.run")
    words = "compare", tmp_path / "qrels.txt", tmp_path / "runs", "-m", "nDCG@10"
    some, every = (command(capsys, *words, *more) for more in ([], ["--per-run"]))
    assert (every.count("Warning:"), some.count("Warning:")) == (16, 4)
    assert "12 more notes and warnings like these" in some and "like these are in" not in every
    assert some.count("Note:") == every.count("Note:") == 6


def test_the_commands_compare_and_report_take_folders_and_systems(tmp_path, capsys):
    Qrels(QRELS).save(tmp_path / "qrels.txt")
    runs = {"one": ROWS, "two": ROWS[::2]}
    tables = [pl.DataFrame(rows, schema=TABLE.schema, orient="row").with_columns(model=pl.lit(name)) for name, rows in runs.items()]
    pl.concat(tables).write_parquet(tmp_path / "systems.parquet")
    (tmp_path / "runs").mkdir()
    for name, rows in runs.items():
        Run(rows, name=name).save(tmp_path / "runs" / f"{name}.run")
    systems = tmp_path / "systems.parquet", "--system", "model"
    for words in systems, (tmp_path / "runs",), (tmp_path / "runs" / "*.run",):
        found = json.loads(command(capsys, "compare", tmp_path / "qrels.txt", *words, "-m", "AP", "--format", "json"))
        assert (found["baseline"], found["pairs"][0]["b"]) == ("one", "two")
    swapped = json.loads(command(capsys, "compare", tmp_path / "qrels.txt", *systems, "-m", "AP", "--baseline", "two", "--format", "json"))
    assert (swapped["baseline"], swapped["pairs"][0]["b"]) == ("two", "one")
    assert swapped["pairs"][0]["difference"] == -found["pairs"][0]["difference"]
    assert "2 systems, 40 queries" in command(capsys, "report", tmp_path / "qrels.txt", *systems, "-o", tmp_path / "report.html")
    for words in ((tmp_path / "runs" / "one.run",), (tmp_path / "runs", *systems), (tmp_path / "runs", "--all-pairs", "--baseline", "one")):
        with pytest.raises(SystemExit) as ended:
            main(["compare", *map(str, (tmp_path / "qrels.txt", *words))])
        assert ended.value.code == 2


@pytest.mark.parametrize("kind", ["polars", "duckdb", "system"])
def test_a_large_table_whose_queries_are_scattered_is_read_in_one_piece_by_default(kind):
    n = 300_000
    rows = pl.DataFrame({"query_id": [f"q{i % 3000}" for i in range(n)], "doc_id": [f"d{i // 3000}" for i in range(n)], "score": np.arange(n) * 7919 % 10007 / 7})
    qrels = {f"q{q}": {f"d{q % 100}": 1, f"d{(q * 7 + 1) % 100}": 2} for q in range(3000)}
    wanted = evaluate(qrels, rows.sort("query_id"), "AP nDCG@10").to_dict()
    if kind == "polars":
        found = evaluate(qrels, rows.lazy(), "AP nDCG@10")
    elif kind == "duckdb":
        found = evaluate(qrels, pytest.importorskip("duckdb").sql("from rows"), "AP nDCG@10")
    else:
        found = evaluate(qrels, rows.with_columns(system=pl.lit("a")).lazy(), "AP nDCG@10", system="system").run("a")
    assert found.to_dict() == wanted
    with pytest.raises(DataError, match="duplicate document"):
        evaluate(qrels, pl.concat([rows, rows[:1]]).lazy(), "AP")


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_bracket_in_the_name_of_a_folder_is_a_bracket(form, tmp_path):
    for folder, score in ("run[1]", 2.0), ("run1", 0.0):
        (tmp_path / folder).mkdir()
        rows = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [score, 1.0]})
        getattr(rows, f"write_{form}")(tmp_path / folder / f"part-0.{form}")
    assert evaluate({"q": {"a": 1}}, tmp_path / "run[1]", "AP").means["AP"] == 1
    assert evaluate({"q": {"a": 1}}, tmp_path / "run1", "AP").means["AP"] == 0.5


def test_a_quote_in_a_field_between_tabs_is_a_quote_in_parts_too(tmp_path):
    text = 'query_id\tdoc_id\tscore\nq1\t"d9\t3\nq1\td1"\t2\nq1\td2\t1\n'
    (tmp_path / "part-0.tsv").write_text(text)
    (tmp_path / "one.tsv").write_text(text)
    (tmp_path / "parts").mkdir()
    (tmp_path / "part-0.tsv").rename(tmp_path / "parts" / "part-0.tsv")
    qrels = {"q1": {"d2": 1}}
    assert evaluate(qrels, tmp_path / "parts", "RR").means == evaluate(qrels, tmp_path / "one.tsv", "RR").means == {"RR": 1 / 3}


@pytest.mark.parametrize("runs", ["{0}/runs", "{0}/runs/*.run"])
def test_the_command_does_not_write_over_what_a_folder_or_a_pattern_reads(runs, tmp_path, capsys):
    (tmp_path / "runs").mkdir()
    (tmp_path / "q").write_text("q 0 a 1\n")
    for name in "ab":
        (tmp_path / "runs" / f"{name}.run").write_text("q Q0 a 1 2 t\n")
    with pytest.raises(SystemExit) as stop:
        main(["evaluate", str(tmp_path / "q"), runs.format(tmp_path), "-m", "AP", "-o", str(tmp_path / "runs" / "a.run")])
    assert stop.value.code == 2 and (tmp_path / "runs" / "a.run").read_text() == "q Q0 a 1 2 t\n"


PART_NAMES = ["part.{}.parquet", "data_{}.parquet", "part-{:05}-7f3a.snappy.parquet", "data_0_{}.csv"]


@pytest.mark.parametrize("name", PART_NAMES)
def test_parts_called_as_dask_duckdb_and_spark_call_them_are_one_run_and_no_several(tmp_path, name):
    folder = tmp_path / "bm25"
    folder.mkdir()
    files = [folder / name.format(i) for i in range(2)]
    for i, file in enumerate(files):
        write(TABLE[i * 240 : i * 240 + 240], file, file.suffix[1:])
    scores = evaluate(QRELS, folder, "AP nDCG@5")
    assert (scores.to_dict(), scores.name) == (HERE.to_dict(), "bm25")
    for given in (files, folder / "*", [*map(str, files)], [tmp_path / "*" / "*"]):
        with pytest.raises(DataError, match="seem to be parts of one run; give a folder that contains only these parts, or a dict {name: path} if each file is a run"):
            evaluate(QRELS, given, "AP")
    with pytest.warns(EvaluationWarning, match="are they parts of one run"):
        assert len(evaluate(QRELS, {"a": files[0], "b": files[1]}, "P@1").runs) == 2


def test_several_parts_among_other_files_are_an_error(tmp_path):
    "A folder in which a run is called like a part is a run per file; of two such, nobody knows."
    for name, rows in (("bm25.csv", TABLE), ("part-1.csv", TABLE)):
        write(rows, tmp_path / name, "csv")
    assert list(evaluate(QRELS, tmp_path, "AP").means) == ["bm25", "part-1"]
    write(TABLE, tmp_path / "part-2.csv", "csv")
    with pytest.raises(DataError, match="seem to be parts of one run; give a folder that contains only these parts, or a dict {name: path} if each file is a run"):
        evaluate(QRELS, tmp_path, "AP")
    (tmp_path / "numbered").mkdir()
    for i in 1, 2:
        write(TABLE, tmp_path / "numbered" / f"data_{i}.csv", "csv")
    assert list(evaluate(QRELS, tmp_path / "numbered", "AP").means) == ["data_1", "data_2"]


def test_files_of_spark_and_hive_folders_are_parts_of_one_run(tmp_path):
    for folder in "spark", "hive/day=1", "hive/day=2":
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "spark" / "_SUCCESS").touch()
    files = [tmp_path / "spark" / "a.parquet", tmp_path / "spark" / "b.parquet"]
    hive = [tmp_path / "hive" / f"day={i}" / "x.parquet" for i in (1, 2)]
    for i, file in enumerate((*files, *hive)):
        TABLE[i % 2 * 240 : i % 2 * 240 + 240].write_parquet(file)
    for pattern, folder in (("spark/*.parquet", "spark"), ("hive/*/*", "hive"), ("hive/day=*", "hive")):
        with pytest.raises(DataError, match="seem to be parts of one run; give a folder that contains only these parts"):
            evaluate(QRELS, tmp_path / pattern, "AP")
        assert evaluate(QRELS, tmp_path / folder, "AP nDCG@5").to_dict() == HERE.to_dict()


def test_a_run_whose_name_holds_an_equals_sign_is_no_partition(tmp_path):
    for name in "k=1", "k=2", "b=x.csv":
        write(TABLE, tmp_path / name, "csv")
    assert list(evaluate(QRELS, tmp_path, "AP").means) == ["b=x", "k=1", "k=2"]


def test_runs_that_share_no_query_are_doubted_whatever_their_files_are_called(tmp_path):
    for i in range(2):
        TABLE[i * 240 : i * 240 + 240].write_parquet(tmp_path / f"piece{i}.parquet")
    with pytest.warns(EvaluationWarning, match="almost no query occurs in two of these runs: are they parts of one run"):
        evaluate(QRELS, tmp_path, "AP")


def test_a_linked_folder_in_a_table_in_parts_is_read(tmp_path):
    for folder in "hive/day=1", "elsewhere":
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "hive" / "day=2").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    for i, folder in enumerate(("hive/day=1", "elsewhere")):
        TABLE[i * 240 : i * 240 + 240].write_parquet(tmp_path / folder / "0.parquet")
    assert evaluate(QRELS, tmp_path / "hive", "AP nDCG@5").to_dict() == HERE.to_dict()


def test_no_folder_among_runs_is_left_out_in_silence(tmp_path):
    (tmp_path / "old").mkdir()
    for path in "a.csv", "old/b.csv":
        write(TABLE, tmp_path / path, "csv")
    for runs in tmp_path, tmp_path / "*":
        with pytest.raises(DataError, match=f"{tmp_path / 'old'}: the files in this folder are not the parts of one run"):
            evaluate(QRELS, runs, "AP")
    assert list(evaluate(QRELS, tmp_path / "**", "AP").means) == ["a", "b"]
    assert list(evaluate(QRELS, [tmp_path / "*.csv", tmp_path / "old"], "AP").means) == ["a", "b"]


def test_a_pattern_that_matches_a_table_and_its_parts_reads_it_once(tmp_path):
    (tmp_path / "fused").mkdir()
    write(TABLE, tmp_path / "a.parquet", "parquet")
    write(TABLE, tmp_path / "fused" / "part-0.parquet", "parquet")
    assert evaluate(QRELS, tmp_path / "**", "AP nDCG@5").to_dict() == {name: HERE.to_dict() for name in ("a", "fused")}


def test_check_takes_a_column_of_systems_too(tmp_path, capsys):
    systems().write_parquet(tmp_path / "runs.parquet")
    Qrels(QRELS).save(tmp_path / "qrels.txt")
    facts = check(QRELS, systems(), system="model").facts
    assert list(facts) == ["judgments", "one", "two"] and facts["one"]["queries"] == len(QRELS)
    with pytest.raises(SystemExit, match="0"):
        main(["check", str(tmp_path / "qrels.txt"), str(tmp_path / "runs.parquet"), "--system", "model", "--format", "json"])
    assert list(json.loads(capsys.readouterr().out)["facts"]) == ["judgments", "one", "two"]
