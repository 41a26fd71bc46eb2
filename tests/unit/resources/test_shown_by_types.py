# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What types of other packages show: no secrets, no control characters, and tracebacks with --debug only."""

from __future__ import annotations

import io
import json
import sys

import pytest
from ccm.model.errors import ResourceFailed
from ccm.model.log import Log
from ccm.model.provider import ProviderContext
from ccm.resources.contract_checks import checked
from ccm.testing import RecordedLog

from .site import HOSTNAME

#: The example with secrets of several kinds. It reads the name of the host from its state, and runs no program.
TYPE = (
    HOSTNAME.replace("import NOTHING,", "import NOTHING, BatchProvider, Property, Relations, Reversal,")
    .replace('query(["hostname"]).stdout', "b'old.example'")
    .replace(
        "    verbs =",
        '    own_properties = (Property("token", secret=True), Property("pins", "integers", secret=True),\n'
        '        Property("keys", "data", secret=True))\n    verbs =',
    )
)
SECRETS = "token: canary, pins: [40321], keys: {a: [{b: hidden}]}"
STATUS = "name = decode("
DECIDE = "    def decide("
MANIFEST = f"ccm: {{resources: [{{hostname: {{name: other.example, {SECRETS}}}}}]}}\n"


def shown(site, text, *words):
    """The output of a run in noop with a type of this source."""
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    return site.ccm(*(words or ("apply", site.manifest(MANIFEST), "--noop", "--no-report")))


LINE = "{properties.token} {properties.pins[0]} {properties.keys['a'][0]['b']}"


@pytest.mark.parametrize(
    "statement",
    [
        f'print(f"{LINE}")',
        f'import sys; sys.stderr.write(f"{LINE}\\n")',
        f'import sys; [sys.stdout.write(part) for part in f"{LINE}"]',
        f'self.user_log.info(f"{LINE}")',
        f'self.user_log.warn("line", value=f"{LINE}")',
        f'self.context.user_log.error("line", value=f"{LINE}")',
    ],
)
def test_what_a_provider_prints_and_logs_has_no_secrets(site, statement):
    text = TYPE.replace(STATUS, f"{statement}\n        {STATUS}")
    ran = shown(site, text)
    assert "REDACTED REDACTED REDACTED" in ran.stdout
    assert [secret for secret in ("canary", "40321", "hidden") if secret in ran.stdout] == []


def test_what_a_type_logs_for_the_program_has_no_secrets(site):
    text = TYPE.replace(STATUS, f'self.context.log.debug(f"{LINE}")\n        {STATUS}')
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    ran = site.ccm("--debug", "apply", site.manifest(MANIFEST), "--noop", "--no-report")
    assert ('msg="REDACTED REDACTED REDACTED"' in ran.stdout, "canary" in ran.stdout) == (True, False)
    assert "printed" not in ran.stdout


def test_messages_of_decisions_and_faults_in_numbers_have_no_secrets(site):
    text = TYPE.replace('"Would have set the name of the host"', 'f"Would have used {properties.token}"')
    text = text.replace('"provider": self.name}', '"provider": self.name, "pin": properties.pins[0]}')
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    ran = site.ccm("apply", site.manifest(MANIFEST), "--noop", "--session", site.work)
    events = [json.loads(file.read_text()) for file in site.work.glob("*.event")]
    [event] = [event for event in events if event.get("type") == "hostname"]
    assert "noop=Would have used REDACTED" in ran.stdout
    assert event["status"]["metadata"]["pin"] == "REDACTED"
    assert "canary" not in json.dumps(event)


def test_differences_have_no_secrets(site):
    method = """\
    def differences(self, properties, state):
        return [{"before": "", "after": properties.token, "before_header": "a", "after_header": properties.token}]

    def set("""
    ran = shown(site, TYPE.replace("    def set(", method))
    assert "canary" not in ran.stdout
    ran = site.ccm("apply", site.work / "manifest.yaml", "--noop", "--no-report", "--diff")
    assert ("+REDACTED" in ran.stdout, "canary" in ran.stdout) == (True, False)


