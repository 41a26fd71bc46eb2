# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of packages in runs of manifests: what they leave, what they send and receive, and how they are undone."""

from __future__ import annotations

import pytest

#: Resources of the type `keep` are files with the text of a property; resources of `look` only read them.
SOURCE = """
import os
import pathlib

from ccm.api import NOTHING, BatchProvider, Decision, Property, Provider, Relations, Reversal, SimpleType, State, Step


class KeepState(State):
    type = "keep"


class KeepProvider(BatchProvider):
    name = "files"
    batch_verbs = ("write",)

    def status(self, properties):
        there = bool(properties.name) and os.path.exists(properties.name)
        found = {"name": properties.name or "none", "provider": self.name}
        state = KeepState(properties.name, "present" if there else "absent", {"metadata": found})
        state.text = pathlib.Path(properties.name).read_text() if there else ""
        return state

    def write(self, properties, state):
        pathlib.Path(properties.name).write_text(properties.token or properties.text)

    def remove(self, properties, state):
        os.remove(properties.name)

    def partition(self, verb, acting, settled):
        return [acting]

    def act_on_batch(self, verb, members):
        for properties, state in members:
            self.write(properties, state)


class KeepRelations(Relations):
    sends = (Property("text"), Property("size", "integer"))

    def sent(self, properties, state):
        return {"text": state.text, "size": len(state.text)}


class KeepReversal(Reversal):
    def parts(self, properties, state):
        return {"ensure": state.ensure, "text": state.text}

    def undone(self, properties, parts):
        return parts if parts["text"] else {"ensure": "absent"}


class KeepType(SimpleType):
    name = "keep"
    contract = 1
    ensure_choices = ("present", "absent")
    verbs = ("write", "remove")
    providers = (KeepProvider,)
    own_properties = (Property("text", when="deferred"), Property("token", secret=True, when="deferred"))
    relations = KeepRelations()
    reversible = True
    reversal = KeepReversal()

    def is_groupable(self, properties):
        return True

    def decide(self, state, properties, refresh):
        if state.ensure == properties.ensure and state.text == (properties.token or properties.text):
            return NOTHING
        verb = "write" if properties.ensure == "present" else "remove"
        return Decision(Step(verb, "Would have acted", "Acted"))


class LookState(State):
    type = "look"


class LookProvider(Provider):
    name = "eyes"

    def status(self, properties):
        return LookState(properties.name, "present", {"metadata": {"name": properties.name, "provider": self.name}})


class LookType(SimpleType):
    name = "look"
    contract = 1
    ensure_choices = ("present",)
    verbs = ()
    providers = (LookProvider,)

    def decide(self, state, properties, refresh):
        return NOTHING


KEEP, LOOK = KeepType(), LookType()
"""


class Keep:
    """Packages with the types, and files of the test; `{}` in texts is their directory."""

    def __init__(self, site):
        self._site = site
        self.work = site.work

    def add(self, *changes):
        """Install the types, after parts of their source are replaced."""
        text = SOURCE
        for before, after in changes:
            assert before in text
            text = text.replace(before, after)
        self._site.add("keep", {"keep": "keep:KEEP", "look": "keep:LOOK"}, keep=text)

    def apply(self, resources, *words, options=()):
        """Apply a manifest with these resources, and return what is printed."""
        path = self._site.manifest(f"ccm:\n  resources: [{resources.replace('{}', str(self.work))}]\n")
        return self._site.ccm(*options, "apply", path, "--no-report", *words).stdout

    def ccm(self, *words):
        return self._site.ccm(*words, self.work / "manifest.yaml").stdout


@pytest.fixture
def keep(site, monkeypatch):
    monkeypatch.setenv("CCM_STATE", str(site.work / "state"))
    return Keep(site)


@pytest.mark.starts_processes
def test_what_a_type_with_a_secret_property_made_is_an_orphan(keep):
    """It was not while no secret was given: the empty text was taken for the path that the state shows."""
    keep.add()
    keep.apply("{keep: {name: '{}/a', text: x}}, {look: {name: b}}")
    keep.apply("{exec: {name: /bin/true}}")
    assert f"keep#{keep.work}/a" in keep.ccm("orphans")


