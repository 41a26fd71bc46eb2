# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of installed packages: the examples of the guide, and packages with faults."""

from __future__ import annotations

import ast
import json
import pathlib
import subprocess
import sys

import pytest
import yaml
from ccm.resources.types import resource_type
from ccm.testing import fake_program

from tests.blocks import PAGES, blocks
from tests.scripts import commands_in, matches
from tests.unit.layout import ROOT

from .site import EXAMPLES, HOSTNAME

__all__ = ["fake_program"]  # a fixture
SYSCTL = """
cd "$(dirname "$0")" && [ "$1" = -n ] && exec cat "$3"
shift
echo "$*" >> log
for given; do echo "${given#*=}" > "${given%%=*}"; done
"""


@pytest.fixture
def account_site(site):
    site.add_example("ccm-account")
    return site


def test_types_are_listed_with_their_package(account_site):
    ran = account_site.ccm("types")
    assert ran.returncode == 0, ran.stdout
    assert ran.stdout.splitlines()[-1].split() == ["account", "the", "package", "ccm-account", "1.0.0", "useradd"]
    rows = json.loads(account_site.ccm("types", "--json").stdout)["types"]
    assert {row["name"] for row in rows} >= {"apply", "file", "account"}


def test_what_a_package_says_does_not_control_a_terminal(site):
    site.add("bad", {"hostname": "bad:TYPE"}, bad="raise ValueError('\\x1b[31m\\u202e')")
    for words in ((), ("--json",), ("--schema", "manifest")):
        ran = site.ccm("types", *words)
        assert not set("\x1b\u202e") & set(ran.stdout), words
    assert r"ValueError: \x1b[31m\u202e" in site.ccm("types").stdout
    rows = json.loads(site.ccm("types", "--json").stdout)["types"]
    assert any("\x1b[31m\u202e" in row["error"] for row in rows)


def test_a_manifest_uses_a_type_of_a_package(account_site):
    text = """\
        ccm:
          resources:
            - account: {name: ccm-none, ensure: present, comment: New, groups: [root]}
            - account: {name: root, ensure: present, home: /root}
        """
    ran = account_site.ccm("apply", account_site.manifest(text), "--noop", "--diff", "--no-report")
    assert "account#ccm-none changed ensure=present" in ran.stdout
    assert "noop=Would have created the user" in ran.stdout
    assert "account#root stable ensure=present" in ran.stdout
    assert "+comment: New" in ran.stdout


def test_ensure_and_status_know_a_type_of_a_package(account_site):
    ran = account_site.ccm("ensure", "account", "root", "--home", "/root", "--noop")
    assert "account#root stable" in ran.stdout
    assert "--managehome" in account_site.ccm("ensure", "account", "--help").stdout
    assert "Type of the package ccm-account 1.0.0" in account_site.ccm("ensure", "--help").stdout
    status = json.loads(account_site.ccm("status", "account", "root", "--json").stdout)
    assert (status["uid"], status["home"]) == ("0", "/root")


def test_the_original_has_no_type_of_a_package(account_site):
    path = account_site.manifest("ccm: {resources: [{account: {name: ann, ensure: present}}]}")
    assert account_site.ccm("lint", path).returncode == 0
    ran = account_site.ccm("lint", "--upstream", path)
    assert (ran.returncode, "the original has no type account [portability]" in ran.stdout) == (1, True)


def test_lint_schema_and_completion_know_a_type_of_a_package(account_site):
    text = "ccm:\n  resources:\n    - account: {name: a, ensure: present, shel: /bin/sh}\n"
    ran = account_site.ccm("lint", account_site.manifest(text))
    assert (ran.returncode, 'unknown property "shel" in account, did you mean "shell"?' in ran.stdout) == (1, True)
    schema = json.loads(account_site.ccm("types", "--schema", "manifest").stdout)
    assert "managehome" in schema["$defs"]["account_properties"]["properties"]
    event = json.loads(account_site.ccm("types", "--schema", "event").stdout)
    assert "account" in event["$defs"]["event"]["properties"]["type"]["enum"]
    assert "account" in account_site.ccm("--completion-bash", "ensure", "").stdout.split()
    assert "account" in account_site.ccm("--completion-bash", "status", "").stdout.split()
    assert "--managehome" in account_site.ccm("--completion-bash", "ensure", "account", "--").stdout.split()
    assert "account#" in account_site.ccm("--completion-bash", "ensure", "service", "--subscribe", "").stdout.split()