def test_a_state_that_noop_expects_has_no_secrets(site):
    """It is the state of the resource where an earlier one would change something."""
    text = TYPE.replace("State, Step,", "NotThereYet, State, Step,").replace(
        "        return HostnameState(",
        '        error = NotThereYet("missing")\n        error.expected = HostnameState(',
    )
    text = text.replace('"name": name,', '"name": properties.token,')
    text = text.replace('"provider": self.name}})', '"provider": self.name}})\n        raise error')
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    path = site.manifest(f"ccm: {{resources: [{{exec: {{name: /bin/true}}}}, {{hostname: {{name: x, {SECRETS}}}}}]}}\n")
    site.ccm("apply", path, "--noop", "--session", site.work)
    events = [file.read_text() for file in site.work.glob("*.event")]
    assert [event for event in events if "canary" in event] == []
    assert any('"name":"REDACTED"' in event.replace(" ", "") for event in events)


def test_advice_and_values_of_errors_have_no_secrets(site):
    text = TYPE.replace("State, Step,", "InvalidResource, State, Step,")
    raised = 'raise InvalidResource(f"{properties.token}", advice=f"not {properties.token}", value=properties.token)'
    text = text.replace(DECIDE, f"    def validate_own(self, properties):\n        {raised}\n\n{DECIDE}")
    ran = shown(site, text)
    assert ("  not REDACTED" in ran.stdout, "canary" in ran.stdout) == (True, False)


@pytest.mark.parametrize(
    "statement",
    [
        'print("a\\x1b[2Jb\\u202ec\\rd")',
        'self.user_log.info("a\\x1b[2Jb\\u202ec\\rd")',
        'self.user_log.info("a", value="a\\x1b[2Jb\\u202ec\\rd")',
    ],
)
def test_control_characters_are_escaped(site, statement):
    ran = shown(site, TYPE.replace(STATUS, f"{statement}\n        {STATUS}"))
    assert "a\\x1b[2Jb\\u202ec\\rd" in ran.stdout


def test_control_characters_are_escaped_once_in_json(site):
    text = TYPE.replace(STATUS, f'self.user_log.info("a\\x1b\\u202e", value="b\\x1b")\n        {STATUS}')
    ran = shown(site, text, "--log-format", "json", "apply", site.manifest(MANIFEST), "--noop", "--no-report")
    [line] = [line for line in map(json.loads, ran.stdout.splitlines()) if "value" in line["fields"]]
    assert (line["msg"], line["fields"]["value"]) == ("a\x1b\u202e", "b\x1b")
    assert not set("\x1b\u202e") & set(ran.stdout)


def test_a_logged_text_is_one_line(site):
    ran = shown(site, TYPE.replace(STATUS, f'self.user_log.info("one\\nexec#/bin/x changed")\n        {STATUS}'))
    assert "one\\nexec#/bin/x changed" in ran.stdout


