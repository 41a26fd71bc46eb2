# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The option of tasks that send files of the controller: whether files of Ansible Vault are decrypted."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ansible_module import ArgumentSpec

DECRYPT_OPTION: ArgumentSpec = {"decrypt": {"type": "bool", "default": True}}
