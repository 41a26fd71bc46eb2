# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Templates with Sprig's functions, with a fixed clock and fixed random numbers."""

from __future__ import annotations

from typing import ClassVar

from ccm.lang.go.fmt import sprint
from ccm.lang.go.kinds import type_name
from ccm.lang.go.time.times import SECOND, UTC, Time
from ccm.lang.gotemplate.errors import TemplateFault
from ccm.lang.gotemplate.function import Function
from ccm.lang.gotemplate.sprig.catalogue import NAMES, function
from ccm.lang.gotemplate.template import parse

#: 2024-02-29 10:30:12 UTC.
NOW = 1709202612
#: The message for a missing package, with its name.
MISSING = (
    "this needs the Python package {0}, which is not installed: install python3-{0},"
    " or with pip ccm-core[crypto] where ccm is in a virtual environment"
)


class Machine:
    environ: ClassVar = {"HOME": "/home/ann", "A B": "odd", "1": "one"}

    @staticmethod
    def now():
        return Time(NOW * SECOND, UTC)

    @staticmethod
    def random(count):
        return bytes(number % 251 for number in range(count))

    @staticmethod
    def addresses(name):
        return ["192.0.2.7"] if name == "db1" else []


class _Known:
    """Return Sprig's functions, `show` (the Go type and the value), and `blob` (a text as bytes)."""

    own: ClassVar = {
        "show": Function(lambda value: f"{type_name(value)}|{sprint(value)}", "any"),
        "blob": Function(str.encode, "string"),
    }

    def __contains__(self, name):
        return name in self.own or name in NAMES

    def __getitem__(self, name):
        return self.own.get(name) or function(name)


def render(text, data=None):
    """Return the result of a template."""
    return parse(text, "t", _Known()).render(data, Machine)


def outcome(call):
    """Return the result of a call: its type and value, or the name of the function that failed and its error."""
    try:
        return render("{{ show (" + call + ") }}")
    except TemplateFault as fault:
        return str(fault).partition("error calling ")[2]
