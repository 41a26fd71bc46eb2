# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sources that are not sent, because the files that they are copied to have their content already."""

from __future__ import annotations

import os

from ..host.errors import HostError
from ..host.files import write_file
from ..host.targets import Target, digest_of
from ..lang.paths import join
from ..manifest.transport import from_text
from ..model.errors import ManifestError
from .apply_options import CHECKSUMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from .ansible_module import AnsibleModule, Options


def run_checksums(module: AnsibleModule) -> None:
    """Return the SHA-256 of each file whose path was passed in place of a manifest; of others "".

    Ends in exit_json of `module`.
    """
    payload: Options = from_text(module.params["manifest"][CHECKSUMS])
    module.exit_json(changed=False, checksums={path: _checksum(path) for path in payload["paths"]})


def restore(directory: str, unchanged: Sequence[tuple[str, str, str]]) -> None:
    """Copy files of the node to the places in `directory` of the sources that were not sent.

    `unchanged` has the path of each source below the directory, the path of the file, and the SHA-256 of both. Raises
    ManifestError for a file that has another content now.
    """
    for source, path, checksum in unchanged:
        copy = join(directory, source)
        os.makedirs(os.path.dirname(copy), mode=0o700, exist_ok=True)
        try:
            with Target(path) as target:
                found = write_file(copy, target.chunks(), mode=0o600, size=target.size)
        except HostError:
            found = ""
        if found != checksum:
            raise ManifestError(
                f"{path} was changed by another process while the task ran", advice="run the task again", value=path
            )


def _checksum(path: str) -> str:
    try:
        return digest_of(path)
    except HostError:
        return ""
