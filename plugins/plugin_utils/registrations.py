# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Registered entries for plugins of the controller (behaviour.md 18)."""

from __future__ import annotations

from ansible.errors import AnsibleError

from ..module_utils.ansible_tasks.messages import message_of
from ..module_utils.model.errors import CCMError
from ..module_utils.model.registration import validate_registration
from ..module_utils.model.registration_fields import fields_of
from ..module_utils.nats.access import NatsAccess

FILTERS = ("cluster", "protocol", "service", "address")


def registered(option):
    """Return the entries that options of a plugin ask for; `option` returns one.

    Raises AnsibleError, also for an entry that the rules of registrations do not allow: any program can write one.
    """
    nats = NatsAccess(option("context"), option("registration"))
    try:
        found = nats.registrations([option(name) for name in FILTERS])
        for entry in found:
            validate_registration(entry, "an entry of the stream: ")
        return [fields_of(entry) for entry in found]
    except CCMError as error:
        raise AnsibleError(message_of(error)) from None
    finally:
        nats.close()
