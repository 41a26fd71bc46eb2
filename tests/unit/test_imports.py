# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An import is inside a function only where measured runs do without it, and these runs import nothing slow."""

from __future__ import annotations

import pytest

from tests.tools import late_imports
from tests.tools.no_processes import starts_processes

SLOW = {
    *("argparse", "dataclasses", "decimal", "hashlib", "http.client", "inspect", "json", "logging", "pathlib"),
    *("random", "re", "shutil", "socket", "ssl", "subprocess", "tempfile", "typing", "urllib.parse", "urllib.request"),
    "yaml",
}
# Imports of measured runs of the command: expressions need re. Downloads are in the same file as unpacking, and zstd
# needs a program. All others import none.
NEEDED = {
    "`ccm --help`": {"re"},
    "`ccm apply` with an expression": {"re"},
    "`ccm apply --hiera`": {"re"},
    "`ccm apply` with a health check": {"re", "subprocess"},
    "`ccm apply` with rules of goss": {"re"},
    "`ccm apply` of a package": {"re", "subprocess"},
    "`ccm apply` of a package with dnf": {"re", "subprocess"},
    "`ccm apply` of a service": {"re", "subprocess"},
    "`ccm apply` that unpacks an archive": SLOW - {"argparse", "dataclasses", "decimal", "inspect", "json", "yaml"},
    "`ccm apply` of an address": SLOW
    - {"argparse", "dataclasses", "decimal", "inspect", "json", "logging", "pathlib"}
    - {"subprocess", "typing", "yaml"},
    "`ccm watch`": {"json", "re", "socket", "subprocess"},
    "`ccm lint`": {"re"},
    "`ccm lint` of Go templates": {"re"},
    "`ccm lint` of Jet templates": {"re", "urllib.parse"},
}

# Of the package, in a converged run of one file, without empty files of folders.
MOST_FILES = 80


@pytest.fixture(scope="module")
@starts_processes
def measured(tmp_path_factory):
    return late_imports.runs(tmp_path_factory.mktemp("runs"))


def test_runs_of_the_command_import_no_slow_module_without_need(measured):
    imported = {
        name: {module for module in SLOW if "std:" + module in loaded} - NEEDED.get(name, set())
        for name, loaded in measured.items()
        if not name.startswith("module")
    }
    assert {name: modules for name, modules in imported.items() if modules} == {}


def test_a_converged_run_of_a_list_imports_only_types_and_providers(measured):
    runs = ("`ccm apply` of a file", "`ccm apply` of a command", "`ccm apply` of a service", "module `apply`")
    facets = {name: {module for module in measured[name] if module.endswith(".facets")} for name in runs}
    assert {name: modules for name, modules in facets.items() if modules} == {}


def test_a_run_without_expressions_imports_nothing_that_resolves_them(measured):
    unneeded = {"data.merge", "data.templates", "model.environment", "data.property_expressions"}
    unneeded |= {"cli.completion_values", "model.protocols"}
    for name in ("`ccm apply` of a file", "`ccm apply` of a command"):
        assert not unneeded & measured[name], name


def test_a_command_for_one_resource_imports_nothing_that_reads_data_where_no_file_has_any(measured):
    for name in ("`ccm ensure file`", "`ccm ensure api pipe`"):
        assert not {"data.sources", "data.hierarchy", "data.reading", "data.merge"} & measured[name], name


def test_only_runs_with_sources_in_nats_import_its_client(measured):
    client = {"nats.access", "nats.client", "nats.connection", "std:asyncio", "std:nats"}
    assert {name: client & loaded for name, loaded in measured.items() if client & loaded} == {}


def test_a_run_without_state_imports_nothing_of_it(measured):
    assert not {module for module in measured["`ccm apply --no-state`"] if module.startswith("engine.state")}


def test_a_converged_run_of_a_list_imports_only_what_compares_the_digest_of_its_state(measured):
    """With state between runs; that something may be owed, kept or sent is imported where that is so."""
    compared = {"engine.between_runs"}
    of_state = ("engine.state", "engine.refreshed_state", "engine.reached", *compared)
    for name in ("`ccm apply` of a file", "`ccm apply --noop`", "`ccm apply` of a command"):
        modules = {module.rpartition("ccm.")[2] for module in measured[name]}
        loaded = {module for module in modules if module.startswith(of_state)}
        # What a command reached is not in the text of the manifest, and a command may be owed a refresh.
        of_command = {"engine.reached", "engine.refreshed_state"} if name.endswith("command") else set()
        assert loaded == compared | of_command, name
    assert not {"engine.conditions", "engine.late_calls"} & measured["`ccm apply` of a command"]


def test_a_converged_run_imports_few_files(measured):
    """Each costs about 350,000 instructions and 12 system calls (tests/bench/counts.py has budgets for all of it)."""
    for name in ("`ccm apply` of a file", "`ccm apply --noop`", "`ccm apply --no-state`"):
        loaded = {module for module in measured[name] if not module.startswith("std:")}
        assert len(loaded) <= MOST_FILES, sorted(loaded)
        assert not {"data.dotenv", "health.checks", "host.hidden_files", "lang.digits"} & loaded, name


def test_a_run_that_manages_one_resource_at_a_time_imports_nothing_of_threads(measured):
    loaded = measured["`ccm apply` in graph order"]
    assert "engine.interruptions" in loaded
    assert not loaded & {"engine.workers", "engine.recording", "host.threads", "std:threading", "std:queue"}


def test_a_run_imports_what_starts_threads_when_one_starts(measured):
    loaded = measured["`ccm apply --parallel`"]
    assert "engine.workers" in loaded
    assert not loaded & {"std:threading", "std:queue", "std:collections", "std:copy", "std:functools", "std:signal"}


@pytest.mark.needs("dpkg")
def test_each_import_inside_a_function_spares_a_run_something(measured):
    assert "cli.main" in measured["`ccm --version`"]
    assert "manifest.loader" not in measured["`ccm --version`"]
    assert "resources.file.posix" in measured["`ccm apply` of a file"] & measured["module `file`"]
    wrong = late_imports.without_reason(measured)
    assert not wrong, "\n".join(wrong)
