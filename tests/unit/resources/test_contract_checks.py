# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resource types with faults, from Python packages: each call that goes wrong is an error that names the package."""

from __future__ import annotations

import io
import json
import sys
import threading
import types

import pytest
from ccm.host.machine import Machine
from ccm.model.errors import InvalidResource, ResourceFailed
from ccm.model.meta import type_semaphore
from ccm.model.provider import ProviderContext
from ccm.model.resource import resource_of
from ccm.resources import installed
from ccm.resources.contract_checks import checked
from ccm.resources.hiding_log import KnownSecrets
from ccm.resources.printed import capturing
from ccm.resources.type_calls import TypeCall, calls_that_go_on

from tests.patience import wait_until

from .site import HOSTNAME


@pytest.mark.starts_processes
def test_a_verb_that_changes_nothing_fails_the_resource(site):
    site.add("bad", {"hostname": "bad:TYPE"}, bad=HOSTNAME.replace('["hostname", properties.name]', '["true"]'))
    assert "failed to reach desired state: present: still to do: set" in site.apply().stdout


def test_other_values_of_ensure_are_refused(site):
    site.add_example("ccm-hostname")
    ran = site.ccm("ensure", "hostname", "x", "running")
    assert "invalid ensure value: must be one of present" in ran.stdout


# Parts of the example that are replaced, and the beginnings of messages.
STATUS = 'name = decode(query(["hostname"]).stdout).strip()'
STATE = '{"metadata": {"name": name, "provider": self.name}}'
RETURN = f'return HostnameState(properties.name, "present", {STATE})'
DECISION = 'return Decision(Step("set",'
DECIDE = "    def decide("
STATUS_AFTER = "    def status_after(self, properties, before):\n        return 1\n\n    def set("
OF_STATUS = "status of the provider hostname of the package bad 1.0.0"
LIMITED = HOSTNAME.replace("    contract = 1", "    contract = 1\n    call_timeout = 0.2")
OF_DECIDE = "decide of the type hostname of the package bad 1.0.0"


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        (RETURN, "return name", f"{OF_STATUS} returned str, not State"),
        (STATE, '{"metadata": {"name": {1j: name}}}', f"{OF_STATUS} returned a State with complex, which events"),
        (
            '    type = "hostname"',
            '    type = "host"',
            f"{OF_STATUS} returned a State of the type 'host', not 'hostname'",
        ),
        (STATE, "{}", f"{OF_STATUS} returned a State without name and provider in its metadata"),
        (
            'properties.name, "present", {',
            "properties.name, True, {",
            f"{OF_STATUS} returned a State whose name or ensure",
        ),
        (STATUS, "raise KeyError('canary')", f"{OF_STATUS} raised KeyError in line "),
        (STATUS, "open('/nosuch')", f"{OF_STATUS} raised FileNotFoundError: no such file or directory in line "),
        (STATUS, "raise SystemExit(0)", f"{OF_STATUS} raised SystemExit in line "),
        (STATUS, "raise BrokenPipeError", f"{OF_STATUS} raised BrokenPipeError in line "),
        (STATUS, "return self.status(properties)", f"{OF_STATUS} raised RecursionError in line "),
        (STATE, '{"metadata": [name]}', f"{OF_STATUS} returned a State whose details or metadata are no mapping"),
        (STATE, "[name]", f"{OF_STATUS} returned a State whose details or metadata are no mapping"),
        (
            STATUS,
            'query("hostname")',
            f"{OF_STATUS} raised WrongCommand: a command must be a list of its program and its",
        ),
        (STATUS, 'self.machine.run("hostname -f")', f"{OF_STATUS} raised WrongCommand: a command must be a list"),
        (STATUS, "raise ResourceFailed(5)", ", whose message is int, not str"),
        (
            DECISION,
            'return Decision("set", separator=max(',
            f"{OF_DECIDE} returned a Decision with str among its steps, not",
        ),
        (DECISION, "return list(Step(1,", f"{OF_DECIDE} raised TypeError in line "),
        (DECISION, "return str(Step(1,", f"{OF_DECIDE} returned str, not Decision"),
        (DECISION, 'return Decision(Step("put",', f"{OF_DECIDE} returned the verb put, which is none of the type: set"),
        (
            "        if state.metadata",
            "        return\n        if state.metadata",
            f"{OF_DECIDE} returned NoneType, not",
        ),
        (
            "    def status(",
            "    manageable = classmethod(lambda *_: None)\n\n    def status(",
            "manageable of the provider hostname of the package bad 1.0.0 returned NoneType, not int or str",
        ),
        (
            DECIDE,
            f"    subscriptions = lambda *_: 1\n\n{DECIDE}",
            "subscriptions of the type hostname of the package bad 1.0.0 returned int, not tuple or list",
        ),
    ],
)
def test_a_fault_of_a_type_fails_its_resource_and_the_run_goes_on(site, before, after, error):
    assert before in HOSTNAME
    site.add("bad", {"hostname": "bad:TYPE"}, bad=HOSTNAME.replace(before, after))
    ran = site.apply("--noop")
    assert error in ran.stdout
    assert "exec#/bin/true changed" in ran.stdout
    assert (ran.returncode, "Traceback" in ran.stdout, "canary" in ran.stdout) == (0, False, False)


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        (
            "    def set(",
            STATUS_AFTER,
            "status_after of the provider hostname of the package bad 1.0.0 returned int",
        ),
        (
            "        if self",
            "        raise ValueError\n        if self",
            "set of the provider hostname of the package bad 1.0.0 raised ValueError in line",
        ),
        (
            DECIDE,
            f"    def has_changed(self, before, after):\n        return 1\n\n{DECIDE}",
            "has_changed of the type hostname of the package bad 1.0.0 returned int, not bool",
        ),
    ],
)
def test_a_fault_after_acting_fails_the_resource(site, before, after, error):
    text = HOSTNAME.replace('["hostname", properties.name]', '["true"]').replace(before, after)
    if "has_changed" in text:
        text = text.replace("TYPE =", "HostnameType.shortfall = lambda *_: ''\nTYPE =")
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    ran = site.apply()
    assert error in ran.stdout
    assert "exec#/bin/true changed" in ran.stdout


