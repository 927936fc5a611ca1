"One session of Spark for all tests: executors are processes of their own, so what crosses over is pickled in earnest."
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["MPLBACKEND"] = "agg"


def pytest_addoption(parser):
    parser.addoption("--connect", action="store_true", help="by Spark Connect, which has no SparkContext here")


@pytest.fixture(scope="session")
def spark(tmp_path_factory, request):
    from pyspark.sql import SparkSession

    options = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
        "spark.default.parallelism": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.worker.dir": str(tmp_path_factory.mktemp("worker")),
    }
    connect, master = request.config.getoption("--connect"), "local-cluster[2,1,1024]"
    builder = SparkSession.builder.appName("tests")
    builder = builder.remote(master) if connect else builder.master(master)
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    if not connect:
        session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    shutil.rmtree("spark-warehouse", ignore_errors=True)