@pytest.mark.starts_processes
def test_a_type_without_verbs_leaves_no_orphan(keep):
    keep.add()
    keep.apply("{look: {name: a}}")
    keep.apply("{exec: {name: /bin/true}}")
    assert "look" not in keep.ccm("orphans")


TO_FILE = "{keep: {name: '{}/a', text: canary}}, {keep: {name: '{}/b', text: '{{ sent(\"keep#{}/a\").text }}'}}"


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        ("[1]", "list, not Mapping or NoneType"),
        ('"abc"', "str, not Mapping or NoneType"),
        ('{"y": 1}', "y, which is none of sends"),
        ('{"text": 5}', "text as int, which sends declares as string"),
        ('{"text": None}', "text as NoneType, which sends declares as string"),
        ('{"size": "5"}', "size as str, which sends declares as integer"),
        ('{"size": True}', "size as bool, which sends declares as integer"),
        ('{"text": object()}', "text as object, which sends declares as string"),
    ],
)
def test_what_is_sent_is_of_the_declared_kind(keep, result, fault):
    """Such values went to the expressions of others, or were dropped, without a word."""
    keep.add(('{"text": state.text, "size": len(state.text)}', result))
    label = "sent of the relations of the type keep of the package keep 1.0.0"
    assert f"{label} returned {fault}" in keep.apply(TO_FILE)


def test_a_fault_of_a_result_is_shown_without_secrets(keep):
    keep.add(('{"text": state.text, "size": len(state.text)}', "{properties.token: 1}"))
    ran = keep.apply(TO_FILE.replace("text: canary", "token: canary"))
    assert ("returned REDACTED, which is none of sends" in ran, "canary" in ran) == (True, False)


@pytest.mark.parametrize("sends", ['["text"]', '(Property("text", "float"),)'])
def test_sends_are_declared_as_properties(keep, sends):
    keep.add(('(Property("text"), Property("size", "integer"))', sends))
    assert "cannot be used: sends of its relations must be a tuple of Property" in keep.apply(TO_FILE)


@pytest.mark.parametrize("secret", [True, False])
def test_what_is_sent_as_secret_is_sensitive_for_who_receives_it(keep, me, secret):
    keep.add(('Property("text"), Property("size"', f'Property("text", secret={secret}), Property("size"'))
    (keep.work / "c").write_text("before\n", encoding="utf-8")
    common = f"owner: {me[0]}, group: {me[1]}, mode: '0600', ensure: present"
    file = f"{{file: {{name: '{{}}/c', {common}, content: \"${{ sent('keep#{{}}/a').text }}\"}}}}"
    ran = keep.apply("{keep: {name: '{}/a', text: canary}}, " + file, "--noop", "--diff")
    assert "waits for keep#" in ran
    keep.apply("{keep: {name: '{}/a', text: canary}}")
    ran = keep.apply("{keep: {name: '{}/a', text: canary}}, " + file, "--noop", "--diff")
    assert ("canary" in ran) is not secret


TWO = "{keep: {name: '{}/a', text: x}}, {keep: {name: '{}/b', token: canary}}"
OF_KEEP = "of the provider files of the package keep 1.0.0"


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("return [acting]", "return None", f"partition {OF_KEEP} returned NoneType, not list"),
        ("return [acting]", "return acting", f"partition {OF_KEEP} returned a list of Properties, not a list of lists"),
        ("return [acting]", "return [[], acting]", f"partition {OF_KEEP} returned an empty list among its lists"),
        ("return [acting]", "return [acting[:1]]", f"partition {OF_KEEP} returned lists that do not have each"),
        ("return [acting]", "return [[acting.pop()]]", f"partition {OF_KEEP} returned lists that do not have each"),
        ("return [acting]", "return [acting[::-1]]", f"partition {OF_KEEP} returned lists that do not have each"),
        ("return [acting]", "raise TypeError(acting[1].token)", f"partition {OF_KEEP} raised TypeError in line"),
        (
            "for properties, state",
            "raise TypeError('canary')\n        for properties, state",
            "raised TypeError in line",
        ),
        (
            "        return True\n",
            "        raise TypeError(properties.token)\n",
            "is_groupable of the type keep of the package keep 1.0.0 raised TypeError in line",
        ),
    ],
)
def test_a_fault_that_prevents_a_batch_is_said(keep, before, after, fault):
    """Each resource was managed alone without a word."""
    keep.add((before, after))
    ran = keep.apply(TWO, options=["--debug"])
    assert ran.count("a fault prevents a batch") == 1
    assert fault in ran
    assert ("Traceback" in ran) is ("raised" in fault)
    assert "canary" not in ran
    assert [(keep.work / name).read_text(encoding="utf-8") for name in "ab"] == ["x", "canary"]