@pytest.mark.parametrize("debug", [True, False])
def test_debug_shows_the_traceback_of_a_fault(site, debug):
    text = TYPE.replace(STATUS, f"helper(properties)\n        {STATUS}")
    text = text.replace(
        "class HostnameProvider",
        "def helper(properties):\n"
        "    try:\n        [].pop()\n    except IndexError:\n        raise KeyError(properties.token + '\\x1b')"
        "\n\n\nclass HostnameProvider",
    )
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    ran = site.ccm(*(["--debug"] if debug else []), "apply", site.manifest(MANIFEST), "--noop", "--no-report")
    assert "raised KeyError in line " in ran.stdout
    lines = [line.partition("msg=")[2].strip('"') for line in ran.stdout.splitlines() if "level=DEBUG" in line]
    found = [line for line in lines if not line.startswith("Loading")]
    begins = ["Traceback", "  File", "    [].pop()", "IndexError: ", "Traceback", "  File", "    helper(", "  File"]
    assert [line[: len(begin)] for begin, line in zip(begins, found, strict=False)] == (begins if debug else [])
    assert "KeyError: 'REDACTED" in ran.stdout if debug else "Traceback" not in ran.stdout
    assert "contract_checks" not in ran.stdout
    assert ("canary" in ran.stdout, "\x1b" in ran.stdout) == (False, False)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (DECIDE, f"    def validate_own(self, properties):\n        [].pop()\n\n{DECIDE}", ("apply", "{path}")),
        ("class HostnameState", "[].pop()\n\n\nclass HostnameState", ("apply", "{path}")),
        ("class HostnameState", "[].pop()\n\n\nclass HostnameState", ("types",)),
        (STATUS, f"[].pop()\n        {STATUS}", ("status", "hostname", "x")),
    ],
)
@pytest.mark.parametrize("options", [("--debug",), ("--debug", "--log-format", "json"), ()])
def test_debug_shows_the_traceback_of_an_error_before_a_run(site, before, after, words, options):
    site.add("bad", {"hostname": "bad:TYPE"}, bad=TYPE.replace(before, after, 1))
    path = str(site.manifest(MANIFEST))
    ran = site.ccm(*options, *(word.format(path=path) for word in words))
    assert ran.returncode == 1
    assert "IndexError" in ran.stdout
    traceback = 'Traceback (most recent call last):\n  File "' if "json" not in options else "Traceback (most recent"
    assert (traceback in ran.stdout) is bool(options)


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("declared", "method", "words"),
    [
        ("", "is_groupable(self, properties)", ("apply", "{two}")),
        ("relations", "watches(self, properties)", ("watch", "{path}")),
        ("relations", "remains(self, properties)", ("apply", "{path}")),
        ("relations", "sent(self, properties, state)", ("apply", "{sent}")),
        ("reversal", "is_reversible(self, properties, state)", ("apply", "{reverse}")),
    ],
)
def test_a_fault_in_any_method_names_the_package(site, monkeypatch, tmp_path, declared, method, words):
    """Each of these is called outside of status, decide and the verbs."""
    monkeypatch.setenv("CCM_STATE", str(tmp_path / "state"))
    text = TYPE.replace('["hostname", properties.name]', '["true"]')
    text = text.replace("TYPE =", "HostnameType.shortfall = lambda *_: ''\nTYPE =")
    body = f"    def {method}:\n        [].pop()\n\n"
    if declared:
        sends = '    sends = (Property("a"),)\n' if method.startswith("sent") else ""
        text = text.replace("class HostnameType", f"class Part({declared.title()}):\n{sends}{body}\nclass HostnameType")
        more = "    reversible = True\n" if declared == "reversal" else ""
        text = text.replace(DECIDE, f"    {declared} = Part()\n{more}\n{DECIDE}")
    else:
        text = text.replace(DECIDE, body + DECIDE)
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    for name, meta in (("path", ""), ("reverse", ", meta: {reverse: true}")):
        (site.work / f"{name}.yaml").write_text(MANIFEST.replace("canary", f"canary{meta}"), encoding="utf-8")
    common = f"name: {site.work}/f, owner: root, group: root, mode: '0644'"
    second = f"{{file: {{{common}, content: '${{ sent(\"hostname#x\").a }}'}}}}"
    for name, more in (("two", "{hostname: {name: y}}"), ("sent", second)):
        text = f"ccm: {{resources: [{{hostname: {{name: x}}}}, {more}]}}\n"
        (site.work / f"{name}.yaml").write_text(text, encoding="utf-8")
    paths = {name: site.work / f"{name}.yaml" for name in ("path", "reverse", "two", "sent")}
    ran = site.ccm(*(word.format(**paths) for word in words))
    part = f"the {declared} of the type" if declared else "the type"
    assert f"{method.partition('(')[0]} of {part} hostname of the package bad 1.0.0 raised IndexError" in ran.stdout
    assert "Traceback" not in ran.stdout


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("method", "result", "message"),
    [
        (
            "parts",
            "{'names': []}",
            "parts of {} returned the part names, which must be text, a whole number or a boolean",
        ),
        ("paths", "['hosts']", "paths of {} returned 'hosts', which is no absolute path"),
        ("paths", "'/etc/hosts'", "paths of {} returned str, not list or tuple or set or frozenset"),
        ("undone", "[]", "undone of {} returned list, not dict"),
    ],
)
def test_what_cannot_be_kept_for_an_undo_is_named(site, monkeypatch, method, result, message):
    """The state dropped such a change without a word, and nothing was undone."""
    monkeypatch.setenv("CCM_STATE", str(site.work / "state"))
    text = TYPE.replace('["hostname", properties.name]', '["true"]')
    more = ", properties, parts" if method == "undone" else ", properties, state"
    body = f"class Back(Reversal):\n    def {method}(self{more}):\n        return {result}\n\n\n"
    text = text.replace("class HostnameType", f"{body}class HostnameType")
    text = text.replace(DECIDE, f"    reversible = True\n    reversal = Back()\n\n{DECIDE}")
    site.add("bad", {"hostname": "bad:TYPE"}, bad=text)
    path = site.manifest(MANIFEST.replace("canary", "canary, meta: {reverse: true}"))
    ran = site.ccm("apply", path, "--no-report")
    of = "the reversal of the type hostname of the package bad 1.0.0"
    assert message.format(of) in ran.stdout