def test_an_unknown_type_is_compared_with_those_of_packages(account_site):
    ran = account_site.ccm("apply", account_site.manifest("ccm:\n  resources:\n    - accont: {name: a}\n"))
    assert "did you mean account?" in ran.stdout


@pytest.mark.starts_processes
def test_changes_of_a_type_of_a_package_are_made_in_one_batch_and_undone(site, fake_program, monkeypatch):
    """The example keeps parameters in files here; each run of its program that changes something is a line of a log."""
    monkeypatch.setenv("CCM_STATE", str(site.work / "state"))
    site.add_example("ccm-sysctl")
    program = fake_program("sysctl", SYSCTL)
    values = {name: program.parent / name for name in ("a.one", "a.two", "a.three")}
    for path in values.values():
        path.write_text("1\n", encoding="utf-8")
    declared = "".join(f"{{sysctl: {{name: {name}, value: 2, meta: {{reverse: true}}}}}}, " for name in values)
    for text, expected in ((declared, "2\n"), ("", "1\n")):
        ran = site.ccm("apply", site.manifest(f"ccm: {{resources: [{text}{{mounted: {{name: /}}}}]}}"))
        assert (ran.returncode, " ERROR" in ran.stdout, "mounted#/ stable" in ran.stdout) == (0, False, True)
        assert [path.read_text(encoding="utf-8") for path in values.values()] == [expected] * 3
    lines = (program.parent / "log").read_text(encoding="utf-8").splitlines()
    assert sorted(lines[0].split()) == ["a.one=2", "a.three=2", "a.two=2"]
    assert sorted(lines[1:]) == ["a.one=1", "a.three=1", "a.two=1"]


@pytest.mark.starts_processes
def test_the_smallest_type_works(site):
    site.add_example("ccm-hostname")
    ran = site.apply("--noop")
    assert "noop=Would have set the name of the host" in ran.stdout
    name = site.ccm("status", "hostname", "x", "--json")
    assert json.loads(name.stdout)["provider"] == "hostname"
    assert len(HOSTNAME.splitlines()) <= 50


