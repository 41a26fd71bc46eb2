# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# Written by make docs: change the declarations, not this text.

from __future__ import annotations


class ModuleDocFragment:
    """The options of each module that are properties of its type; a module has texts only where a play needs more."""

    ARCHIVE = r"""
options:
  name:
    description: What is managed.
    type: str
    required: true
    aliases: [path]
  ensure:
    description: The state that is wanted.
    type: str
    default: present
    choices: [present, absent]
    aliases: [state]
  provider:
    description: The provider to use. There is one, C(http).
    type: str
  url:
    description: Where to download it from, http or https.
    type: str
  headers:
    description: Headers to send with the request.
    type: dict
  username:
    description: The user for basic authentication.
    type: str
  password:
    description: The password for basic authentication.
    type: str
  checksum:
    description: The SHA-256 of the archive in hexadecimal.
    type: str
  extract_parent:
    description: The directory to unpack it in; made when missing.
    type: str
  cleanup:
    description: Whether to remove the archive once it is unpacked.
    type: bool
    default: false
  creates:
    description: A path that unpacking creates; it is unpacked when that is missing.
    type: str
  owner:
    description: The user that owns the archive, by name or number.
    type: str
  group:
    description: The group that owns the archive, by name or number.
    type: str
"""

    EXEC = r"""
options:
  name:
    description: What is managed.
    type: str
    required: true
  ensure:
    description: The state that is wanted.
    type: str
    default: present
    choices: [present, absent]
    aliases: [state]
  provider:
    description: The provider to use, instead of the most suitable one.
    type: str
  command:
    description: The command; the name when not given.
    type: str
  cwd:
    description: The directory to run it in, / when not given.
    type: str
  environment:
    description: Variables to set, as KEY=value. Nothing else is inherited.
    type: list
    elements: str
  path:
    description: Directories to look the command up in, with colons between; also its PATH.
    type: str
  returns:
    description: Exit codes that mean success, 0 when not given.
    type: list
    elements: int
  timeout:
    description: How long it may take before it is killed, like 10s; no limit when not given.
    type: str
  creates:
    description: A path the command creates; it does not run when that is there.
    type: str
  onlyif:
    description: A command that must exit 0 for the command to run.
    type: str
  unless:
    description: A command that must not exit 0 for the command to run.
    type: str
  refreshonly:
    description: Whether it runs only when a subscribed resource changed.
    type: bool
    default: false
    aliases: [refresh_only]
  logoutput:
    description: Whether its standard output is logged.
    type: bool
    default: false
  user:
    description: The user that it runs as, a name or a number; the user of ccm when not given.
    type: str
  group:
    description: The group that it runs as; its user's when not given.
    type: str
  umask:
    description: The bits that modes of new files do not get, like 0022; ccm's umask when not given.
    type: raw
  refresh:
    description: Whether to refresh it, as a change of a resource that it subscribes to does in a manifest.
    type: bool
"""

    FILE = r"""
options:
  name:
    description: What is managed.
    type: str
    required: true
    aliases: [path, dest]
  ensure:
    description: The state that is wanted.
    type: str
    default: present
    choices: [present, absent, directory, link]
    aliases: [state]
  provider:
    description: The provider to use. There is one, C(posix).
    type: str
  content:
    description: What the file holds. Without content and source an existing file keeps what it holds.
    type: str
  source:
    description: A file to copy the content from; relative to the manifest.
    type: str
  owner:
    description: The user that owns it, by name or number. Without it an existing one keeps its owner, and a new one
      belongs to the user who runs ccm.
    type: str
  group:
    description: The group that owns it, by name or number. Without it as with owner.
    type: str
  mode:
    description: The permissions in octal, 0644, at most 7777. A directory gets execute where it has read or write
      permission, and keeps its set-id and sticky bits unless the first of four digits is another one than 0. Without it
      an existing one keeps its permissions; a new file has 0644, a new directory 0755.
    type: raw
  force:
    description: 'Whether ensure: absent removes a directory that is not empty, and ensure: link replaces a directory.'
    type: bool
    default: false
  target:
    description: 'What a link leads to, with ensure: link. It need not exist; a relative one is relative to the link.'
    type: str
  recurse:
    description: 'Whether ensure: directory copies source, a directory, with all that is in it.'
    type: bool
    default: false
  purge:
    description: Whether recurse also removes what source does not have.
    type: bool
    default: false
  ignore:
    description: Patterns of names, or of paths from the top, that recurse neither copies nor purges.
    type: list
    elements: str
"""

    GROUP = r"""
options:
  name:
    description: What is managed.
    type: str
    required: true
  ensure:
    description: The state that is wanted.
    type: str
    default: present
    choices: [present, absent]
    aliases: [state]
  provider:
    description: The provider to use. There is one, C(groupadd).
    type: str
  gid:
    description: Its number. The next free one when it is made without.
    type: int
  members:
    description: The users in it. Left as they are when not given.
    type: list
    elements: str
  membership:
    description: 'Whether it may have other members than these: minimum leaves them, inclusive removes them.'
    type: str
    default: minimum
    choices: [minimum, inclusive]
  system:
    description: Whether it is made with a number of the range for system groups.
    type: bool
    default: false
"""

    PACKAGE = r"""
options:
  name:
    description: What is managed.
    type: list
    elements: str
    required: true
  ensure:
    description: The state that is wanted.
    type: str
    default: present
    aliases: [state]
  provider:
    description: The provider to use, instead of the most suitable one.
    type: str
  mark:
    description: Whether the package manager holds it at its version; left as it is when not given.
    type: str
    choices: [hold, none]
"""

    SCAFFOLD = r"""
options:
  name:
    description: What is managed.
    type: str
    required: true
    aliases: [path, dest]
  ensure:
    description: The state that is wanted.
    type: str
    default: present
    choices: [present, absent]
    aliases: [state]
  provider:
    description: The provider to use. There is one, C(choria).
    type: str
  source:
    description: The directory of templates, or the address of an archive of it, http or https.
    type: str
    required: true
  skip_empty:
    description: Whether templates that render to nothing leave no file.
    type: bool
    default: false
  left_delimiter:
    description: What opens an action in the templates.
    type: str
  right_delimiter:
    description: What closes an action in the templates.
    type: str
  engine:
    description: The language of the templates.
    type: str
    default: jet
    choices: [go, jet, jinja2]
  data:
    description: Data for the templates, instead of the manifest's.
    type: dict
  purge:
    description: Whether to remove files that no template renders.
    type: bool
    default: false
  post:
    description: Commands for rendered files, by the pattern of their names.
    type: list
    elements: dict
  headers:
    description: Headers to send with the request.
    type: dict
  username:
    description: The user for basic authentication.
    type: str
  password:
    description: The password for basic authentication.
    type: str
  checksum:
    description: The SHA-256 of the archive in hexadecimal.
    type: str
"""

    SERVICE = r"""
options:
  name:
    description: What is managed.
    type: str
    required: true
  ensure:
    description: The state that is wanted.
    type: str
    default: running
    choices: [running, stopped, unmanaged]
    aliases: [state]
  provider:
    description: The provider to use. There is one, C(systemd).
    type: str
  enable:
    description: 'Whether it starts at boot, or C(mask): nothing can start it. Left as it is when not given.'
    type: raw
  refresh:
    description: Whether to refresh it, as a change of a resource that it subscribes to does in a manifest.
    type: raw
"""

    SSH_AUTHORIZED_KEY = r"""
options:
  name:
    description: What is managed.
    type: str
    required: true
  ensure:
    description: The state that is wanted.
    type: str
    default: present
    choices: [present, absent]
    aliases: [state]
  provider:
    description: The provider to use. There is one, C(posix).
    type: str
  user:
    description: The user who may log in with the key.
    type: str
    required: true
  type:
    description: 'The type of the key. Not needed: the key itself has it, and another one is an error.'
    type: str
    choices:
      - ssh-rsa
      - ssh-ed25519
      - ecdsa-sha2-nistp256
      - ecdsa-sha2-nistp384
      - ecdsa-sha2-nistp521
      - sk-ssh-ed25519@openssh.com
      - sk-ecdsa-sha2-nistp256@openssh.com
      - ssh-dss
      - rsa
      - ed25519
      - dsa
      - ed25519-sk
      - ecdsa-sk
  key:
    description: The key in base64, without its type and its comment; not needed to remove it.
    type: str
  options:
    description: Options of sshd for the key, like no-pty or from="10.0.0.0/8"; none when not given.
    type: list
    elements: str
  target:
    description: The file with the keys, an absolute path; .ssh/authorized_keys in the home of the user when not given.
    type: str
"""

    USER = r"""
options:
  name:
    description: What is managed.
    type: str
    required: true
  ensure:
    description: The state that is wanted.
    type: str
    default: present
    choices: [present, absent]
    aliases: [state]
  provider:
    description: The provider to use. There is one, C(useradd).
    type: str
  uid:
    description: Its number. The next free one when it is made without.
    type: int
  gid:
    description: 'Its primary group, by name or number. When it is made without: the group of its name.'
    type: str
  groups:
    description: Its other groups, by name. Left alone when not given.
    type: list
    elements: str
  membership:
    description: 'Whether it may be in other groups than these: minimum leaves it there, inclusive removes it.'
    type: str
    default: minimum
    choices: [minimum, inclusive]
  home:
    description: The path of its home.
    type: str
  managehome:
    description: Whether its home is made and removed with it. A home that moves stays there.
    type: bool
    default: false
  shell:
    description: The path of its login shell.
    type: str
  comment:
    description: Its full name, or another description.
    type: str
  system:
    description: Whether it is made with a number of the range for system users.
    type: bool
    default: false
  password:
    description: The hash of its password, like $6$...; with a text that begins with * or ! no password works.
    type: str
  expiry:
    description: 'The day on which the account expires, like 2027-12-31, or C(absent): it does not.'
    type: str
"""
