# make run    set up, evolve a network on a shipped table, import what came out
# make test   set up, run all tests
# make docs   set up, build the documentation into docs/_build
# make dist   set up, build the sdist and the wheel into dist
.PHONY: compile_commands.json run test lint campaign matrix docs dist clean

PYTHON ?= python3
BIN := .venv/bin
RUN := build/wdbc-multi_layer-seed1
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# uv takes a third of pip's time. It does not read pip's configuration: where it fails, pip installs.
# Neither compiles what it installs, which takes as long as all else: little of it is imported.
install = $(PIP) uv && $(BIN)/uv pip install --quiet --python $(BIN)/python --editable $(1) \
	|| $(PIP) --no-compile --editable $(1)

run: .venv/installed
	$(BIN)/dsgec evolve grammars/multi_layer.bnf tables/wdbc.csv --generations 100 --overwrite
	$(BIN)/python examples/use_predictor.py $(RUN)

# Hundreds of processes start; kept bytecode halves what that takes.
test: export PYTHONDONTWRITEBYTECODE =
test: export PYTHONPYCACHEPREFIX = $(CURDIR)/build/bytecode
test: .venv/developing
	$(BIN)/python -m pytest -n auto

# The hooks of .pre-commit-config.yaml, on all files.
lint: export PATH := $(CURDIR)/$(BIN):$(PATH)
lint: .venv/developing
	$(BIN)/pre-commit run --all-files

# The long tests: fuzzing, hundreds of random networks, millions of points of every function.
campaign: .venv/campaigning
	$(BIN)/python -m pytest -n auto -m campaign --timeout 3600

# For clangd and editors: how each C file of the engine is compiled alone.
compile_commands.json: .venv/developing
	$(BIN)/python -m tests.support.compile_commands

# Every Python of this machine, with the newest and with the lowest dependencies: the same bytes.
# PYTHONS names further interpreters.
matrix: .venv/developing
	$(BIN)/python -m tests.matrix $(PYTHONS)

# Without the network once it is set up. A warning is an error; all are printed before it fails.
docs: .venv/documenting
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --quiet docs docs/_build

# The wheel is built from the sdist.
dist: .venv/developing
	rm -rf dist
	$(BIN)/python -m build

clean:
	rm -rf .venv dist docs/_build
	git clean -fdXq build

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(call install,.)
	touch $@

.venv/campaigning: .venv/developing
	$(call install,'.[campaign]')
	touch $@

.venv/documenting: pyproject.toml
	$(PYTHON) -m venv .venv
	$(call install,'.[docs]')
	touch .venv/installed $@

.venv/developing: pyproject.toml
	$(PYTHON) -m venv .venv
	$(call install,'.[dev]')
	touch .venv/installed $@
