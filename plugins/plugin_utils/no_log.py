# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Results without what Ansible shows although they are secret. PRIVATE to the collection."""

from __future__ import annotations

from .node_results import mappings_in, text_in

_REGISTER = "register the result, whose key reason has it"
NO_LOG = f"the reason is hidden because of no_log: {_REGISTER}"
VAULTED = f"the reason is hidden because the task read a file of Ansible Vault: {_REGISTER}"
_WARNED = "the warnings of a task are hidden: register the result, whose key hidden_warnings has them"


def without_reason(result, message):
    """Return a result whose values may be secret, with `message` in place of why it failed, and without its warnings.

    Ansible shows both, even of a result that it hides. The keys `reason` and `hidden_warnings` have them. The places
    of the faults are in front of the message: the files, lines and columns.
    """
    result = dict(result)
    warnings = result.pop("warnings", None)
    if warnings:
        shown = [str(warning) for warning in (warnings if isinstance(warnings, list) else [warnings])]
        result.update(hidden_warnings=shown, warnings=[_WARNED])
    if result.get("failed"):
        # Ansible made an exception of the message, and shows that.
        result.pop("exception", None)
        places = ", ".join(filter(None, _places(result)))
        result.update(reason=result.get("msg", ""), msg=f"{places}: {message}" if places else message)
    return result


def _places(result):
    yield text_in(result, "place")
    for resource in mappings_in(result, "resources"):
        if resource.get("outcome") == "failed":
            yield text_in(resource, "position")
