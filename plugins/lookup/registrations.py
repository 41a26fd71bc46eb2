# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import annotations

DOCUMENTATION = r"""
name: registrations
short_description: List services that are registered in NATS
version_added: 0.1.0
description:
  - Lists what machines have registered with C(ccm apply --register), as C(registrations(\)) in manifests does, sorted
    by address and port. The controller connects with NATS. Where it cannot, the lookup fails; the list is never empty
    then.
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.registrations
seealso:
  - plugin: ccm.core.registrations
    plugin_type: inventory
"""

EXAMPLES = r"""
- name: Show the web servers of production
  ansible.builtin.debug:
    msg: "{{ query('ccm.core.registrations', cluster='prod', service='web') | map(attribute='address') }}"
"""

RETURN = r"""
_raw:
  description:
    - The entries, each with C(cluster), C(service), C(protocol), C(address) and C(priority), and with C(port),
      C(annotations) and C(ttl) where it has them.
  type: list
  elements: dict
"""

from ansible.errors import AnsibleError, AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ..plugin_utils.registrations import registered


class LookupModule(LookupBase):
    """Lists registered entries."""

    def run(self, terms, variables=None, **options):
        """Return the entries. Raises AnsibleLookupError."""
        if terms:
            raise AnsibleLookupError(
                "registrations: takes no terms; give cluster, protocol, service or address by name"
            )
        self.set_options(var_options=variables, direct=options)
        try:
            return registered(self.get_option)
        except AnsibleError as error:
            raise AnsibleLookupError(f"registrations: {error}") from None
