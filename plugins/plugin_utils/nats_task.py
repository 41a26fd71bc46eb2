# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the task ccm.core.apply uses of NATS on the controller (behaviour.md 15.6, 18). PRIVATE to the collection."""

from __future__ import annotations

import os

from ansible.errors import AnsibleActionFail

from ..module_utils.ansible_tasks.messages import message_of
from ..module_utils.data.sources import fetch_data
from ..module_utils.host.errors import HostError
from ..module_utils.manifest.reader import parse_manifest
from ..module_utils.manifest.source import fetch_manifest
from ..module_utils.model.errors import CCMError
from ..module_utils.model.log import Log
from ..module_utils.model.registration import validate_registration
from ..module_utils.nats.access import NatsAccess
from ..module_utils.nats.errors import NatsError, NatsUnreachable
from ..module_utils.nats.registrations import entry_from, publish, subject_of
from .node_results import mappings_in


def _access(context, stream=""):
    """Return what the controller uses of NATS, by default with the context of the environment."""
    return NatsAccess(context or os.environ.get("NATS_CONTEXT") or "CCM", stream)


def fetched_object(source, context):
    """Return the manifest at `obj://BUCKET/KEY`, in a directory that its caller removes. Raises AnsibleActionFail."""
    return _fetched(lambda nats: fetch_manifest(source, Log(), nats), source, context)


def fetched_document(source, context):
    """Return the parsed data at `kv://BUCKET/KEY`. Raises AnsibleActionFail."""

    def parsed(nats):
        fetched = fetch_data(source, "", nats)
        return parse_manifest(fetched.text.encode("utf-8", "surrogateescape"), fetched.name)

    return _fetched(parsed, source, context)


def _fetched(fetch, source, context):
    nats = _access(context)
    try:
        return fetch(lambda: nats)
    except (CCMError, HostError) as error:
        raise AnsibleActionFail(f"{source}: {message_of(error)}") from None
    finally:
        nats.close()


def published(resources, context, stream):
    """Publish the entries in the results of resources, each subject once; why that could not be done, else "".

    All are checked before the first one is published: a node can return anything.
    """
    try:
        found = [_checked(fields) for result in resources for fields in mappings_in(result, "registrations")]
    except CCMError as error:
        return f"no registration was published: {message_of(error)}"
    nats, faults = _access(context, stream), []
    try:
        for subject, entry in {subject_of(entry): entry for entry in found}.items():
            try:
                publish(nats.client(), entry, stream)
            except NatsUnreachable as error:
                # It has the address. The others would take as long.
                faults.append(f"{subject}: {message_of(error)}")
                break
            except NatsError as error:
                faults.append(f"{subject}: {message_of(error)}{_servers(nats)}")
    finally:
        nats.close()
    return f"could not publish a registration: {faults[0]}" if faults else ""


def _checked(fields):
    """Return the entry that a node returned. Raises CCMError where it breaks the rules."""
    try:
        entry = entry_from(fields, {})
    except ValueError as error:
        raise CCMError(f"an entry of the node: {error}") from None
    validate_registration(entry, "an entry of the node: ")
    return entry


def _servers(nats):
    """Return the addresses of the servers after an error that may not name them, "" without a context."""
    try:
        servers = nats.client().context.servers
    except NatsError:
        return ""
    return f" (server {', '.join(server.address for server in servers)})"
