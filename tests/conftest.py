"What every test stands on: no window for plots, the same random examples in every run, one browser."
import gc
import json
import os
import pkgutil
import re
import shutil
import signal
import sys
from collections import Counter
from importlib import import_module

import coverage
import hypothesis
import pytest

sys.modules.setdefault("rfc3987_syntax", None)  # its 38 grammars take jsonschema a second; no schema needs them
os.environ["MPLBACKEND"] = "agg"
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more would wait for each other: each core has a worker
hypothesis.settings.register_profile("project", max_examples=40, deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("project")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    "In a worker pytest-cov traces twice, and can pause but the second: the first ends here."
    coverage = session.config.pluginmanager.getplugin("_cov")
    if hasattr(session.config, "workerinput") and coverage and coverage.cov_controller:
        coverage.cov_controller.pause()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    "Modules are loaded while lines are traced, and tests are collected while they are not: in a fifth of the time."
    tracer = coverage.Coverage.current()
    if tracer is None:
        return (yield)
    if session.config.pluginmanager.hasplugin("dsession"):  # it hands tests to workers, and runs none
        tracer.stop()
        return (yield)
    package = import_module("irmetrics_nb")
    for module in pkgutil.walk_packages(package.__path__, "irmetrics_nb."):
        if "spark" not in module.name:
            import_module(module.name)
    tracer.stop()
    try:
        return (yield)
    finally:
        tracer.start()


def pytest_collection_modifyitems(items):
    "Tracing lines takes longer than running them: the first case of a test is traced, and no drawn example."
    traced = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        traced[test] += 1
        if traced[test] > 1 or getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("no_cover")


def pytest_collection_finish():
    "Garbage is not looked for in what lives till the end: modules and tests."
    gc.collect()
    gc.freeze()


TRACED = 0.5  # seconds of a test on the processor; what runs later has run before, or runs in another test


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item):
    "The lines of a test are traced at its beginning."
    tracer, stopped = coverage.Coverage.current(), []
    if tracer is None or item.get_closest_marker("no_cover") or not hasattr(signal, "setitimer"):
        return (yield)

    def stop(*_):
        tracer.stop()
        stopped.append(True)

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, TRACED)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        if stopped:
            tracer.start()


@pytest.fixture
def nothing_hangs(request):
    "An alarm: what takes longer than this has got stuck."

    def ring(*_):
        raise TimeoutError("this test hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(300 if request.node.get_closest_marker("slow") else 60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    "A folder for the examples of hypothesis, which would otherwise share the one of their test."
    return tmp_path_factory.mktemp("examples")


# As Debian has it, without a word to anybody outside.
CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
FLAGS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync""".split()


@pytest.fixture(scope="session")
def browser():
    "Chromium, without a window."
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    with playwright.sync_playwright() as program:
        browser = program.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


HOME = "http://site.test/"
IDLE = {}  # pages that wait for the next test with their options, since a new page costs a process


@pytest.fixture
def open_site(browser):
    "Return a function that opens the files of a site; at its end nothing was complained about or asked from elsewhere."
    used, wrong = [], []
    listeners = {
        "request": lambda request: wrong.append(request.url) if not request.url.startswith(HOME) else None,
        "console": lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None,
        "pageerror": lambda error: wrong.append(str(error)),
    }

    def opened(files, address="", asked=None, **options):
        options = {"viewport": {"width": 1000, "height": 900}} | options
        idle = IDLE.setdefault(json.dumps(options, sort_keys=True), [])
        page = idle.pop() if idle else browser.new_context(**options).new_page()
        used.append((page, idle, options["viewport"]))

        def answer(route):
            name = re.split("[?#]", route.request.url.removeprefix(HOME))[0]
            if asked is not None:
                asked.append(name)
            kind, text = files.get(name, ("text/plain", ""))
            route.fulfill(content_type=f"{kind}; charset=utf-8", body=text)

        page.context.route("**/*", answer)
        for event, listener in listeners.items():
            page.on(event, listener)
        page.goto(HOME + address)
        return page

    yield opened
    for page, idle, viewport in used:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        page.context.unroute_all()
        if wrong or len(page.context.pages) > 1:
            page.context.close()
            continue
        page.goto("about:blank")
        page.emulate_media(media="null")
        page.set_viewport_size(viewport)
        idle.append(page)
    assert wrong == []


def skipped_though_all_must_run(config):
    "The tests that were skipped, where ALL_TESTS is set, as in continuous integration."
    reporter = config.pluginmanager.getplugin("terminalreporter")
    return reporter.stats.get("skipped", []) if reporter and os.environ.get("ALL_TESTS") else []


def pytest_terminal_summary(terminalreporter, config):
    if skipped_though_all_must_run(config):
        terminalreporter.write_line("ALL_TESTS is set: what was skipped counts as a failure")


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0 and skipped_though_all_must_run(session.config):
        session.exitstatus = 1
