# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract under its two names: a type works with each, also when the process imported another copy before (Q106).

Packages installed by pip in a play: tests/integration/test_types.py.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import types

import pytest
import yaml
from ccm.model.errors import InvalidResource
from ccm.resources.contract_checks import checked

from tests.unit.layout import ROOT

from .site import HOSTNAME

OF_COLLECTIONS = "ansible_collections.ccm.core.plugins.module_utils.api"
#: A type whose objects of all kinds are compared with the engine's objects: errors, decisions, states, identities.
CROSSING = f"""
from {OF_COLLECTIONS} import (
    NOTHING, Decision, HostError, Identity, InvalidResource, NotThereYet, Property, Provider, Relations,
    ResourceFailed, SimpleType, State, Step, read_limited,
)


class HostnameState(State):
    type = "hostname"


class HostnameProvider(Provider):
    name = "hostname"

    def status(self, properties):
        # Imported when it is called: the name of the contract is shared for the whole run.
        from {OF_COLLECTIONS} import ResourceFailed

        if properties.fault == "status":
            raise ResourceFailed("status says this")
        if properties.fault == "host":
            read_limited("/nosuch/file")
        state = HostnameState(properties.name, "absent", {{"metadata": {{"name": "x", "provider": self.name}}}})
        if properties.fault == "later":
            error = NotThereYet("it is not there yet")
            error.expected = state
            raise error
        return state

    def set(self, properties, state):
        raise HostError("set says this")


class HostnameRelations(Relations):
    def provides(self, properties):
        return [Identity("name", properties.name)]

    def wants(self, properties):
        return [Identity("name", "first")] if properties.name == "second" else []


class HostnameType(SimpleType):
    name = "hostname"
    contract = 1
    ensure_choices = ("present",)
    verbs = ("set",)
    providers = (HostnameProvider,)
    own_properties = (Property("fault"),)
    relations = HostnameRelations()

    def validate_own(self, properties):
        if properties.fault == "validation":
            raise InvalidResource("validation says this", property="fault")

    def decide(self, state, properties, refresh):
        return NOTHING if properties.fault == "nothing" else Decision(Step("set", "Would have set", "Set"))


TYPE = HostnameType()
"""


def resource(fault):
    return f"ccm: {{resources: [{{hostname: {{name: x, fault: {fault}}}}}]}}\n"


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("validation", "validation says this"),
        ("status", "errors=status says this"),
        ("host", "errors=open /nosuch/file: no such file or directory"),
        ("acting", "errors=set says this"),
        ("later", "errors=it is not there yet"),
        ("nothing", "hostname#x stable ensure=present"),
    ],
)
def test_a_package_may_import_the_contract_as_collections_do(site, fault, text):
    site.add("acme", {"hostname": "acme_hostname:TYPE"}, acme_hostname=CROSSING)
    assert text in site.ccm("apply", site.manifest(resource(fault)), "--no-report").stdout


#: Asks the finder of the other name in a process of its own: share_names() acts once in a process.
OLDER_FINDER = """
import sys, types
from ccm.resources.contract_names import share_names

sys.meta_path.insert(0, types.SimpleNamespace(find_module=None))
share_names()
other = sys.meta_path[0]
print(other.find_spec("ansible_collections").submodule_search_locations is not None, other.find_spec("email"))
"""


@pytest.mark.starts_processes
def test_finders_of_an_older_kind_are_passed_over(tmp_path):
    (tmp_path / "ccm").symlink_to(ROOT / "plugins/module_utils")
    ran = subprocess.run(
        [sys.executable, "-c", OLDER_FINDER],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "True None\n"


def test_identities_make_automatic_edges(site):
    site.add("acme", {"hostname": "acme_hostname:TYPE"}, acme_hostname=CROSSING)
    text = "ccm: {resources: [{hostname: {name: second}}, {hostname: {name: first}}]}\n"
    found = site.ccm("graph", site.manifest(text), "--format", "json").stdout
    assert "hostname#second wants the name first of hostname#first" in found


def test_a_type_of_a_collection_is_used_in_the_place_of_a_package(site):
    """The second one is as ccm.core.apply makes it of a collection that a task names."""
    site.add("one", {"hostname": "one:TYPE"}, one=HOSTNAME.replace("Would have set", "Would have set by one"))
    site.add("acme.web", {"hostname": "ansible_collections.acme.web.hostname:TYPE"})
    folder = site.directory / "ansible_collections/acme/web"
    folder.mkdir(parents=True)
    (folder / "hostname.py").write_text(CROSSING, encoding="utf-8")
    assert "noop=Would have set\n" in site.apply("--noop").stdout


@pytest.mark.starts_processes
@pytest.mark.parametrize("before", ["import acme_hostname", "import ansible_collections.ccm.core.plugins.module_utils"])
def test_another_copy_that_was_imported_before_does_no_harm(site, before):
    """With the first one the type itself was imported with the other copy."""
    site.add("acme", {"hostname": "acme_hostname:TYPE"}, acme_hostname=CROSSING)
    other = site.directory / "ansible_collections/ccm/core/plugins"
    other.mkdir(parents=True)
    for folder, name in ((site.directory, "ccm"), (other, "module_utils")):
        (folder / name).symlink_to(ROOT / "plugins/module_utils")
    path = site.manifest(resource("status"))
    code = f"import sys; sys.path[:0] = {[str(site.directory), str(pathlib.Path(yaml.__file__).parents[1])]!r}\n"
    code += f"{before}\nfrom ccm.cli.main import main\nsys.exit(main())"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-I", "-S", "-c", code, "apply", "--no-report", path]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "errors=status says this" in ran.stdout, ran.stdout + ran.stderr


def test_a_type_that_stays_with_another_copy_is_refused_with_the_reason():
    found = types.SimpleNamespace(name="hostname", contract=1)
    with pytest.raises(InvalidResource, match="another copy of ccm was imported before types, which uses that one"):
        checked(found, "hostname", "the package acme 1.0.0")
