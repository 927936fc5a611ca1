"What every test stands on: no window for plots, and the same random examples in every run."
import os
import signal
from collections import Counter

import hypothesis
import pytest

os.environ["MPLBACKEND"] = "agg"
hypothesis.settings.register_profile("project", max_examples=40, deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("project")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    "In a worker pytest-cov traces twice, and can pause but the second: the first ends here."
    coverage = session.config.pluginmanager.getplugin("_cov")
    if hasattr(session.config, "workerinput") and coverage and coverage.cov_controller:
        coverage.cov_controller.pause()


def pytest_collection_modifyitems(items):
    "Tracing lines takes longer than running them: two cases of a test are traced, and no drawn example."
    traced = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        traced[test] += 1
        if traced[test] > 2 or getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("no_cover")


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
