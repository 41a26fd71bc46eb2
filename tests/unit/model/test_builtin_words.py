# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words of modules of Ansible: what to write for each, and that all that is written for them exists here."""

from __future__ import annotations

import re

import pytest
from ccm.ansible_tasks.apply_options import APPLY_OPTIONS
from ccm.ansible_tasks.argument_spec import argument_spec
from ccm.model import builtin_words as words
from ccm.resources.types import TYPE_NAMES, resource_type

SPECS = [argument_spec(resource_type(name)) for name in TYPE_NAMES] + [APPLY_OPTIONS]
OPTIONS = {option for spec in SPECS for option in spec} | {"download_timeout"}
PROPERTIES = {prop.name for name in TYPE_NAMES for prop in resource_type(name).properties}
SERVICE, PACKAGE = {"running", "stopped"}, {"present", "absent", "latest"}


def advice_of(advice):
    return [advice] if isinstance(advice, str) else list(advice.values())


def test_each_option_to_write_exists_and_no_option_that_exists_is_refused():
    for needed, of_module in words._OPTIONS:
        found = [spec for spec in SPECS if all(name in spec for name in needed)]
        assert len(found) == 1, needed
        for word, advice in of_module.items():
            assert word not in found[0]
            for text in advice_of(advice):
                named = re.match(r"write (\w+)", text)
                assert not named or named[1] in {*found[0], "download_timeout"}, text
    assert set(words.MANIFEST_OPTIONS) - {"noop"} <= PROPERTIES


@pytest.mark.parametrize(
    ("word", "values", "options", "advice"),
    [
        ("started", SERVICE, (), "write ensure: running"),
        ("build-dep", PACKAGE, {"mark"}, "use ansible.builtin.apt for this"),
        ("touch", ("running", "stopped"), (), "it means nothing here, where ensure can be running or stopped"),
        ("present", PACKAGE, (), ""),
    ],
)
def test_a_state_of_the_modules_of_ansible(word, values, options, advice):
    assert words.builtin_state_advice(word, values, options) == advice


@pytest.mark.parametrize(
    ("word", "value", "options", "advice"),
    [
        ("attributes", "+i", {"content"}, "use ansible.builtin.file for this"),
        ("attributes", "+i", {"mark"}, ""),
        ("pkg", "x", {"name"}, "write name"),
        ("enabled", True, {"name"}, ""),
        ("masked", True, {"enable"}, "write enable: mask and ensure: stopped"),
        ("masked", "no", {"enable"}, "write enable: true or enable: false"),
        ("scope", "user", {"enable"}, "there is none here; use ansible.builtin.systemd_service for units of users"),
        ("scope", "system", {"enable"}, "leave it out"),
        (
            "update_password",
            "?",
            {"managehome"},
            "for always leave it out, as password always says which hash the user has; "
            "for on_create there is none here; use ansible.builtin.user",
        ),
        ("path", "/x", {"key"}, ""),
        ("path", "/x", {"key", "user"}, "write target"),
    ],
)
def test_an_option_of_the_modules_of_ansible(word, value, options, advice):
    assert words.builtin_option_advice(word, value, options) == advice


@pytest.mark.parametrize(
    ("given", "options", "advice"),
    [
        (
            {"key"},
            {"key", "user"},
            "write name, which is the comment of the key; type and key have the words before it",
        ),
        ({"update_cache"}, {"mark"}, words._NAMES[1][2]),
        ({"ensure"}, {"mark"}, ""),
        ({}, {"content"}, ""),
    ],
)
def test_a_name_that_is_missing(given, options, advice):
    assert words.missing_name_advice(given, options) == advice