def refusal(package, reason):
    return f"resource type hostname of the package {package} 1.0.0 cannot be used: {reason}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise ValueError('broken')", "ValueError: broken"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
        ("import nosuch", "ModuleNotFoundError: No module named 'nosuch'"),
        ("TYPE = 1", "it is not a resource type, but int"),
        ("", "bad has no TYPE"),
        (
            HOSTNAME.replace("TYPE = HostnameType()", "TYPE = HostnameType"),
            "HostnameType is a class; name an instance of it",
        ),
        (HOSTNAME.replace("contract = 1", "contract = '1'"), "it is for contract '1', and this is contract 1"),
        (HOSTNAME.replace('    verbs = ("set",)\n', ""), "verbs must be a tuple, like (one,)"),
        (HOSTNAME.replace('("set",)', '"set"'), "verbs must be a tuple, like (one,)"),
        (HOSTNAME.replace('("set",)', '("act",)'), "'act' cannot be a verb: it must be a name for a method that"),
        (HOSTNAME.replace('("present",)', '"present"'), "ensure_choices must be a tuple, like (one,)"),
        (HOSTNAME.replace('("present",)', "()"), "it has neither ensure_choices nor default_ensure"),
        (HOSTNAME.replace("providers = (", "providers = list("), "TypeError: "),
        (
            HOSTNAME.replace("    contract = 1", "    contract = 1\n    call_timeout = '9'"),
            "call_timeout must be a number of seconds, not '9'",
        ),
        (
            HOSTNAME.replace("import NOTHING,", "import NOTHING, Relations,").replace(
                "    contract = 1",
                "    contract = 1\n    relations = type('Own', (Relations,), {'poll_seconds': float('nan')})()",
            ),
            "poll_seconds of its relations must be a number of seconds, at least 0.1, not nan",
        ),
        (
            HOSTNAME.replace("properties, refresh)", "properties)"),
            "decide takes (self, state, properties); the contract has 4",
        ),
        (
            HOSTNAME.replace("def set(self, properties, state)", "def set(self)"),
            "set of its provider hostname takes (self); the",
        ),
        (
            HOSTNAME.replace(
                "    def set", "    def manageable(cls, facts, properties):\n        return 1\n\n    def set"
            ),
            "manageable of its provider hostname must be a classmethod",
        ),
        (HOSTNAME.replace("    verbs =", "    own_properties = Property\n    verbs ="), "NameError"),
        (HOSTNAME.replace("contract = 1", "contract = 7"), "it is for contract 7, and this is contract 1"),
        (
            HOSTNAME.replace("    contract = 1\n", ""),
            "it has no version of the contract: write contract = 1 in the class",
        ),
        (
            HOSTNAME.replace('    name = "hostname"\n    contract', '    name = "other"\n    contract'),
            "its own name is 'other'",
        ),
        (HOSTNAME.replace("def set(", "def sett("), "its provider hostname has no method set"),
        (HOSTNAME.replace("def status(", "def stat("), "its provider hostname has no method status"),
        (HOSTNAME.replace("(HostnameProvider,)", "()"), "it has no providers"),
        (
            HOSTNAME.replace("    verbs =", "    own_properties = (1,)\n    verbs ="),
            "own_properties and undo_properties may hold only Property",
        ),
        (
            HOSTNAME.replace("    verbs =", '    semaphores = ("names")\n    verbs ='),
            "semaphores must be a tuple, like (one,)",
        ),
        (
            HOSTNAME + "\nTYPE.provider = lambda name: name\n",
            "'hostname' is not a provider class",
        ),
        (
            HOSTNAME.replace("    def decide(", "    def decid("),
            "TypeError: Can't instantiate abstract class HostnameType",
        ),
    ],
)
def test_a_package_with_a_fault_is_named(site, text, reason):
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    ran = site.apply()
    assert ran.returncode == 1
    assert "it is a fault of that package: update or remove it, or report it to its authors" in ran.stdout
    assert refusal("bad", reason) in ran.stdout
    assert "Traceback" not in ran.stdout
    assert "manifest.yaml:3:7" in ran.stdout
    listed = site.ccm("types")
    assert (listed.returncode, reason in listed.stdout) == (1, True)
    linted = site.ccm("lint", site.work / "manifest.yaml")
    assert (linted.returncode, reason in linted.stdout) == (1, True)


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ('Property("a"),  Property("a"),', "the property a is declared twice"),
        ('Property("a"),)\n    undo_properties = (Property("a"),', "the property a is declared twice"),
        ('Property("a-b"),', "the property 'a-b' must be named like a variable"),
        ('Property("noop"),', "the property 'noop' has the name of a property or of a flag that each type has"),
        ('Property("require"),', "the property 'require' has the name of a property or of a flag that each type has"),
        ('Property("a", "text"),', "the property 'a' is of the kind 'text', which is none of string, mode, boolean,"),
        ('Property("a", when="late"),', "the property 'a' has when='late', which is none of eager, deferred, never"),
        ('Property("a", "boolean", default="yes"),', "the default of the property 'a'"),
        ('Property("a", default=1),', "the default of the property 'a' must be of its kind, string"),
        ('Property("a", choices=("b",), default="c"),', "the default of the property 'a' is none of its choices"),
        ('Property("subscribe", "strings"),', "it has a property subscribe, but no method subscriptions"),
    ],
)
def test_a_wrong_property_is_refused(site, declared, reason):
    text = HOSTNAME.replace("import NOTHING,", "import NOTHING, Property,")
    text = text.replace("    verbs =", f"    own_properties = ({declared})\n    verbs =")
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    ran = site.apply()
    assert (ran.returncode, "Traceback" in ran.stdout) == (1, False)
    assert refusal("bad", reason) in ran.stdout


