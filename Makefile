# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Needs git, make, python3 (3.11 or newer) and python3-venv; fetches the rest into .venv with pip.

PYTHON ?= python3
RUNNER := $(shell find plugins/module_utils -name '*.py') pyproject.toml README.md
# In the environment of the tests, without the other variables of the caller.
CLEAN := "$(PYTHON)" -I tests/tools/environment.py PYTHON="$(PYTHON)"
STEPS := demo check test ci soak guides fresh unit lint site mutations bench bench-report
# What measures the command or starts it as users have it.
NEED_RUN := demo test ci soak guides unit bench bench-report

.PHONY: help
help: # what each target is for
	@$(CLEAN) "$(PYTHON)" -m tests.tools.targets

# What a target will do to this system, and about how long it takes, before anything is done.
.PHONY: $(STEPS:%=announce-%)
$(STEPS:%=announce-%):
	@$(CLEAN) "$(PYTHON)" -m tests.tools.targets $(@:announce-%=%)

# tests/tools/steps.toml has what each of them does.
.PHONY: $(STEPS)
$(STEPS): %: announce-% .venv/.stamp
	@$(CLEAN) "$(PYTHON)" -m tests.tools.steps $@

$(NEED_RUN): .venv-run/.stamp

ci site: .venv-site/.stamp

# Kills and generated texts are chosen by a seed, here another one each day: make soak SEED=20261121 repeats a day.
soak: export CCM_SEED := $(or $(SEED),$(shell date +%Y%m%d))

# make bench-report CCM=/path/of/the/original MGMT=/path/of/mgmt ROUNDS=1 ONLY=files LIMIT=60 PAGE=/path/of/page.md
bench-report: export CCM_BENCH_ORIGINAL := $(CCM)
bench-report: export CCM_BENCH_MGMT := $(MGMT)
bench-report: export CCM_BENCH_ROUNDS := $(ROUNDS)
bench-report: export CCM_BENCH_ONLY := $(ONLY)
bench-report: export CCM_BENCH_LIMIT := $(LIMIT)
bench-report: export CCM_BENCH_PAGE := $(PAGE)
bench-report: .venv-bench/.stamp

.PHONY: format
format: .venv/.stamp
	@$(CLEAN) .venv/bin/ruff check --quiet --fix . || true
	@$(CLEAN) .venv/bin/ruff format .

.PHONY: docs
docs: .venv/.stamp
	@$(CLEAN) .venv/bin/python -m tests.tools.docs
	@$(CLEAN) .venv/bin/python -m tests.tools.late_imports > docs/design/imports.md

.PHONY: packages
packages: .venv/.stamp
	@$(CLEAN) .venv/bin/python packaging/build.py

# Fragments of the changelog become the section of the version in CHANGELOG.rst.
.PHONY: changelog
changelog: .venv/.stamp
	@$(CLEAN) PATH="$(CURDIR)/.venv/bin:$(PATH)" antsibull-changelog release --update-existing

# From the last commit, into dist/: docs/releasing.md
.PHONY: release
release: .venv/.stamp
	@$(CLEAN) .venv/bin/python -m tests.tools.release

.PHONY: version
version: .venv/.stamp
	@$(CLEAN) .venv/bin/python tests/tools/version.py "$(VERSION)"

.PHONY: clean
clean:
	rm -rf .venv .venv-run .venv-bench .venv-site .ansible .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist collections *.egg-info tests/output
	rm -rf docs/ccm.1 docs/design/imports.md docs/reference docs/schemas
	find plugins tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment to develop and test in: the package is installed editable.
.venv/.stamp: tests/requirements.txt pyproject.toml tests/tools/venv
	@$(CLEAN) tests/tools/venv dev

# The command as users have it: a regular installation, where start-up is measured.
.venv-run/.stamp: .venv/.stamp $(RUNNER)
	@$(CLEAN) tests/tools/venv run

# The programs that `make bench-report` compares with, where they are Python packages.
.venv-bench/.stamp: .venv/.stamp tests/bench/requirements.txt
	@$(CLEAN) tests/tools/venv bench

# What makes the site of the documentation.
.venv-site/.stamp: .venv/.stamp tests/site/requirements.txt
	@$(CLEAN) tests/tools/venv site
