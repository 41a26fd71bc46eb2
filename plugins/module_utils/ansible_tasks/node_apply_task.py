# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One task that runs a manifest of the node itself: the option `remote_src` of the module apply."""

from __future__ import annotations

import os

from ..data.sources import load_data
from ..engine.between_runs import identity_of
from ..manifest.loader import ChildDocuments
from ..manifest.reader import parse_manifest
from ..manifest.source import MANIFEST_NAME, fetch_manifest
from .apply_task import ApplyTask, end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..data.hierarchy import Resolved
    from ..manifest.manifest import Manifest
    from ..manifest.source import ManifestText
    from ..model.values import FactSource, ParsedDocument
    from .ansible_module import AnsibleModule, Options


def run_node_apply(module: AnsibleModule) -> None:
    """Run the manifest of the node that the arguments of `module` name; ends in its exit_json or fail_json."""
    end(module, NodeApplyTask(module))


class NodeApplyTask(ApplyTask):
    """The run of a manifest whose files are all on the node."""

    def source(self, payload: Options) -> ManifestText:
        """Return the text of the manifest, read or fetched."""
        path = payload["given_path"]
        return fetch_manifest(os.path.join(path, MANIFEST_NAME) if os.path.isdir(path) else path, self.log)

    def document(self, payload: Options, source: ManifestText) -> ParsedDocument:
        """Return the parsed manifest."""
        return parse_manifest(source.text, source.name)

    def document_in(self, payload: Options, source: ManifestText) -> Callable[[str, str, str], ParsedDocument]:
        """Return what reads the manifests that this one applies."""
        return ChildDocuments().document_in

    def identity(self, payload: Options, manifest: Manifest) -> str:
        """Return the identity of the manifest for the state between runs, as the command finds it."""
        return identity_of(manifest.source, manifest.path, manifest.engine.state if manifest.engine else "")

    def tree(self, source: ManifestText) -> str:
        """Return "": any file of the node may be named."""
        return ""

    def overriding(self, payload: Options, source: ManifestText, facts: FactSource) -> Resolved:
        """Return the data of the option `hiera`, which the controller has sent if it is in NATS."""
        if "hiera" in payload:
            return super().overriding(payload, source, facts)
        return load_data(payload["given_hiera"], facts, directory=source.directory, log=self.log)