def test_a_fault_in_validation_is_an_error_of_the_manifest(site):
    text = HOSTNAME.replace(DECIDE, f"    def validate_own(self, properties):\n        [].pop()\n\n{DECIDE}")
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    ran = site.apply()
    assert "validate of the type hostname of the package bad 1.0.0 raised IndexError in line" in ran.stdout
    assert (ran.returncode, "manifest.yaml:3:7" in ran.stdout, "exec#" in ran.stdout) == (1, True, False)
    ran = site.ccm("lint", site.work / "manifest.yaml")
    assert (ran.returncode, "raised IndexError in line" in ran.stdout) == (1, True)


@pytest.mark.starts_processes
@pytest.mark.parametrize("command", ["query", "self.machine.query", "self.machine.run"])
def test_the_commands_of_a_call_that_does_not_end_are_ended(site, command):
    text = LIMITED.replace(STATUS, f'{command}(["sleep", "1000"])')
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    ran = site.apply("--noop")
    assert f"{OF_STATUS} did not end within 0.2 seconds" in ran.stdout
    assert "exec#/bin/true changed" in ran.stdout
    wait_until(lambda: calls_that_go_on() == [])


def test_a_call_that_goes_on_fails_the_resource(site):
    loop = "import os, time\n        while time.sleep(0.1) or os.path.exists('goes on'): pass"
    (site.work / "goes on").touch()
    site.add("bad", {"hostname": "bad:TYPE"}, bad=LIMITED.replace(STATUS, loop))
    ran = site.apply("--noop")
    assert f"{OF_STATUS} did not end within 0.2 seconds" in ran.stdout
    assert [str(call) for call in calls_that_go_on()] == [f"{OF_STATUS} for hostname#other.example"]
    (site.work / "goes on").unlink()
    wait_until(lambda: calls_that_go_on() == [])


