# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Tasks in a container: commands join the namespaces of its init, files go through the standard streams of `cat`."""

from __future__ import annotations

DOCUMENTATION = r"""
name: nspawn
short_description: Run tasks in containers of this machine
version_added: 0.2.0
description:
  - Joins the namespaces of the container's init with C(nsenter), which takes root.
  - Needs no server in the container, no network, and no container engine. The container may be one of systemd-nspawn,
    podman or docker.
  - The hosts that test the roles of this collection with molecule are such containers.
author:
  - ccm.core contributors (!UNKNOWN)
options:
  leader:
    description:
      - The file that holds the process id of the container's init, as this machine sees it.
    type: path
    required: true
    vars:
      - name: ansible_nspawn_leader
"""

EXAMPLES = r"""
# An inventory.
all:
  hosts:
    web:
      ansible_connection: ccm.core.nspawn
      ansible_nspawn_leader: /var/tmp/ccm-test/hosts/web/leader
      ansible_python_interpreter: /usr/bin/python3
"""

import os
import shlex
import subprocess

from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.plugins.connection import ConnectionBase

ENVIRONMENT = {
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "LOGNAME": "root",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "USER": "root",
}


class Connection(ConnectionBase):
    """One container."""

    transport = "ccm.core.nspawn"
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
            raise AnsibleConnectionFailure(f"the container of {path} is not booted: {err}") from err
        return init

    def _join(self, command, **streams):
        self._connect()
        entry = ["nsenter", f"--target={self._init}", "--all", "--wdns=/root", "--", "/bin/sh", "-c", command]
        return subprocess.run(entry, env=ENVIRONMENT, check=False, stderr=subprocess.PIPE, **streams)

    def exec_command(self, cmd, in_data=None, sudoable=True):
        """Run a shell command; return its status, output and errors."""
        super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        done = self._join(cmd, input=in_data or b"", stdout=subprocess.PIPE)
        return done.returncode, done.stdout, done.stderr

    def put_file(self, in_path, out_path):
        """Copy a file of the controller into the container."""
        super().put_file(in_path, out_path)
        with open(in_path, "rb") as source:
            self._copied(out_path, self._join(f"cat > {shlex.quote(out_path)}", stdin=source))

    def fetch_file(self, in_path, out_path):
        """Copy a file of the container to the controller."""
        super().fetch_file(in_path, out_path)
        with open(out_path, "wb") as target:
            done = self._join(f"cat < {shlex.quote(in_path)}", stdin=subprocess.DEVNULL, stdout=target)
        self._copied(in_path, done)

    @staticmethod
    def _copied(path, done):
        if done.returncode:
            raise AnsibleError(f"{path} of the container cannot be copied: {done.stderr.decode(errors='replace')}")

    def close(self):
        """Do nothing: nothing is kept open."""
        self._connected = False
