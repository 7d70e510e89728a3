# `make check` is what CI runs. Everything happens in .venv; nothing else on the machine is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: check venv format lint types imports wheel test peers bench catalogues clean

check: venv lint types imports wheel test

venv: $(BIN)/shardrill

$(BIN)/shardrill: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'

format: venv
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: venv
	$(BIN)/mypy

imports: venv
	$(BIN)/lint-imports --no-cache

wheel: venv
	$(BIN)/python .build/check_wheel.py

test: venv catalogues
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	$(BIN)/pytest

catalogues: venv
	$(BIN)/python .build/catalogues.py

peers: venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,peers]'
	$(BIN)/pytest -m peers

bench: venv
	$(BIN)/python tests/bench

clean:
	rm -rf $(VENV) build dist
