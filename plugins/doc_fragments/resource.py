# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations


class ModuleDocFragment:
    """The options that every resource has."""

    DOCUMENTATION = r"""
options:
  alias:
    description:
      - Another name for the resource, shown in its event.
    type: str
notes:
  - Text is taken as it is, Ansible has templated it already. Only M(ccm.core.apply) understands expressions of CCM.
  - C(control), C(require), C(subscribe), C(register_when_stable) and C(health_checks) of CCM's manifests are no options
    here. Ansible's words for them are C(when), C(block), C(notify) and handlers.
"""