def checked_type(text):
    names: dict[str, object] = {}
    exec(text, names)
    return checked(names["TYPE"], "hostname", "the package bad 1.0.0"), names


VALIDATE = """    def validate_own(self, properties):
        calls.append(properties.name)
        end.wait(60)

"""


def test_a_call_that_goes_on_is_not_made_again():
    """One about another resource is."""
    found, names = checked_type(LIMITED.replace(DECIDE, VALIDATE + DECIDE))
    names.update(calls=[], end=threading.Event())
    first, other = (resource_of(found, {"name": name}).properties for name in ("first", "other"))
    validate = "validate of the type hostname of the package bad 1.0.0"
    late = f"{validate} did not end within 0.2 seconds"
    for properties in (first, other):
        with pytest.raises(InvalidResource, match=f"^{late}$"):
            found.validate(properties)
        of_resource = late.replace(" did", f" for hostname#{properties.name} did")
        with pytest.raises(InvalidResource, match=f"^{validate} is not called: {of_resource}, and goes on$"):
            found.validate(properties)
    assert names["calls"] == ["first", "other"]
    names["end"].set()
    wait_until(lambda: calls_that_go_on() == [])
    found.validate(first)


def test_a_state_that_does_not_show_itself_is_not_read_again():
    """The call is about the resource of the state."""
    as_dict = (
        "    def as_dict(self):\n        end.wait(60)\n        return super().as_dict()\n\n\nclass HostnameProvider"
    )
    found, names = checked_type(LIMITED.replace("\nclass HostnameProvider", as_dict).replace(STATUS, "name = 'x'"))
    names["end"] = threading.Event()
    provider = found.provider("hostname")(ProviderContext())
    properties = resource_of(found, {"name": "x"}).properties
    state = provider.status(properties)
    with pytest.raises(ResourceFailed, match="did not end"):
        state.as_dict()
    assert [(str(call), call.semaphores) for call in calls_that_go_on()] == [
        ("as_dict of the state of the type hostname of the package bad 1.0.0 for hostname#x", set())
    ]
    with pytest.raises(ResourceFailed, match=f"^{OF_STATUS} is not called: as_dict of the state"):
        provider.status(properties)
    names["end"].set()
    wait_until(lambda: calls_that_go_on() == [])
    assert state.as_dict()["name"] == "x"


def test_only_calls_of_providers_have_semaphores():
    found, _names = checked_type(HOSTNAME.replace("    verbs =", '    semaphores = ("names",)\n    verbs ='))
    properties = resource_of(found, {"name": "x"}).properties
    properties.meta = {"sema": ["one:2"]}
    managing, other = (TypeCall("status", "it", found, (properties,), manages=each) for each in (True, False))
    assert (managing.semaphores, other.semaphores) == ({type_semaphore("names"), "one"}, set())


def test_a_call_is_named_without_the_secrets_of_commands():
    found, _names = checked_type(HOSTNAME.replace("    verbs =", "    name_may_hold_secrets = True\n    verbs ="))
    resource = resource_of(found, {"name": "login --password=canary"})
    assert "canary" not in resource.reference
    assert str(TypeCall("status", "it", found, (resource.properties,))) == f"status of it for {resource.reference}"


def test_what_is_no_provider_is_named():
    choose = "\nTYPE.provider = lambda name: chosen[0]\nchosen = [HostnameProvider]\n"
    found, names = checked_type(HOSTNAME + choose)
    names["chosen"][0] = dict
    reason = "^provider of the type hostname of the package bad 1.0.0 returned the class dict, not a provider$"
    with pytest.raises(ResourceFailed, match=reason):
        found.provider("hostname")


