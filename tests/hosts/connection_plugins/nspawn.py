# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Tasks in a test host: commands join the namespaces of its init, files go through the standard streams of `cat`."""

from __future__ import annotations

import os
import shlex
import subprocess

from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.plugins.connection import ConnectionBase

DOCUMENTATION = """
name: nspawn
short_description: Tasks in a host that systemd-nspawn booted
description:
  - Joins the namespaces of the host's init with C(nsenter), which takes root.
  - Needs no server in the host and no network.
author:
  - ccm.core contributors (!UNKNOWN)
options:
  leader:
    description: The file that holds the process id of the host's init.
    type: path
    required: true
    vars:
      - name: ansible_nspawn_leader
"""

ENVIRONMENT = {
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "LOGNAME": "root",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "USER": "root",
}


class Connection(ConnectionBase):
    """One host."""

    transport = "nspawn"
    has_pipelining = True

    def _connect(self):
        if not self._connected:
            self._init = self._find_init()
            self._connected = True
        return self

    def _find_init(self):
        path = self.get_option("leader")
        try:
            with open(path, encoding="ascii") as file:
                init = int(file.read())
            os.stat(f"/proc/{init}/ns/pid")
        except (OSError, ValueError) as err:
            raise AnsibleConnectionFailure(f"the test host of {path} is not booted: {err}") from err
        return init

    def _join(self, command, **streams):
        self._connect()
        entry = ["nsenter", f"--target={self._init}", "--all", "--wdns=/root", "--", "/bin/sh", "-c", command]
        return subprocess.run(entry, env=ENVIRONMENT, check=False, stderr=subprocess.PIPE, **streams)

    def exec_command(self, cmd, in_data=None, sudoable=True):
        """Run a shell command; returns its status, output and errors."""
        super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        done = self._join(cmd, input=in_data or b"", stdout=subprocess.PIPE)
        return done.returncode, done.stdout, done.stderr

    def put_file(self, in_path, out_path):
        """Copy a file of the controller into the host."""
        super().put_file(in_path, out_path)
        with open(in_path, "rb") as source:
            self._copied(out_path, self._join(f"cat > {shlex.quote(out_path)}", stdin=source))

    def fetch_file(self, in_path, out_path):
        """Copy a file of the host to the controller."""
        super().fetch_file(in_path, out_path)
        with open(out_path, "wb") as target:
            done = self._join(f"cat < {shlex.quote(in_path)}", stdin=subprocess.DEVNULL, stdout=target)
        self._copied(in_path, done)

    @staticmethod
    def _copied(path, done):
        if done.returncode:
            raise AnsibleError(f"{path} of the test host cannot be copied: {done.stderr.decode(errors='replace')}")

    def close(self):
        """Nothing is kept open."""
        self._connected = False
