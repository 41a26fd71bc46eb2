# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of differences names everything that the original does not have: commands, flags, keys and functions."""

from __future__ import annotations

import re

import pytest
from ccm.cli.reference import commands
from ccm.data.function_texts import OWN_FUNCTIONS
from ccm.manifest.engine_settings import ENGINE
from ccm.resources.types import TYPE_NAMES, TYPES, resource_type

from .layout import ROOT

ADDITIONS = (ROOT / "docs/differences.md").read_text(encoding="utf-8").partition("\n## Additions\n")[2]
NAMED = set(re.findall(r"[\w-]+", " ".join(re.findall(r"`([^`]*)`", ADDITIONS))))

# What --help of the original shows, without what its parent has: flags of `ensure` are flags of all its commands.
COMMON = "alias check check-tries check-sleep if unless provider require registration"
ORIGINAL = {
    "ccm": "help version debug info",
    "ccm apply": "fact facts hiera read-env noop monitor-only render report context registration",
    "ccm ensure": "noop session hiera read-env context",
    "ccm ensure archive": f"header username password checksum cleanup creates extract owner {COMMON}",
    "ccm ensure exec": "cwd environment path returns timeout creates exec-if exec-unless refresh-only subscribe "
    f"logoutput {COMMON}",
    "ccm ensure file": f"owner mode content content-file source {COMMON}",
    "ccm ensure package": COMMON,
    "ccm ensure scaffold": f"skip-empty left-delimiter right-delimiter engine purge post {COMMON}",
    "ccm ensure service": f"enable disable subscribe {COMMON}",
    "ccm ensure api": "",
    "ccm ensure api piped": "yaml",
    "ccm facts": "yaml",
    "ccm hiera": "",
    "ccm hiera parse": "data data-file facts env-facts query context yaml env env-prefix",
    "ccm hiera facts": "facts env-facts query",
    "ccm registration": "context",
    "ccm registration create": "cluster service protocol address port priority ttl annotation registration",
    "ccm registration init": "replicas max-age registration",
    "ccm registration query": "json yaml registration",
    "ccm registration rm": "cluster service protocol address port force registration",
    "ccm registration watch": "json registration",
    "ccm session": "",
    "ccm session new": "directory",
    "ccm session report": "session remove",
    "ccm status": "json",
}
FUNCTIONS = {"lookup", "readFile", "file", "template", "jet", "registrations", "kvGet", "write", "render"}
FLAGS = [
    (command.name, flag.name)
    for command in commands()
    for flag in command.flags
    if command.name in ORIGINAL and flag.name not in ORIGINAL[command.name].split()
]


def test_commands_that_the_original_does_not_have():
    extensions = {f"ccm ensure {listed.name}" for listed in TYPES if listed.extension}
    ours = {command.name for command in commands()} - set(ORIGINAL) - extensions
    assert {" ".join(name.split()[:2]) for name in ours if f"`{' '.join(name.split()[:2])}" not in ADDITIONS} == set()
    assert {listed.name for listed in TYPES if listed.extension} <= NAMED


@pytest.mark.parametrize(("command", "flag"), FLAGS)
def test_flags_that_the_original_does_not_have(command, flag):
    """Of commands that both have; a flag for a property of the same name is named by it."""
    prop = flag.replace("-", "_")
    is_property = command.startswith("ccm ensure ") and prop in NAMED
    assert f"--{flag}" in NAMED or is_property, f"--{flag} of {command} is to be named in Additions"


def test_keys_that_the_original_does_not_have():
    metas = [prop for name in TYPE_NAMES for prop in resource_type(name).properties if prop.name == "meta"]
    tables = ADDITIONS.partition("| key of `engine` |")[2]
    engine, _heading, meta = tables.partition("| key of `meta` |")
    assert {field.name for field in ENGINE.fields if f"`{field.name}`" not in engine} == set()
    assert {field.name for prop in metas for field in prop.fields if f"`{field.name}`" not in meta} == set()


def test_functions_that_the_original_does_not_have():
    assert {own.name for own in OWN_FUNCTIONS} - FUNCTIONS - NAMED == set()
