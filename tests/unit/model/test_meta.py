# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`meta` of a resource: durations, semaphores, tries and the fields of some types."""

from __future__ import annotations

import re

import pytest
from ccm.model.common import MetaProperty
from ccm.model.errors import InvalidResource
from ccm.model.kinds import decode_value
from ccm.model.meta import FOR_EVER, SEMAPHORE_PATTERN, delay_of, duration, semaphore, timeout_of
from ccm.model.property import Property

from tests.unit.manifest.runs import refused


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("apt", ("apt", 1)),
        ("apt:3", ("apt", 3)),
        ("apt:007", ("apt", 7)),
        ("a:b", ("a:b", 1)),
        ("a:b:2", ("a:b", 2)),
        ("2:a", ("2:a", 1)),
    ],
)
def test_a_semaphore_has_a_name_and_a_count(text, found):
    assert semaphore(text) == found


@pytest.mark.parametrize("name", ["app:inf", "app:nan", "web:infinity", "x:-", "x:1_0", "x:.", "x:e2", "x:1.2.3"])
def test_what_is_no_number_is_part_of_the_name_of_a_semaphore(name):
    assert semaphore(name) == (name, 1)
    assert semaphore(f"{name}:3") == (name, 3)


NONE = ["", "3", ":3", "apt:", "apt:0", "apt:-1", "apt:1.5", "apt:1e3", "apt: 2", "apt:" + "9" * 13]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_semaphore(text):
    with pytest.raises(InvalidResource, match=re.escape(f'sema "{text}" is not a semaphore')) as refused:
        semaphore(text)
    assert (refused.value.property, refused.value.value) == ("sema", text)
    assert re.search(SEMAPHORE_PATTERN, text) is None


@pytest.mark.parametrize(("text", "nanoseconds"), [("", 0), ("0", 0), ("500ms", 500_000_000), ("1m", 60_000_000_000)])
def test_a_duration_in_nanoseconds(text, nanoseconds):
    assert duration("delay", text) == delay_of({"delay": text}) == timeout_of({"timeout": text}) == nanoseconds


@pytest.mark.parametrize(
    ("text", "reason"), [("-1s", "negative"), ("soon", "invalid duration"), ("5", "invalid duration")]
)
def test_what_is_no_duration(text, reason):
    with pytest.raises(InvalidResource) as refused:
        duration("grace", text, "write something")
    error = refused.value
    assert error.message.startswith(f'grace "{text}": ') and reason in error.message
    assert (error.property, error.value, error.advice) == ("grace", text, "write something")


@pytest.mark.parametrize(
    ("given", "message", "property"),
    [
        ({"retry": -2}, "retry must be a number of tries from 0, or -1 for ever", "meta.retry"),
        ({"delay": "-1s"}, 'delay "-1s": negative', "meta.delay"),
        ({"timeout": "0s"}, 'timeout "0s" leaves no time', "meta.timeout"),
        ({"sema": ["a", "1"]}, 'sema "1" is not a semaphore', "meta.sema"),
        ({"tint": "blue"}, "tint must be one of red, green", "meta.tint"),
    ],
)
def test_a_value_without_a_meaning(given, message, property):
    meta = MetaProperty((Property("tint", choices=("red", "green")),))
    with pytest.raises(InvalidResource) as refused:
        decode_value(meta, given)
    assert (refused.value.message, refused.value.property) == (message, property)


def test_what_is_not_given_has_its_default():
    meta = decode_value(MetaProperty((Property("tint", choices=("red",)),)), {"retry": FOR_EVER, "tint": "red"})
    assert (meta["retry"], meta["tint"], meta["delay"]) == (-1, "red", "")
    assert [meta[name] for name in ("autoedge", "autogroup", "rewatch")] == [True, True, True]
    assert (meta["noop"], meta["send"]) == (False, None)
    assert meta["before"] == meta["notify"] == meta["sema"] == []


REFUSED = [
    ("- exec: {name: a, meta: {sema: ['3']}}", "", 'sema "3" is not a semaphore', "write a name, or NAME:COUNT"),
    *(
        (
            f"- exec: {{name: a, meta: {{sema: ['{text}']}}}}",
            "",
            f'sema "{text}" is not a semaphore',
            "write a name, or",
        )
        for text in ("x:0", "x:-1", "x:1.5", "x:", "x: 2", "x:1e2", "x:+2", "x:.5", "x:2.E-1", ":2", "a:b:-1")
    ),
    *(
        (
            f"- exec: {{name: a, {given}}}",
            "",
            f"{name} must be an integer, not a number (1.5)",
            "write a number without",
        )
        for given, name in (
            ("meta: {retry: 1.5}", "meta.retry"),
            ("meta: {limit: 1/s, burst: 1.5}", "meta.burst"),
        )
    ),
    (
        f"- exec: {{name: a, meta: {{sema: ['x:{'9' * 5000}']}}}}",
        "",
        "is not a semaphore",
        "write a name, or NAME:COUNT",
    ),
    ("- exec: {name: a, meta: {retry: -2}}", "", "retry must be a number of tries from 0, or -1 for ever", ""),
    ("- exec: {name: a, meta: {delay: soon}}", "", 'delay "soon": invalid duration', "write a duration like 500ms or"),
    ("- exec: {name: a, meta: {delay: -1s}}", "", 'delay "-1s": negative', "write a duration like 500ms or 10s"),
    ("- service: {name: a, meta: {undo: b}}", "", 'unknown property "undo" in meta', "known: before, notify, "),
    (
        "- archive: {name: /a, meta: {reverse: true}}",
        "",
        'unknown property "reverse" in meta',
        "known: before, notify, ",
    ),
    ("- exec: {name: a, meta: {reverse: true}}", "", "reverse needs a command", "write the command in meta.undo"),
]


@pytest.mark.parametrize(("resources", "engine", "message", "advice"), REFUSED)
def test_a_manifest_with_a_wrong_meta_is_refused_with_its_place(resources, engine, message, advice):
    error = refused(resources, engine)
    assert message in error.message
    assert error.advice.startswith(advice)
