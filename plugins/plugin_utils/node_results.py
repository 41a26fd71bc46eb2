# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What a node returned, checked before it is used: it may be anything. PRIVATE to the collection."""

from __future__ import annotations

import hashlib
import os

from ansible import constants

from ..module_utils.ansible_tasks.fact_warnings import FACT_WARNINGS

#: Keys by which Ansible changes facts and statistics of the run, in the result of any module. Ours return none of them.
_ACTED_ON = ("ansible_facts", "ansible_stats")


def clean(result, discovered):
    """Remove from a node's result what Ansible would act on, and what it cannot show.

    `discovered` is the name of the fact with the node's Python, which Ansible itself adds, or None.
    """
    facts = mapping_in(result, "ansible_facts")
    for key in _ACTED_ON:
        result.pop(key, None)
    if discovered in facts:
        result["ansible_facts"] = {discovered: facts[discovered]}
    for key, is_valid in (("diff", _is_difference), ("deprecations", _is_deprecation)):
        if key in result:
            value = result[key]
            result[key] = [entry for entry in (value if isinstance(value, list) else [value]) if is_valid(entry)]


def _is_difference(entry):
    """Return whether an entry has the form of the differences that our modules return."""
    if not isinstance(entry, dict) or ("before" in entry) != ("after" in entry):
        return False
    sides = all(isinstance(entry[key], (str, dict)) for key in ("before", "after") if key in entry)
    return sides and all(isinstance(entry.get(key, ""), str) for key in ("before_header", "after_header", "prepared"))


def _is_deprecation(entry):
    """Return whether an entry is one of Ansible's own objects, or their older form."""
    return isinstance(entry, dict) or hasattr(entry, "event")


def text_in(result, key):
    """Return the text at a key of a node's result; "" where it is none."""
    value = result.get(key)
    return value if isinstance(value, str) else ""


def mapping_in(result, key):
    """Return the mapping at a key of a node's result; an empty one where it is none."""
    value = result.get(key)
    return value if isinstance(value, dict) else {}


def texts_in(result, key):
    """Return the texts in the list at a key of a node's result; none where it is no list."""
    value = result.get(key)
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []


def mappings_in(result, key):
    """Return the mappings in the list at a key of a node's result; none where it is no list."""
    value = result.get(key)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def with_warnings(result, warnings):
    """Return a node's result with further warnings, and without what its own are that are no texts."""
    return {**result, "warnings": [*texts_in(result, "warnings"), *warnings]} if warnings else result


def warn_once(result, host, play):
    """Make warnings of what a node said of its files of facts, each once for a host and a play.

    They have the name of the `host`: Ansible shows equal warnings of several hosts once. `play` is the id of the play.
    """
    said = texts_in(result, FACT_WARNINGS)
    result.pop(FACT_WARNINGS, None)
    new = [f"{host}: {text}" for text in said if _is_first(f"{play} {host} {text}")]
    if new:
        warnings = result.get("warnings")
        result["warnings"] = [*(warnings if isinstance(warnings, list) else ()), *new]


def _is_first(text):
    """Return whether this is the first call with a text in a run of Ansible, in all of its processes."""
    name = f"ccm-core-said-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
    try:
        os.close(os.open(os.path.join(constants.DEFAULT_LOCAL_TMP, name), os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    return True
