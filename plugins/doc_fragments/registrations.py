# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The options of plugins that read registered entries."""

from __future__ import annotations


class ModuleDocFragment:
    """Which entries, and from where."""

    DOCUMENTATION = r"""
options:
  cluster:
    description:
      - The cluster of the entries, V(*) for any.
    type: str
    default: "*"
  protocol:
    description:
      - The protocol of the entries, V(*) for any.
    type: str
    default: "*"
  service:
    description:
      - The service of the entries, V(*) for any.
    type: str
    default: "*"
  address:
    description:
      - The address of the entries, V(*) for any.
    type: str
    default: "*"
  registration:
    description:
      - The stream of NATS that has the entries.
    type: str
    default: REGISTRATION
  context:
    description:
      - The context of the C(nats) command with which the controller connects, or the absolute path of its file.
    type: str
    default: CCM
    env:
      - name: NATS_CONTEXT
requirements:
  - nats-py, on the controller
"""