def test_a_batch_that_cannot_be_done_is_no_fault(keep):
    keep.add(
        ("import NOTHING,", "import NOTHING, ResourceFailed,"),
        ("for properties, state", "raise ResourceFailed('no')\n        for properties, state"),
    )
    assert "a fault prevents a batch" not in keep.apply(TWO)


@pytest.mark.starts_processes
@pytest.mark.parametrize("secret", [True, False])
@pytest.mark.parametrize("undo", [True, False])
def test_an_undo_shows_no_parts_that_may_be_secrets(keep, secret, undo):
    """What something else put there since may be a secret too."""
    keep.add(("secret=True,", f"secret={secret},"))
    keep.apply("{keep: {name: '{}/a', token: canary, meta: {reverse: true}}}")
    (keep.work / "a").write_text("foreign", encoding="utf-8")
    ran = keep.ccm("undo") if undo else keep.apply("{exec: {name: /bin/true}}")
    assert "not undone: something else changed it since: text " in ran
    assert ("text has another value; ccm undo --force" in ran) is secret
    assert [word in ran for word in ("canary", "foreign")] == [not secret] * 2


WORDS = 'f"see {properties.text} and {properties.text}"'


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("pathlib.Path(properties.name).write", f"self.user_log.warn({WORDS}, part={WORDS})\n        PATH", "see"),
        ("pathlib.Path(properties.name).write", f"print({WORDS})\n        PATH", "see"),
        ("pathlib.Path(properties.name).write", f"raise TypeError({WORDS})\n        PATH", "Traceback"),
        (
            "    def is_groupable",
            f"    def validate_own(self, properties):\n        print({WORDS})\n\n    def is_g",
            "see",
        ),
        (
            "    def is_groupable",
            "    def deferred_values(self, properties):\n        print(properties.text)\n        return {}"
            "\n\n    def is_g",
            "printed: ",
        ),
    ],
)
def test_what_a_type_makes_of_a_sensitive_value_is_not_shown(keep, before, after, shown):
    """Each of these showed it."""
    keep.add((before, after.replace("PATH", before).replace("def is_g", "def is_groupable")))
    file = keep.work / "canary"
    file.write_text("canary1 CANARY2 long\n", encoding="utf-8")
    sending = f"{{exec: {{name: cat {file}, meta: {{send: {{sensitive: true}}}}}}}}"
    receiving = f"{{keep: {{name: '{{}}/a', text: \"{{{{ sent('exec#cat {file}').stdout }}}}\"}}}}"
    ran = keep.apply(f"{sending}, {receiving}", options=["--debug"])
    assert shown in ran
    assert [line for line in ran.splitlines() if "CANARY2" in line] == []


def test_a_noop_message_has_no_sensitive_value(keep):
    """Also no sent value that is only a part of a property."""
    keep.add(('"Would have acted"', '"Would have set " + properties.text[5:]'))
    file = keep.work / "f"
    file.write_text("canary\n", encoding="utf-8")
    keep.apply(f"{{keep: {{name: '{file}', text: canary}}}}")
    sending = f"{{keep: {{name: '{file}', text: canary, meta: {{send: {{sensitive: true}}}}}}}}"
    receiving = f"{{keep: {{name: '{{}}/a', text: \"very {{{{ sent('keep#{file}').text }}}}\"}}}}"
    ran = keep.apply(f"{sending}, {receiving}", "--noop")
    assert ("noop=Would have set REDACTED" in ran, "canary" in ran) == (True, False)
