# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import annotations

DOCUMENTATION = r"""
name: registrations
short_description: Hosts that registered services in NATS
version_added: 0.1.0
description:
  - Each address of the entries that machines have registered with C(ccm apply --register) is a host, in the groups
    C(cluster_CLUSTER), C(protocol_PROTOCOL) and C(service_SERVICE) of its entries.
  - The variable C(ccm_registrations) of a host has its entries, C(ccm_annotations) their annotations together; of two
    with one name the one of the lower port counts.
  - The name of the file must end in C(ccm_registrations.yml) or C(ccm_registrations.yaml). Where the controller cannot
    read the entries, the inventory fails. Ansible then goes on without its hosts, unless C(any_unparsed_is_failed) is
    set.
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.registrations
  - constructed
  - inventory_cache
options:
  plugin:
    description:
      - The name of this plugin.
    type: str
    required: true
    choices:
      - ccm.core.registrations
seealso:
  - plugin: ccm.core.registrations
    plugin_type: lookup
"""

EXAMPLES = r"""
# prod.ccm_registrations.yml: all web servers of production, and a group for each rack
plugin: ccm.core.registrations
cluster: prod
service: web
keyed_groups:
  - key: ccm_annotations.rack
    prefix: rack
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: /var/cache/ansible
cache_timeout: 60
"""

from ansible.errors import AnsibleError, AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.utils.unsafe_proxy import wrap_var

from ..plugin_utils.registrations import registered

_ENDINGS = ("ccm_registrations.yml", "ccm_registrations.yaml")


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    """Makes hosts and groups of registered entries."""

    NAME = "ccm.core.registrations"

    def verify_file(self, path):
        """Return whether a file is for this plugin."""
        return super().verify_file(path) and path.endswith(_ENDINGS)

    def parse(self, inventory, loader, path, cache=True):
        """Add the hosts and groups. Raises AnsibleParserError."""
        super().parse(inventory, loader, path, cache)
        self._read_config_data(path)
        by_address = {}
        for entry in self._entries(self.get_cache_key(path), cache):
            by_address.setdefault(entry["address"], []).append(entry)
        for address, entries in by_address.items():
            self._add(address, entries)

    def _entries(self, key, cache):
        """Return the entries, from the cache where it has them."""
        uses_cache = self.get_option("cache")
        if uses_cache and cache and key in self._cache:
            return self._cache[key]
        try:
            entries = registered(self.get_option)
        except AnsibleError as error:
            raise AnsibleParserError(f"registrations: {error}") from None
        if uses_cache:
            self._cache[key] = entries
        return entries

    def _add(self, address, entries):
        host = self.inventory.add_host(address)
        annotations = {}
        for entry in reversed(entries):
            annotations.update(entry.get("annotations", {}))
        self.inventory.set_variable(host, "ccm_registrations", wrap_var(entries))
        self.inventory.set_variable(host, "ccm_annotations", wrap_var(annotations))
        for entry in entries:
            for name in ("cluster", "protocol", "service"):
                group = self.inventory.add_group(self._sanitize_group_name(f"{name}_{entry[name]}"))
                self.inventory.add_child(group, host)
        variables = self.inventory.get_host(host).get_vars()
        strict = self.get_option("strict")
        self._set_composite_vars(self.get_option("compose"), variables, host, strict=strict)
        variables = self.inventory.get_host(host).get_vars()
        self._add_host_to_composed_groups(self.get_option("groups"), variables, host, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, host, strict=strict)
