# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for systemctl, for hosts without systemd: every service exists, runs and is enabled."""

from __future__ import annotations

PROGRAM = r"""#!/bin/sh
verb=$1
shift 3
for unit; do
    case $verb in
    show) printf 'Id=%s\nNames=%s\nLoadState=loaded\nActiveState=active\nNeedDaemonReload=no\n\n' "$unit" "$unit" ;;
    is-enabled) echo enabled ;;
    restart) ;;
    *) exit 1 ;;
    esac
done
"""


def stand_in_for_systemctl(folder):
    """Write it to a directory for the front of PATH; return the directory."""
    folder.mkdir()
    program = folder / "systemctl"
    program.write_text(PROGRAM, encoding="ascii")
    program.chmod(0o755)
    return folder
