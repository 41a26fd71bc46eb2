# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The events that a run leaves in a session on a host."""

from __future__ import annotations

import json

COLLECT = 'cd "$1" && for file in *.event; do cat "$file"; echo; done'


def session_events(host, directory):
    """Return the events of resources in the session of a directory, in their order."""
    texts = host.run(["sh", "-c", COLLECT, "sh", directory], check=False).stdout.strip()
    decoder, events, at = json.JSONDecoder(), [], 0
    while at < len(texts):
        event, at = decoder.raw_decode(texts, at)
        at += len(texts[at:]) - len(texts[at:].lstrip())
        events.append(event)
    return [event for event in events if event["protocol"].endswith("transaction.event")]
