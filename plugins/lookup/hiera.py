# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import annotations

DOCUMENTATION = r"""
name: hiera
short_description: Read hierarchical data of CCM
version_added: 0.1.0
description:
  - Reads a YAML or JSON file with C(hierarchy), C(data) and C(overrides) on the controller, resolves it for facts, and
    returns what GJSON paths find in the data, one value for each term; without a term all data. A vaulted file is
    decrypted.
author:
  - ccm.core contributors (!UNKNOWN)
options:
  _terms:
    description:
      - GJSON paths in the data.
    type: list
    elements: str
  file:
    description:
      - The file, searched in C(files/) of the role and of the play, as M(ansible.builtin.copy) does.
    type: str
    required: true
  facts:
    description:
      - The facts that choose the overrides.
    type: dict
    default: {}
  default:
    description:
      - The value of a path that finds nothing. Without it that is an error.
    type: raw
seealso:
  - plugin: ccm.core.gjson
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Show the port of this environment
  ansible.builtin.debug:
    msg: "{{ lookup('ccm.core.hiera', 'web.port', file='common.yaml', facts={'env': 'production'}) }}"
"""

RETURN = r"""
_raw:
  description: The values, in the order of the terms.
  type: list
  elements: raw
"""

import json

from ansible.errors import AnsibleError, AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ..module_utils.ansible_tasks.messages import message_of
from ..module_utils.data.hierarchy import resolve_document, validate_data
from ..module_utils.data.reading import parse_document
from ..module_utils.lang.gjson.result import GJSONError
from ..module_utils.lang.gjson.search import get
from ..module_utils.model.errors import CCMError
from ..plugin_utils.controller_files import ControllerFiles
from ..plugin_utils.facts import manifest_facts


class LookupModule(LookupBase):
    """Resolves hierarchical data."""

    def run(self, terms, variables=None, **options):
        """Return the values that the terms find. Raises AnsibleLookupError."""
        self.set_options(var_options=variables, direct=options)
        name = self.get_option("file")
        path = self.find_file_in_search_path(variables, "files", name, ignore_missing=True)
        if path is None:
            raise AnsibleLookupError(f"hiera: there is no file {name}")
        data = self._data(path)
        return [self._found(data, term, name) for term in terms] if terms else [data]

    def _data(self, path):
        files = ControllerFiles(self._loader)
        try:
            text = files.read(path).decode("utf-8", "surrogateescape")
        except AnsibleError as error:
            raise AnsibleLookupError(f"hiera: {error}") from None
        except OSError as error:
            raise AnsibleLookupError(f"hiera: cannot read {path}: {error.strerror}") from None
        try:
            resolved = resolve_document(parse_document(text, path), manifest_facts(self.get_option("facts")))
            validate_data(resolved.data, resolved.rules)
        except CCMError as error:
            message = message_of(error)
            if files.decrypted:
                # The message may quote the file, which is secret.
                message = f"{error.position or path}: the reason is not shown: the file is of Ansible Vault"
            raise AnsibleLookupError(f"hiera: {message}") from None
        return resolved.data

    def _found(self, data, term, name):
        try:
            found = get(data, str(term))
        except GJSONError as error:
            raise AnsibleLookupError(f"hiera: path {term}: {error}") from None
        if found.exists:
            return json.loads(found.raw)
        default = self.get_option("default")
        if default is None:
            raise AnsibleLookupError(f"hiera: path {term} finds nothing in {name}; give a default if that is possible")
        return default
