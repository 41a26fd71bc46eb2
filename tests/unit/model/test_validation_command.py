# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command that checks new content before it is put in place."""

from __future__ import annotations

import pytest
from ccm.model.errors import InvalidResource
from ccm.model.validation_command import check_command, words_of

from tests.unit.manifest.runs import loaded


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("visudo -cf %s", ["visudo", "-cf", "%s"]),
        ("check --file=%s/etc/a", ["check", "--file=%s/etc/a"]),
        ("sh -c 'a | b && c > %s'", ["sh", "-c", "a | b && c > %s"]),
        (r"a \| %s", ["a", "|", "%s"]),
        ('a ";" %s', ["a", ";", "%s"]),
        ("a b|c %s", ["a", "b|c", "%s"]),
    ],
)
def test_the_words_of_a_command(command, words):
    assert words_of(command) == words
    assert check_command(command, "present", "validate") == command


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("true", "validate must contain %s, the place of the path of the new content"),
        ("", "validate must contain %s, the place of the path of the new content"),
        ("a | b %s", "validate is run without a shell, and | is for shells"),
        ("a %s; b", "validate is run without a shell, and ; is for shells"),
        ("a %s 2>&1", "validate is run without a shell, and 2>&1 is for shells"),
        ("a '%s", "validate cannot be split into words: "),
    ],
)
def test_a_command_that_cannot_check(command, message):
    with pytest.raises(InvalidResource) as refused:
        check_command(command, "present", "validate")
    assert refused.value.message.startswith(message)
    assert refused.value.property == "validate"


@pytest.mark.parametrize("command", ["curl -u me:canary %s | sh", "curl -u me:canary"])
def test_secrets_of_a_refused_command_are_hidden(command):
    with pytest.raises(InvalidResource) as refused:
        words_of(command, "meta.validate")
    assert "canary" not in f"{refused.value.message} {refused.value.value}"
    assert refused.value.property == "meta.validate"


@pytest.mark.parametrize("ensure", ["absent", "directory"])
def test_only_what_is_present_has_content_to_check(ensure):
    with pytest.raises(InvalidResource, match=f"^validate needs ensure: present, not {ensure}$"):
        check_command("a %s", ensure, "validate")


@pytest.mark.parametrize("kind", ["file: {owner: r, group: r, mode: '0644', ", "scaffold: {source: s, "])
def test_a_manifest_is_refused_with_the_place_of_the_command(kind):
    with pytest.raises(InvalidResource) as refused:
        loaded(f'- {kind}name: /x, ensure: present, meta: {{validate: "true"}}}}')
    assert refused.value.message.endswith("validate must contain %s, the place of the path of the new content")
    assert refused.value.position