@pytest.mark.parametrize("name", ["Note", "my_note", "note2", "api"])
def test_names_that_references_and_commands_cannot_have_are_refused(site, name):
    text = HOSTNAME.replace('"hostname"\n    contract', f'"{name}"\n    contract')
    site.add("bad", {name: "bad:TYPE"}, bad=text)
    listed = site.ccm("types")
    assert (listed.returncode, "must have only the letters a to z, and not be api" in listed.stdout) == (1, True)


@pytest.mark.parametrize(
    ("declared", "given", "message"),
    [
        ('Property("a", required=True)', "", "a must not be empty"),
        ('Property("a", choices=("b", "c"))', "a: d", "a must be one of b, c"),
        ('Property("a", "mode")', "a: '999'", "a must be octal permissions like 0644"),
        ('Property("a", "mode")', "a: '17777'", "a must be octal permissions like 0644"),
        ('Property("a", "integer", minimum=2, maximum=4)', "a: 5", "a must be at most 4"),
        ('Property("a", "integer", minimum=2)', "a: 1", "a must be at least 2"),
    ],
)
def test_what_a_property_declares_is_checked(site, declared, given, message):
    text = HOSTNAME.replace("import NOTHING,", "import NOTHING, Property,")
    text = text.replace("    verbs =", f"    own_properties = ({declared},)\n    verbs =")
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    path = site.manifest(f"ccm: {{resources: [{{hostname: {{name: other.example, ensure: present, {given}}}}}]}}\n")
    for words in (("apply", path, "--noop"), ("lint", path)):
        ran = site.ccm(*words)
        assert (ran.returncode, message in ran.stdout) == (1, True), ran.stdout


def test_a_type_that_is_offered_by_another_name_too_has_a_fault_there(site):
    site.add("good", {"hostname": "good:TYPE", "misnamed": "good:TYPE"}, good=HOSTNAME)
    listed = site.ccm("types")
    assert (
        listed.returncode,
        "misnamed of the package good 1.0.0 cannot be used: its own name is 'hostname'" in listed.stdout,
    ) == (1, True)


def test_why_a_module_cannot_be_imported_is_shown_for_each_command(site):
    site.add("bad", {"hostname": "bad:TYPE"}, bad="import nosuchmodule")
    assert "Traceback" in site.ccm("--debug", "ensure", "hostname", "x").stdout
    assert "Traceback" not in site.ccm("ensure", "hostname", "x").stdout


def test_what_a_resource_of_a_package_subscribes_to_is_checked(site):
    text = HOSTNAME.replace("import NOTHING,", "import NOTHING, Property,")
    method = "    def subscriptions(self, properties):\n        return properties.subscribe\n\n    def decide("
    text = text.replace("    verbs =", '    own_properties = (Property("subscribe", "strings"),)\n    verbs =')
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text.replace("    def decide(", method))
    path = site.manifest("ccm: {resources: [{hostname: {name: other.example, subscribe: [x]}}]}\n")
    ran = site.ccm("apply", path, "--noop")
    assert (ran.returncode, "invalid subscribe format x" in ran.stdout) == (1, True)


def test_two_packages_with_one_type(site):
    site.add("one", {"hostname": "one:TYPE"}, one=HOSTNAME)
    site.add("two", {"hostname": "two:TYPE"}, two=HOSTNAME)
    ran = site.apply()
    message = "resource type hostname is offered by the package one 1.0.0 and the package two 1.0.0"
    assert (ran.returncode, message in ran.stdout) == (1, True)
    assert "remove all of them but one" in ran.stdout


