# Every target does its own set-up in .venv: once, and again when settings.ini, setup.py or pyproject.toml change.
# Python and make are all that is assumed. Another Python: make test PYTHON=python3.12
PYTHON ?= python3
NEED := $(shell sed -n 's/^min_python *= *//p' settings.ini)
PY := .venv/bin/python
PIP := $(PY) -m pip --disable-pip-version-check -qq install
METADATA := settings.ini setup.py pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test lab export docs bench

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name says; do printf 'make %-8s%s\n' "$$name" "$$says"; done

demo: .venv/.runtime ## evaluate a real retrieval run against real judgments: a table, and a plot to look at
	@.venv/bin/irmetrics demo

test: .venv/.dev ## check everything: notebooks, package, pages, the wheel
	@$(PY) -m pytest $(ARGS)

lab: .venv/.dev ## open the notebooks in JupyterLab
	@$(PY) -m jupyterlab nbs $(shell [ "$$(id -u)" != 0 ] || echo --allow-root)

export: .venv/.dev ## notebooks -> irmetrics_nb/*.py and README.md, and clean the notebooks
	@$(PY) tests/tools/export.py

docs: .venv/.dev ## process the pages, and render the site into _docs/ where quarto is installed
	@$(PY) tests/tools/docs.py

bench: .venv/.runtime ## measure the speed against other tools
	@if [ -f benchmarks/run.py ]; then $(PY) benchmarks/run.py; else echo "Nothing to run yet: there is no benchmarks/run.py."; fi

# What demo needs: the package and its requirements.
.venv/.runtime: $(METADATA)
	@$(ready)
	@echo "Installing what the package needs into .venv ..."
	@$(PIP) -e .
	@touch $@

# What everything else needs: the tools for notebooks, tests and pages as well.
.venv/.dev: $(METADATA)
	@$(ready)
	@echo "Installing the package and its development tools into .venv (a minute or two, once) ..."
	@$(PIP) -e '.[dev]'
	@touch .venv/.runtime $@

# A virtual environment with a working pip, made with a Python that is new enough.
define ready
if ! $(PY) -m pip --version >/dev/null 2>&1; then \
	command -v "$(PYTHON)" >/dev/null || { echo "No program '$(PYTHON)' here: install Python $(NEED) or newer, or name one: make PYTHON=..." >&2; exit 1; }; \
	"$(PYTHON)" -c 'import sys; have = sys.version.split()[0]; sys.exit(sys.version_info < tuple(map(int, "$(NEED)".split("."))) and "Python $(NEED) or newer is needed, $(PYTHON) is %s. Name another: make PYTHON=..." % have)' && \
	"$(PYTHON)" -m venv --clear .venv; \
fi
endef
