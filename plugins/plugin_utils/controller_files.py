# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""How tasks and lookups read files of the controller: through Ansible's loader. PRIVATE to the collection."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack, contextmanager

from ansible import constants
from ansible.errors import AnsibleError


class ControllerFiles:
    """The files of the controller that one task or lookup reads.

    `loader` is Ansible's: it decrypts files of Ansible Vault. `decrypted` becomes true with the first of these.
    """

    def __init__(self, loader):
        self._loader = loader
        self.decrypted = False

    @contextmanager
    def opened(self, path, *, decrypt=True):
        """Open the file at an absolute path for reading bytes; its `name` is the path of the content.

        That is another path for a vaulted file, unless `decrypt` is false: a private copy, which is removed at the end,
        also after an error. Raises OSError, and AnsibleError for a file that cannot be decrypted.
        """
        with ExitStack() as stack:
            name = self._named(path, stack)
            try:
                real = self._loader.get_real_file(name, decrypt=decrypt)
            except AnsibleError as error:
                cause = error.__cause__
                if isinstance(cause, OSError):
                    raise OSError(cause.errno, cause.strerror, cause.filename) from None
                if path in str(error):
                    raise
                # With a wrong password Ansible does not name the file.
                raise AnsibleError(f"{path}: {error}") from None
            try:
                self.decrypted = self.decrypted or real != name
                with open(real, "rb") as file:
                    yield file
            finally:
                self._loader.cleanup_tmp_file(real)

    def read(self, path, *, decrypt=True):
        """Return the content of a file as bytes; see `opened`."""
        with self.opened(path, decrypt=decrypt) as file:
            return file.read()

    def template(self, path):
        """Return the text of a template, with its origin for Ansible's messages.

        Raises what `opened` raises, and UnicodeDecodeError.
        """
        self.read(path).decode("utf-8")
        with ExitStack() as stack:
            return self._loader.get_text_file_contents(self._named(path, stack))

    def _named(self, path, stack):
        """Return a path that the loader takes as it is: in others it replaces variables of the environment.

        It may be a temporary link, which is removed with the `stack`.
        """
        taken = self._loader.path_dwim(path)
        if taken == path or os.path.realpath(taken) == os.path.realpath(path):
            return taken
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=constants.DEFAULT_LOCAL_TMP))
        link = os.path.join(folder, "link")
        os.symlink(path, link)
        return link