class Batch:
    """A checked batch provider whose two calls for batches do what `body` says."""

    def __init__(self, body, log):
        text = TYPE.replace("(Provider):", "(BatchProvider):")
        methods = "".join(
            f"    def {head}:\n        {body}\n\n"
            for head in ("partition(self, verb, acting, settled)", "act_on_batch(self, verb, members)")
        )
        names = {}
        exec(text.replace("    def set(", f"{methods}    def set("), names)
        found = checked(names["TYPE"], "hostname", "the package bad")
        self.provider = found.provider("hostname")(ProviderContext(user_log=log, log=Log()))
        self.properties = found.made({"name": "x", "token": "canary", "pins": [], "keys": {}})

    def partition(self):
        return self.provider.partition("set", [self.properties], [])

    def act(self):
        return self.provider.act_on_batch("set", [(self.properties, None)])


def test_calls_for_batches_are_checked():
    log = RecordedLog()
    for body, message in (
        ("[].pop()", "raised IndexError in line"),
        ("raise ResourceFailed('bad canary')", "bad REDACTED"),
        ("raise SystemExit", "raised SystemExit"),
    ):
        batch = Batch(body, log)
        for call in (batch.partition, batch.act):
            with pytest.raises(ResourceFailed, match=message):
                call()
    with pytest.raises(ResourceFailed, match="partition of the provider hostname of the package bad returned NoneType"):
        Batch("self.user_log.info('canary')", log).partition()
    assert [line for line in log.messages if not line.startswith("Resources are managed one by one")] == ["REDACTED"]


def test_two_types_do_not_share_checked_relations():
    """The default relations are one object of the contract; each type has its own checks."""
    found = []
    for name in ("one", "two"):
        names = {}
        exec(HOSTNAME.replace('"hostname"', f'"{name}"'), names)
        found.append(checked(names["TYPE"], name, f"the package {name}"))
    one, two = (each.relations for each in found)
    assert one is not two
    assert "provides" not in vars(type(names["TYPE"]).relations)


def test_lines_of_secrets_are_secrets(monkeypatch):
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    names = {}
    exec(TYPE.replace(STATUS, f"print(properties.token)\n        {STATUS}"), names)
    found = checked(names["TYPE"], "hostname", "the package bad")
    provider = found.provider("hostname")(ProviderContext())
    provider.status(found.made({"name": "x", "token": "canary line\nof it\n-", "pins": [], "keys": {}}))
    prefix = "the package bad printed: "
    assert stderr.getvalue().splitlines() == [f"{prefix}REDACTED", f"{prefix}REDACTED", f"{prefix}-"]