def test_an_import_that_does_not_end_is_an_error_of_the_manifest(site, monkeypatch):
    monkeypatch.setattr(installed, "CALL_TIMEOUT", 0.2)
    text = "import os, time\nwhile os.path.exists('goes on'): time.sleep(0.1)\n"
    (site.work / "goes on").touch()
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    lead = "of the package bad 1.0.0 cannot be used: bad"
    assert f"{lead} was not imported within 0.2 seconds" in site.apply().stdout
    assert f"{lead} is still being imported" in site.apply().stdout
    (site.work / "goes on").unlink()
    wait_until(lambda: calls_that_go_on() == [])
    assert f"{lead} has no TYPE" in site.apply().stdout


@pytest.mark.starts_processes
def test_what_a_type_prints_goes_to_standard_error(site, capsys):
    text = HOSTNAME.replace(STATUS, f'print("a", "b")\n        print("c", end="")\n        {STATUS}')
    site.add("bad", {"hostname": "bad:TYPE"}, bad=f"print('import')\n{text}")
    ran = site._ccm("status", "hostname", "x", "--json")
    assert json.loads(ran.out)["provider"] == "hostname"
    printed = [f"the package bad 1.0.0 printed: {line}" for line in ("import", "a b", "c")]
    assert ran.err.splitlines() == printed


@pytest.mark.starts_processes
def test_values_of_secret_properties_are_hidden(site):
    """They are hidden in states and errors that are shown; `decide` gets the real values."""
    text = HOSTNAME.replace("import NOTHING,", "import NOTHING, Property,")
    text = text.replace("    verbs =", '    own_properties = (Property("token", secret=True),)\n    verbs =')
    text = text.replace('"name": name,', '"name": name + properties.token,').replace(
        "{properties.name}", "{properties.token}"
    )
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text.replace('["hostname", properties.name]', '["false"]'))
    path = site.manifest("ccm: {resources: [{hostname: {name: other.example, ensure: present, token: canary}}]}\n")
    for words in (("--noop",), ()):
        ran = site.ccm("apply", path, "--session", site.work, *words)
        assert "canary" not in ran.stdout
    assert "errors=cannot set the name REDACTED" in ran.stdout
    events = [file.read_text() for file in site.work.glob("*.event")]
    assert [event for event in events if "canary" in event] == []
    assert any('REDACTED"' in event for event in events)


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("differences", "message"),
    [
        ('[{"before": "a", "after": "b"}]', "returned a difference that has not exactly after, after_header, before,"),
        (
            '[{"before": 1, "after": 1, "before_header": "", "after_header": ""}]',
            "returned a difference whose before and after are not both texts, or both texts by name",
        ),
    ],
)
def test_differences_that_cannot_be_shown_fail_the_resource(site, differences, message):
    method = f"    def differences(self, properties, state):\n        return {differences}\n\n    def set("
    site.add("bad", {"hostname": "bad:TYPE"}, bad=HOSTNAME.replace("    def set(", method))
    assert message in site.apply("--noop", "--diff").stdout


def test_the_output_of_the_command_may_be_closed_first(monkeypatch):
    """Python closes an object that nothing uses any more; that writes nothing to an output that is closed."""
    output = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", output)
    with capturing("one"):
        by_thread = sys.stdout
    output.close()
    by_thread.close()


def test_threads_that_print_at_once_are_kept_apart(capsys):
    """Resources of types of two packages can run at once; what others print then is the output of the command."""
    inside, others = threading.Barrier(3), threading.Barrier(3)

    def work(package):
        with capturing(package):
            inside.wait()
            print(f"from {package}")
            others.wait()

    stdout = sys.stdout
    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    inside.wait()
    print("of the command")
    assert sys.stdout.isatty() == stdout.isatty()
    others.wait()
    for thread in threads:
        thread.join()
    assert sys.stdout is stdout
    printed = capsys.readouterr()
    assert printed.out == "of the command\n"
    assert sorted(printed.err.splitlines()) == ["one printed: from one", "two printed: from two"]


