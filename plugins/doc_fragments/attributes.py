# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations


class ModuleDocFragment:
    """What every module of the collection says of check mode and the like."""

    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in C(check_mode) and say what it would do without doing it.
  diff_mode:
    description: Shows what changes, or would change in C(check_mode), when in C(diff) mode.
  async:
    description: Can run in the background with the C(async) keyword.
  platform:
    description: The operating systems of the managed nodes.
    support: full
    platforms: linux
"""

    ACTIONGROUP_ALL = r"""
options: {}
attributes:
  action_group:
    description: Is in the group of all modules of this collection, for options of C(module_defaults) that they share.
    support: full
    membership:
      - ccm.core.all
"""

    ACTIONGROUP_FILES = r"""
options: {}
attributes:
  action_group:
    description: Is in groups of modules of this collection, for options of C(module_defaults) that they share.
    support: full
    membership:
      - ccm.core.all
      - ccm.core.files
"""

    INFO = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - It only reads, with and without check mode.
  diff_mode:
    support: N/A
    details:
      - Nothing changes.
  async:
    support: full
"""