def test_a_type_named_like_a_built_in_one_is_not_used(site):
    site.add("bad", {"file": "bad:TYPE"}, bad="raise ValueError('must not be imported by a run')")
    text = f"ccm:\n  resources:\n    - file: {{name: {site.work}/f, ensure: absent}}\n"
    assert "stable" in site.ccm("apply", site.manifest(text)).stdout
    listed = site.ccm("types")
    assert (listed.returncode, "it has the name of a built-in type" in listed.stdout) == (1, True)


@pytest.mark.starts_processes
def test_a_run_of_built_in_types_reads_no_metadata_of_packages(account_site):
    text = f"ccm:\n  resources:\n    - file: {{name: {account_site.work}/f, ensure: absent}}\n"
    path = account_site.manifest(text)
    (account_site.directory / "ccm").symlink_to(ROOT / "plugins/module_utils")
    code = (
        f"import sys; sys.path[:0] = {[str(account_site.directory), str(pathlib.Path(yaml.__file__).parents[1])]!r}\n"
    )
    code += "from ccm.cli.main import main\ntry:\n    main()\nexcept SystemExit:\n    pass\n"
    code += "names = ('importlib.metadata', 'ccm.resources.installed', 'ccm_account')\n"
    code += "print([name for name in names if name in sys.modules])"
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, "apply", str(path)], capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines()[-1] == "[]"


GUIDE = next(page for page in PAGES if page.stem == "writing-a-type")


def test_the_guide_shows_the_examples(ran):
    """Each part of a file in the guide is in an example, so that the tests of the examples are tests of the guide."""
    files = [
        "ccm-account/ccm_account/__init__.py",
        "ccm-hostname/tests/test_ccm_hostname.py",
        "ccm-hostname/pyproject.toml",
        "ccm-sysctl/ccm_sysctl.py",
        "ccm-sysctl/tests/test_ccm_sysctl.py",
        "acme-web/ansible_collections/acme/web/plugins/action/hostname.py",
        "acme-web/ansible_collections/acme/web/plugins/module_utils/resource_types/hostname.py",
    ]
    sources = HOSTNAME + "".join((EXAMPLES / file).read_text(encoding="utf-8") for file in files)
    found = [block for block in blocks(GUIDE) if block.words in (("python",), ("toml",))]
    assert len(found) == 15
    assert [str(block) for block in found if block.text not in sources] == []
    ran(*found)


@pytest.mark.starts_processes
def test_the_commands_of_the_guide_show_its_first_type(site, ran):
    site.add_example("ccm-hostname")
    [block] = [block for block in blocks(GUIDE) if block.words == ("console", "types")]
    for command, output in commands_in(block.text):
        said = site.ccm(*command.split()[1:]).stdout
        assert matches(output, said), f"$ {command}\n{said}"
    ran(block)


@pytest.mark.parametrize(
    ("name", "package"),
    [("hostname", "ccm-hostname/ccm_hostname.py"), ("account", "ccm-account/ccm_account/__init__.py")],
)
def test_the_example_collection_has_the_types_of_the_example_packages(name, package):
    """They differ in where the contract is imported from."""
    path = f"acme-web/ansible_collections/acme/web/plugins/module_utils/resource_types/{name}.py"
    text = (EXAMPLES / path).read_text(encoding="utf-8")
    public = "from ansible_collections.ccm.core.plugins.module_utils.api import"
    assert public in text
    ours = ast.parse((EXAMPLES / package).read_text(encoding="utf-8"))
    assert ast.dump(ast.parse(text.replace(public, "from ccm.api import"))) == ast.dump(ours)


def test_a_changed_search_path_does_not_load_a_type_again(site, monkeypatch, tmp_path):
    site.add("good", {"hostname": "good:TYPE"}, good=HOSTNAME)
    first = resource_type("hostname")
    decide = first.decide
    monkeypatch.syspath_prepend(str(tmp_path / "other"))
    assert resource_type("hostname") is first
    assert first.decide is decide