def test_secrets_of_threads_are_all_known():
    """While one thread sorts the known secrets, another one adds its own."""
    known, begun = KnownSecrets(), threading.Event()

    class Lock:
        """Notes that the other thread waits for it."""

        def __init__(self, lock):
            self._lock = lock

        def __enter__(self):
            if threading.current_thread() is other:
                begun.set()
            self._lock.acquire()

        def __exit__(self, *_error):
            self._lock.release()

    class First(str):
        __slots__ = ()

        def __len__(self):
            if not other.ident:
                other.start()
                begun.wait()
            return super().__len__()

    def add():
        known.add(["second"])
        begun.set()

    other = threading.Thread(target=add)
    known._lock = Lock(threading.Lock())
    known.add([First("first")])
    other.join()
    assert sorted(known.texts) == ["first", "second"]


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("[].pop()", "wants of the relations of the type hostname of the package bad 1.0.0 raised IndexError in line"),
        ("return ['/etc']", "bad 1.0.0 returned str among what should be Identity"),
        ("return 5", "bad 1.0.0 returned int, not list or tuple"),
    ],
)
def test_a_fault_in_relations_is_an_error_of_the_manifest_in_graph_order(site, body, error):
    relations = f"class Wrong(Relations):\n    def wants(self, properties):\n        {body}\n\n\n"
    text = HOSTNAME.replace("class HostnameType", f"{relations}class HostnameType")
    text = text.replace(DECIDE, f"    relations = Wrong()\n\n{DECIDE}")
    site.add("bad", {"hostname": "bad:TYPE"}, bad=f"from ccm.api import Relations\n{text}")
    ran = site.apply("--parallel", "2")
    assert error in ran.stdout
    assert "manifest.yaml:3:7 (hostname#other.example)" in ran.stdout
    assert (ran.returncode, "Traceback" in ran.stdout, "exec#" in ran.stdout) == (1, False, False)
    assert site.apply("--noop").returncode == 0


def test_a_type_is_not_asked_whether_its_resources_wait():
    """Its fault would end the run, and its provider may wait all the same."""
    names: dict[str, object] = {}
    exec(HOSTNAME.replace(DECIDE, f"    def waits_for_nothing(self, properties):\n        [].pop()\n\n{DECIDE}"), names)
    found = checked(names["TYPE"], "hostname", "the package asked")
    assert not found.waits_for_nothing(resource_of(found, {"name": "x"}).properties)


@pytest.mark.starts_processes
def test_lines_are_written_before_a_provider_is_called():
    names: dict[str, object] = {}
    exec(HOSTNAME.replace('["hostname"]', '["echo", "x"]'), names)
    provider = checked(names["TYPE"], "hostname", "the package waiting").provider("hostname")
    written = []
    found = provider(ProviderContext(machine=Machine(lambda: written.append(1))))
    assert written == []
    found.status(types.SimpleNamespace(name="x"))
    assert written == [1]


def test_a_type_that_interrupts_is_at_fault():
    """Only the thread of the run gets Ctrl-C."""
    found, _names = checked_type(HOSTNAME.replace(STATUS, "raise KeyboardInterrupt"))
    provider = found.provider("hostname")(ProviderContext())
    with pytest.raises(ResourceFailed, match=f"^{OF_STATUS} raised KeyboardInterrupt in line"):
        provider.status(resource_of(found, {"name": "x"}).properties)


@pytest.mark.parametrize(
    ("method", "fault"),
    [
        ("watches", "returned str, not list or tuple"),
        ("watched_trees", "returned str, not list or tuple"),
        ("only_refreshed", "returned str, not dict"),
    ],
)
def test_relations_of_another_kind_are_a_fault(method, fault):
    relations = f"class HostnameRelations(Relations):\n    def {method}(self, properties):\n        return 'text'\n\n\n"
    text = HOSTNAME.replace("class HostnameType", f"{relations}class HostnameType").replace(
        "    verbs =", "    relations = HostnameRelations()\n    verbs ="
    )
    found, _names = checked_type(text.replace("import NOTHING,", "import NOTHING, Relations,"))
    with pytest.raises(InvalidResource, match=f"^{method} of the relations of the type hostname .* {fault}$"):
        getattr(found.relations, method)(resource_of(found, {"name": "x"}).properties)
