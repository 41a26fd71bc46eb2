#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: archive
short_description: Download and unpack archives with Choria Configuration Management
version_added: 0.1.0
description:
  - Downloads a zip or a tar from a web server to the node, and unpacks it when that is wanted.
  - The archive is checked while it arrives, and takes its place when it is whole. What was unpacked takes its place
    when all of it is, O(creates) last. A task that was cut off is done again by the next run.
  - Entries whose names lead out of O(extract_parent), devices of a tar, and what would be written through a link are
    not unpacked. The task fails and names them. An archive that unpacks to more than 64 MiB and a hundred times its
    size, or to more than 250,000 files, is refused as a whole.
  - An archive that could not be unpacked stays only where there was none, with the mode C(0000), and the next run
    downloads it again.
  - Neither C(tar) nor C(unzip) is needed on the node. C(.tar.zst) needs Python 3.14 or the program C(zstd) there.
  - The same engine, rules and messages as in the manifests of CCM and in M(ccm.core.apply).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_files
  - ccm.core.options.archive
  - ccm.core.resource
  - ccm.core.resource.action
attributes:
  check_mode:
    support: full
    details:
      - The server is not asked. Whether it has the archive, and what is in it, shows only in the run. An O(owner) or
        a O(group) that is not known fails the task here too.
  diff_mode:
    support: none
  async:
    support: full
options:
  name:
    description:
      - The absolute path of the archive on the node, ending in C(.zip), C(.tar), C(.tar.gz), C(.tgz), C(.tar.xz),
        C(.txz), C(.tar.bz2), C(.tbz2) or C(.tar.zst) as the file name in O(url) does. Its directory must be there. Only
        its owner may read it.
  ensure:
    description:
      - With V(present) the archive is there, or with O(cleanup) what it O(creates) is.
      - With V(absent) the archive is removed. What was unpacked from it stays.
  url:
    description:
      - Where to download it from, C(http) or C(https). The node asks for it, by way of the proxies that its
        environment names. It is needed with V(absent) as well.
  headers:
    description:
      - Headers to send with the request, in UTF-8. Their values are shown nowhere, and are not sent to another server
        that a redirect leads to.
  username:
    description:
      - The user for basic authentication, which needs O(password) too. It is for the server of O(url) only.
  checksum:
    description:
      - The SHA-256 of the archive in hexadecimal. An archive with another one is downloaded again, and what arrives
        with another one is not kept.
      - Without it any file of that name is good.
  extract_parent:
    description:
      - The absolute path of the directory to unpack the archive in, which is made when it is not there.
      - It is unpacked after a download, and when what it O(creates) is not there. Modes, times and links are as in
        the archive; root also gives what a tar holds to the owners that it names.
  cleanup:
    description:
      - Whether to remove the archive once it is unpacked, or when it was unpacked before. Needs O(extract_parent) and
        O(creates).
  owner:
    description:
      - The user that owns the archive, by name or number. Needed.
  group:
    description:
      - The group that owns the archive, by name or number. Needed.
  download_timeout:
    description:
      - How long the download may take in all, like V(10m). One minute when not given.
    type: str
  download_tries:
    description:
      - How often to ask the server at most, when it does not answer, is overloaded or ends the connection early. A
        server that offers it is asked for the rest only. Three times when not given.
    type: int
  download_limit:
    description:
      - The largest archive to download, like V(500MiB) or V(2GiB). Any when not given.
    type: str
seealso:
  - module: ccm.core.apply
  - module: ansible.builtin.unarchive
  - module: ansible.builtin.get_url
"""

EXAMPLES = r"""
- name: Install a release
  ccm.core.archive:
    name: /var/cache/app-1.2.tar.gz
    ensure: present
    url: https://downloads.example.com/app-1.2.tar.gz
    checksum: 6ab3c1e54e6e2d0cbbd4ad1fcdbb7b1d7c9d4d1e4d1f0c9b2a8a3b5d6c7e8f90
    extract_parent: /opt
    creates: /opt/app-1.2/bin/app
    owner: root
    group: root

- name: Keep what was unpacked only
  ccm.core.archive:
    name: /var/tmp/site.zip
    ensure: present
    url: https://downloads.example.com/site.zip
    headers:
      X-Token: "{{ token }}"
    extract_parent: /srv/site
    creates: /srv/site/index.html
    cleanup: true
    owner: root
    group: root

- name: Download much over a slow line
  ccm.core.archive:
    name: /srv/images/base.tar
    ensure: present
    url: https://downloads.example.com/base.tar
    username: mirror
    password: "{{ mirror_password }}"
    owner: root
    group: root
    download_timeout: 2h
    download_tries: 10
"""

RETURN = r"""
# Written by make docs: change the declarations, not this text.
msg:
  description: What was done, what would be done in check mode, or why it failed.
  returned: always
  type: str
  sample: Nothing to do
event:
  description:
    - CCM's own record of what became of the resource, as C(ccm apply) writes it.
    - See M(ccm.core.file) for the keys of all events.
  returned: unless the arguments were refused
  type: dict
  contains:
    status:
      description: The state afterwards; null when it is not known.
      returned: always
      type: dict
      contains:
        metadata:
          description: The state in detail.
          returned: always
          type: dict
          contains:
            name:
              description: The name of the resource.
              returned: always
              type: str
            checksum:
              description: The SHA-256 of the archive in hexadecimal.
              returned: when there is one
              type: str
            archive_exists:
              description: Whether the archive is there.
              returned: when it is true
              type: bool
            creates_exists:
              description: Whether what unpacking creates is there.
              returned: when it is true
              type: bool
            owner:
              description: The user that owns it, empty when it is not there.
              returned: always
              type: str
            group:
              description: The group that owns it, empty when it is not there.
              returned: always
              type: str
            mtime:
              description: When it was changed, in RFC 3339; the year 1 when it is not there.
              returned: always
              type: str
            size:
              description: How long it is, in bytes.
              returned: when there is one
              type: int
            provider:
              description: The provider that read the state.
              returned: always
              type: str
health_checks:
  description:
    - The results of the health checks, in order.
    - See M(ccm.core.file) for their keys.
  returned: when there are any and they were run
  type: list
  elements: dict
log:
  description: What the provider had to say.
  returned: when it said something
  type: list
  elements: str
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils.ansible_tasks.archive_task import archive_argument_spec, run_archive
from ..module_utils.ansible_tasks.argument_spec import HIDDEN_OPTION, new_module
from ..module_utils.resources.archive.type import TYPE as ARCHIVE


def main():
    run_archive(new_module(AnsibleModule, {**archive_argument_spec(ARCHIVE), **HIDDEN_OPTION}), ARCHIVE)


if __name__ == "__main__":
    main()
