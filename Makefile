# Two commands for a fresh machine with Python 3.11 or newer, pip, git and make:
#
#   make demo   sets up everything and fills the sample tables
#   make test   sets up everything and runs the tests (`make test-long` all of them)
#
# Everything is installed into .venv, at the versions named in constraints.txt.

PYTHON ?= python3
VENV := .venv
OLDEST := .venv-oldest
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# Tests side by side, those of one cluster in one process; `make test SIDE_BY_SIDE=` runs them one after another.
SIDE_BY_SIDE := --numprocesses=logical --maxprocesses=4 --dist=loadgroup

# Pages and tests share the compiled kernels.
KERNELS = NUMBA_CACHE_DIR="$$($(1)/bin/python tests/kernel_cache.py)"

.PHONY: demo test test-plain test-oldest test-long kernels-oldest lint types docs check listings reproduce benchmark clean

demo: $(VENV)/.demo
	$(BIN)/iim demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(SIDE_BY_SIDE)

# The kernels as plain Python: slow, and visible to coverage and debuggers. Only what stands close to them.
PLAIN := tests/unit/core tests/unit/kernels tests/unit/cluster/partition tests/golden/test_example.py

test-plain: $(VENV)/.dev
	IIM_HYPOTHESIS=short NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(SIDE_BY_SIDE) $(PLAIN) \
		-m "not slow and not long" --cov --cov-report=term:skip-covered

# With the oldest versions of everything that pyproject.toml allows: what meets the libraries, not arithmetic of ours.
MEETS_LIBRARIES := tests/contract tests/golden/test_example.py tests/unit/cluster tests/unit/files tests/unit/imputers \
	tests/unit/kernels tests/unit/persistence tests/unit/present tests/unit/table

test-oldest: $(OLDEST)/.test
	IIM_HYPOTHESIS=short $(OLDEST)/bin/python -m pytest $(SIDE_BY_SIDE) $(MEETS_LIBRARIES) \
		-m "(not slow or engine) and not long and not current"

# In advance, while other things are checked that use one core.
kernels-oldest: $(OLDEST)/.test
	$(call KERNELS,$(OLDEST)) $(OLDEST)/bin/python -m iim.compile

# The full matrix of methods, settings and moments, in all three ways; an hour.
test-long: $(VENV)/.dev $(OLDEST)/.test
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m ""
	IIM_HYPOTHESIS=short $(OLDEST)/bin/python -m pytest $(SIDE_BY_SIDE) -m "not slow or engine"
	IIM_HYPOTHESIS=short NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(SIDE_BY_SIDE) tests/unit tests/golden/test_example.py \
		--ignore=tests/unit/cli --ignore=tests/unit/reporting --ignore-glob="tests/unit/cluster/test_*" \
		--ignore=tests/unit/imputers/test_auto.py --ignore=tests/unit/imputers/test_certainty.py \
		--ignore=tests/unit/paper/layout --ignore=tests/unit/paper/datasets --ignore-glob="tests/unit/paper/test_[!l]*" -m "not slow"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

docs: $(VENV)/.dev
	$(call KERNELS,$(VENV)) $(BIN)/python -m sphinx --fail-on-warning --keep-going -q -b html docs docs/_build/html

# What names all methods: the types of the package, the README, the reference, the public names, the pages of commands.
listings: $(VENV)/.dev
	$(BIN)/python tests/listings.py
	$(BIN)/python tests/contract/test_cli_docs.py --write

check: lint types docs test-plain test-oldest test

# The paper's experiments, a small pass of everything; `make reproduce QUICK=` runs all of it. IIM_DATA names the folder of the data.
QUICK := --quick

reproduce: $(VENV)/.all
	$(BIN)/iim reproduce $(QUICK)

benchmark: $(VENV)/.dev
	$(BIN)/python benchmarks/speed

clean:
	rm -rf $(VENV) $(OLDEST) docs/_build docs/reference/generated build dist

$(VENV)/bin/python $(OLDEST)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) --version). Name another one: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(@:/bin/python=)

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable ".[cli,pandas]"
	@touch $@

$(VENV)/.all: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable ".[all]"
	@touch $@ $(VENV)/.demo

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable ".[dev]"
	@touch $@ $(VENV)/.demo $(VENV)/.all

$(OLDEST)/.test: $(OLDEST)/bin/python pyproject.toml constraints-oldest.txt
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-oldest.txt --editable ".[test]"
	@touch $@
