# Every target does its own set-up in .venv (bench in .venv-bench, parity in .venv-parity): once, and again when settings.ini, setup.py or pyproject.toml change.
# Python and make are all that is assumed. Another Python: make test PYTHON=python3.12
PYTHON ?= python3
NEED := $(shell sed -n 's/^min_python *= *//p' settings.ini)
BARE := $(shell sed -n 's/^parity_bare *= *//p' settings.ini)
PY := .venv/bin/python
METADATA := settings.ini setup.py pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test matrix lab export docs vectors bench bench-quick parity

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name says; do printf 'make %-12s%s\n' "$$name" "$$says"; done

demo: .venv/.runtime ## compare six retrieval systems on real judgments: which differ, one query explained, a plot to look at
	@.venv/bin/irmetrics demo

test: .venv/.dev ## check everything: notebooks, package, pages, types, the wheel, and how much of the package that runs
	@PYTHONDONTWRITEBYTECODE= $(PY) -m pytest $(or $(ARGS),--cov)

matrix: .venv/.dev ## the quick tests on every Python that is here, and with the oldest versions allowed
	@$(PY) -m nox -f tests/tools/noxfile.py $(ARGS)

lab: .venv/.dev ## open the notebooks in JupyterLab
	@$(PY) -m jupyterlab nbs $(shell [ "$$(id -u)" != 0 ] || echo --allow-root)

export: .venv/.dev ## notebooks -> irmetrics_nb/*.py and README.md, and clean the notebooks
	@$(PY) tests/tools/export.py

docs: .venv/.dev ## process the pages, and render the site into _docs/ where quarto is installed
	@$(PY) tests/tools/docs.py

vectors: .venv/.dev ## write conformance/ anew: cases for every language, by the exact implementation in tests/exact
	@PYTHONPATH=tests $(PY) -m exact

bench: .venv-bench/.package ## measure time and memory against other tools, on 7 million rows and more
	@.venv-bench/bin/python benchmarks/run.py $(ARGS)

bench-quick: .venv-bench/.package ## the same on a tenth of the rows, in two minutes
	@.venv-bench/bin/python benchmarks/run.py --quick $(ARGS)

parity: .venv-parity/.tools ## ask other tools about random collections and the vectors, and compare with their conventions here
	@PYTHONPATH=. .venv-parity/bin/python parity/run.py $(ARGS)
	@PYTHONPATH=. .venv-parity/bin/python parity/vectors.py
	@PYTHONPATH=. .venv-parity/bin/python parity/identify.py
	@.venv-parity/bin/python -m pytest -q -rs -c /dev/null parity/test_libraries.py

# What demo needs: the package and its requirements.
.venv/.runtime: $(METADATA)
	@$(call ready,.venv)
	@echo "Installing what the package needs into .venv ..."
	@$(call install,-e .)
	@touch $@

# What everything else needs: the tools for notebooks, tests and pages as well.
.venv/.dev: $(METADATA)
	@$(call ready,.venv)
	@echo "Installing the package and its development tools into .venv (a minute or two, once) ..."
	@$(call install,-e '.[dev]')
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

# Packages into .venv: by uv, in a tenth of pip's time; by pip where uv cannot be had, or does not know the index that pip does.
define install
$(PY) -m pip --disable-pip-version-check -qq install uv 2>/dev/null && $(PY) -m uv -q pip install --python $(PY) $(1) 2>/dev/null || \
	$(PY) -m pip --disable-pip-version-check -qq install $(1)
endef

# A virtual environment in folder $(1) with a working pip, made with a Python that is new enough.
define ready
if ! $(1)/bin/python -m pip --version >/dev/null 2>&1; then \
	command -v "$(PYTHON)" >/dev/null || { echo "No program '$(PYTHON)' here: install Python $(NEED) or newer, or name one: make PYTHON=..." >&2; exit 1; }; \
	"$(PYTHON)" -c 'import sys; have = sys.version.split()[0]; sys.exit(sys.version_info < tuple(map(int, "$(NEED)".split("."))) and "Python $(NEED) or newer is needed, $(PYTHON) is %s. Name another: make PYTHON=..." % have)' && \
	"$(PYTHON)" -m venv --clear $(1); \
fi
endef
