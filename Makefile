# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Needs git, make, python3 (3.11 or newer) and python3-venv; fetches the rest into .venv with pip.

PYTHON ?= python3
RUNNER := $(shell find plugins/module_utils -name '*.py') pyproject.toml README.md

.PHONY: help
help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: announce-demo .venv/.stamp .venv-run/.stamp ## apply an example manifest: preview, run, run again, then the same as a play
	@python3 tests/tools/step demo tests/demo/run

.PHONY: check
check: announce-check .venv/.stamp ## the quick part, for daily use: lint, vectors, unit tests that start no process
	@tests/tools/steps check

.PHONY: test
test: announce-test .venv/.stamp .venv-run/.stamp ## every test, the lint included
	@tests/tools/steps test

.PHONY: soak
soak: announce-soak .venv/.stamp .venv-run/.stamp ## the long part: many kills, many generated texts and archives, times
	@tests/tools/steps soak

# What will be done to this system, and about how long it takes.
.PHONY: announce-demo announce-check announce-test announce-soak
announce-demo announce-check announce-test announce-soak:
	@tests/tools/announce $(@:announce-%=%)

.PHONY: lint
lint: .venv/.stamp ## style, types, Python 3.8 on managed nodes, changelog and documentation
	@tests/tools/steps lint

.PHONY: bench
bench: .venv/.stamp .venv-run/.stamp ## how long the command takes
	@tests/tools/steps bench

.PHONY: format
format: .venv/.stamp ## lay the Python files out as the lint wants them
	@.venv/bin/ruff check --quiet --fix . || true
	@.venv/bin/ruff format .

.PHONY: docs
docs: .venv/.stamp ## write the schema, the tables and the commands' help into docs/
	@.venv/bin/python -m tests.tools.docs
	@.venv/bin/python -m tests.tools.late_imports --write

.PHONY: version
version: .venv/.stamp ## make version VERSION=1.2.3 writes it where it stands
	@.venv/bin/python tests/tools/version.py "$(VERSION)"

.PHONY: clean
clean: ## take away everything that make made
	rm -rf .venv .venv-run .ansible .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist collections *.egg-info tests/output
	find plugins tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment to develop and test in: the package is installed editable.
.venv/.stamp: tests/requirements.txt pyproject.toml tests/tools/venv
	@PYTHON="$(PYTHON)" tests/tools/venv dev

# The command as users have it: a regular installation, where start-up is measured.
.venv-run/.stamp: .venv/.stamp $(RUNNER)
	@PYTHON="$(PYTHON)" tests/tools/venv run
