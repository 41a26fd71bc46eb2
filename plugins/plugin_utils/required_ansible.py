# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The oldest ansible-core that the collection works with. PRIVATE to the collection."""

from __future__ import annotations

from ansible import release
from ansible.errors import AnsibleError

#: As in `requires_ansible` of meta/runtime.yml, which Ansible itself only warns of.
OLDEST = (2, 19)


def require_ansible():
    """Raise AnsibleError where ansible-core is older than the collection needs."""
    version = release.__version__
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise AnsibleError(f"ccm.core needs ansible-core {oldest} or newer, and this is {version}")
