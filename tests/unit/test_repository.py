# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Consistency of the repository: version, packages, licences, modules, names of tests."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import tomllib

import pytest
from ccm.version import VERSION

from tests.tools import steps, targets
from tests.tools import version as version_tool

from .layout import PACKAGE, PLUGINS, ROOT, parts_of, sources, tracked

APACHE, GPL = "Apache-2.0", "GPL-3.0-or-later"
SPDX = re.compile(r"SPDX-License-Identifier: ([A-Za-z0-9.+-]+)")
# Licence texts, and the file for ansible-galaxy.
NEED_NO_LINE = {"COPYING", f"LICENSES/{APACHE}.txt", f"LICENSES/{GPL}.txt"}


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_version_is_the_same_everywhere():
    assert version_tool.versions() == {"plugins/module_utils/version.py": VERSION, "galaxy.yml": VERSION}
    assert "version" in project()["project"]["dynamic"]
    assert project()["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "ccm.version.VERSION"}


def test_a_new_version_is_written_everywhere(tmp_path):
    for path, _pattern, _form in version_tool.PLACES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text((ROOT / path).read_text("utf-8"), encoding="utf-8")
    version_tool.write("2.10.3-rc.1", tmp_path)
    assert set(version_tool.versions(tmp_path).values()) == {"2.10.3-rc.1"}
    with pytest.raises(ValueError, match="is not a version"):
        version_tool.write("2.0", tmp_path)


def test_packages_are_declared(monkeypatch):
    folders = {".".join(("ccm", *parts_of(path))) for path in sources() if path.name == "__init__.py"}
    declared = []

    def setup(packages):
        declared.extend(packages)

    monkeypatch.setattr("setuptools.setup", setup)
    runpy.run_path(str(ROOT / "setup.py"))
    assert sorted(folders) == declared, "setup.py declares each folder with an __init__.py"


def reuse_globs():
    """Return the patterns of REUSE.toml and their licences."""
    annotations = tomllib.loads((ROOT / "REUSE.toml").read_text("utf-8"))["annotations"]
    return [(glob(path), entry["SPDX-License-Identifier"]) for entry in annotations for path in entry["path"]]


def glob(pattern):
    """Return a REUSE pattern as a regular expression: `**` is any text, `*` any text without a slash."""
    parts = re.split(r"(\*\*|\*)", pattern)
    return re.compile("".join({"**": ".*", "*": "[^/]*"}.get(part, re.escape(part)) for part in parts))


def licence(path):
    """Return the licence of a tracked file: its own line in the first lines, or from REUSE.toml; None without."""
    head = (ROOT / path).read_text("utf-8").splitlines()[:20]
    found = [match[1] for match in map(SPDX.search, head) if match]
    if found:
        return found[0]
    return next((name for pattern, name in reuse_globs() if pattern.fullmatch(str(path))), None)


def test_every_file_has_a_licence():
    found = {str(path): licence(path) for path in tracked()}
    assert len(found) > 400
    without = [path for path, name in found.items() if name is None and path not in NEED_NO_LINE]
    assert without == [], "these files need a line SPDX-License-Identifier, or an entry in REUSE.toml"
    assert set(found.values()) == {APACHE, GPL, None}


def test_plugins_have_the_licence_of_their_directory():
    wrong = []
    for path in tracked("plugins"):
        wanted = APACHE if path.parts[1] == "module_utils" else GPL
        if licence(path) != wanted:
            wrong.append(f"{path}: {licence(path)}, not {wanted}")
    assert wrong == []


def test_licence_texts_are_complete():
    texts = {path.stem: path.read_text("utf-8") for path in (ROOT / "LICENSES").iterdir()}
    assert set(texts) == {APACHE, GPL}
    assert "END OF TERMS AND CONDITIONS" in texts[APACHE]
    assert "END OF TERMS AND CONDITIONS" in texts[GPL]
    assert (ROOT / "COPYING").read_text("utf-8") == texts[GPL]


def test_sanity_ignores_nothing():
    assert tracked("tests/sanity/ignore-*.txt") == []


def test_the_changelog_marks_names_as_rst_does():
    """`C(name)` is for the documentation of modules; a changelog would show the letter and the parentheses."""
    paths = [path for path in tracked("changelogs") if path.suffix in (".yml", ".yaml")]
    markup = re.compile(r"\b[BCEILMOPRUV]\([^)]*\)")
    marked = {path.name: markup.findall((ROOT / path).read_text("utf-8")) for path in paths}
    assert paths and {name: found for name, found in marked.items() if found} == {}


def test_no_file_contains_the_path_of_the_checkout():
    here = str(ROOT).encode()
    found = [str(path) for path in tracked() if here in (ROOT / path).read_bytes()]
    assert found == [], f"these files contain {ROOT}"


TARGETS = ("help", *steps.TARGETS, *targets.OTHERS)


@pytest.mark.starts_processes
@pytest.mark.parametrize("target", TARGETS)
def test_make_has_its_targets(target):
    env = {key: value for key, value in os.environ.items() if not key.startswith("MAKE") and key != "MFLAGS"}
    done = subprocess.run(["make", "-n", target], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_contributing_page_has_each_target_and_its_time():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = [f"| `make {name}` | {about['does']} | {about['time']} |" for name, about in steps.TARGETS.items()]
    assert [row for row in rows if row not in page] == []


def test_continuous_integration_skips_nothing():
    script = ROOT / ".ci/run"
    lines = [line for line in script.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    assert os.access(script, os.X_OK)
    assert lines[-3:] == ["export CCM_REQUIRE=root,hosts,http", "make check", "exec make ci"]


def test_the_top_of_the_package_is_empty():
    """Ansible replaces it with an empty file on managed nodes."""
    assert (PACKAGE / "__init__.py").read_bytes() == b""


# Test files below tests/unit that test behaviour across several source files, by directory.
ACROSS_SOURCES = {
    "action": "refusals shell_syntax",
    "ansible_tasks": "documentation",
    "cli": (
        "default_ensure ensure_accounts ensure_archive ensure_package_service ensure_scaffold health_check_secrets"
        " health_checks lint_findings memory named_pipes nats network_faults other_locales owed_refreshes"
        " refused_manifests replaced_directories secrets sensitive_undo source_secrets watch_bad_days written_lines"
        " controls links trees"
    ),
    "cli/state_attack": "damaged_state ended_runs link_swaps power_failure runs_at_once",
    "engine": "orders session_killed state_place",
    "engine/state": "failing_store histories lost_refreshes",
    "engine/watching": "own_writes",
    "health/goss": "hostile_rules",
    "host": "last_directory",
    "host/archives": "hostile_archives refused_entries",
    "lang/expr": "builtins language messages properties",
    "lang/gotemplate": "messages properties",
    "lang/gotemplate/sprig": "matching messages values",
    "lang/jet": "messages unclosed",
    "lint": "agreement_with_runs number_of_calls recorded_manifests refusals",
    "manifest": "groups_of_types threads",
    "nats": "network_faults",
    "resources": "cases feeds shown_by_types time_limits types_in_runs",
    "resources/archive": "killed",
    "resources/file": "killed left_out written",
    "resources/package": "operations",
    "resources/scaffold": "killed",
    "resources/service": "causes states",
    "resources/ssh_authorized_key": "runs",
    "schema": "manifest_data",
}
# Directories of sources that are not in module_utils.
OTHER_SOURCES = {
    "action": PLUGINS / "action",
    "bench": ROOT / "tests/bench",
    "plugin_utils": PLUGINS / "plugin_utils",
}


def test_each_unit_test_is_named_after_a_source_or_a_listed_behaviour():
    """tests/unit/engine/test_session.py tests engine/session.py, or the package engine/session."""
    listed = {f"{folder}/test_{name}.py" for folder, names in ACROSS_SOURCES.items() for name in names.split()}
    unnamed = set()
    for path in tracked("tests/unit"):
        test = path.relative_to("tests/unit")
        if len(test.parts) > 1 and test.name.startswith("test_"):
            folder = OTHER_SOURCES.get(test.parts[0], PACKAGE / test.parent)
            source = folder / test.stem.removeprefix("test_")
            if not source.with_suffix(".py").is_file() and not (source / "__init__.py").is_file():
                unnamed.add(str(test))
    assert unnamed - listed == set(), "name them after the source that they test, or list them in ACROSS_SOURCES"
    assert listed - unnamed == set(), "ACROSS_SOURCES lists these in vain"


# Layers whose sources have tests of their names: tests/unit/model/test_decode.py tests model/decode.py.
NAMED_TESTS = ("engine", "manifest", "model")
# Sources without anything that a test can see to be wrong, with the reason.
NOT_TESTED = {
    "model/protocols.py": "four texts, which tests of events and requests compare",
}


@pytest.mark.parametrize("layer", NAMED_TESTS)
def test_sources_have_tests_of_their_names(layer):
    """At least four in five, so that the tests of a source are found by its name."""
    names = [path.relative_to(PACKAGE) for path in sources(PACKAGE / layer) if path.stat().st_size]
    counted = [path for path in names if str(path) not in NOT_TESTED]
    missing = [str(path) for path in counted if not (ROOT / "tests/unit" / path.parent / f"test_{path.name}").is_file()]
    print(f"{layer}: {len(counted) - len(missing)} of {len(counted)} sources have tests of their names")
    assert 5 * len(missing) <= len(counted), f"add tests/unit/<folder>/test_<source>.py for some of {missing}"


def test_only_short_declarations_need_no_tests():
    lengths = {path: len((PACKAGE / path).read_text("utf-8").splitlines()) for path in NOT_TESTED}
    assert {path: length for path, length in lengths.items() if length > 15} == {}
