# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The names by which records, requests and responses identify themselves."""

from __future__ import annotations

EVENT = "io.choria.ccm.v1.transaction.event"
SESSION_START = "io.choria.ccm.v1.session.start"
ENSURE_REQUEST = "io.choria.ccm.v1.resource.ensure.request"
ENSURE_RESPONSE = "io.choria.ccm.v1.resource.ensure.response"
