"One session of Spark for all tests: executors are processes of their own, so what crosses over is pickled in earnest."
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["MPLBACKEND"] = "agg"


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
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
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("tests")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    shutil.rmtree("spark-warehouse", ignore_errors=True)
