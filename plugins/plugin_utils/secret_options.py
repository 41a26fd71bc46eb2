# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The options of a module without the options that Ansible may not log. PRIVATE to the collection."""

from __future__ import annotations

import json
from binascii import b2a_base64

from ..module_utils.ansible_tasks.argument_spec import HIDDEN
from ..module_utils.model.property import shown_properties
from ..module_utils.redaction.texts import without_text_secrets


def without_secrets(type, options, unlogged=()):
    """Return the options for a type's module: those with secrets as events show them, with values in `HIDDEN`.

    `options` are converted, by name. Options that are secret as a whole, or not to be logged, are left out. `unlogged`
    is passed in `HIDDEN` only, by name.
    """
    visible, hidden = {}, dict(unlogged)
    properties = {prop.name: prop for prop in type.properties}
    for name, value in options.items():
        prop = properties.get(name)
        if not value or (prop is None and not isinstance(value, str)):
            visible[name] = value
            continue
        sent = json.loads(json.dumps(value, default=_text))
        if prop is None:
            shown = without_text_secrets(sent)
        else:
            shown = None if prop.secret or prop.unlogged else _shown(prop, sent)
        if shown == sent:
            visible[name] = value
            continue
        hidden[name] = sent
        if shown is not None:
            visible[name] = shown
    if hidden:
        visible[HIDDEN] = hidden_text(hidden)
    return visible


def hidden_text(options):
    """Return the value of the option `HIDDEN` for options, by name, that Ansible may not log."""
    text = json.dumps(options, default=_text)
    return b2a_base64(text.encode("ascii"), newline=False).decode("ascii")


def _text(value):
    """Return Ansible's form of a value that JSON does not have: dates, and texts of a vault."""
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _shown(prop, value):
    if prop.kind != "objects":
        return shown_properties((prop,), {prop.name: value}, named=True).get(prop.name, value)
    fields = {field.name: field for field in prop.fields}
    return [{name: _shown(fields[name], text) for name, text in entry.items()} for entry in value]
