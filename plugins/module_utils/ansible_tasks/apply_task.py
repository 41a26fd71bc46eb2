# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One task that runs a whole manifest on the node: from the controller, inline, or from the node itself."""

from __future__ import annotations

import os

from ..data.dotenv import read_environ
from ..data.factfiles import gather
from ..data.hierarchy import resolve_document
from ..data.sources import load_data
from ..engine.session import Session
from ..engine.summary import Summary
from ..host.errors import HostError
from ..host.machine import Machine
from ..lang.paths import base, join
from ..manifest.loader import Inputs
from ..manifest.reader import load_document, parse_manifest
from ..manifest.run import run_manifest
from ..manifest.source import MANIFEST_NAME, ManifestText, fetch_manifest
from ..manifest.transport import from_text, unpack
from ..model.errors import CCMError, ManifestError
from ..model.log import Log
from .apply_options import PACKED, STAGED_TREE
from .collections import SentCollections
from .messages import failures_of, message_of
from .resource_results import ResourceResults
from .resource_task import UNUSABLE_INPUT
from .result import TaskLog, plain
from .tree import unpacked_tree
from .unchanged_sources import restore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..data.hierarchy import Resolved
    from ..manifest.manifest import Manifest
    from ..model.values import Facts, ParsedDocument
    from .ansible_module import AnsibleModule, Options, TaskResult


def run_apply(module: AnsibleModule) -> None:
    """Run the manifest that the arguments of `module` name; ends in its exit_json or fail_json."""
    task = ApplyTask(module)
    failure = ""
    try:
        result = task.run()
    except (CCMError, HostError, *UNUSABLE_INPUT) as error:
        failure = message_of(error)
    for warning in task.log.warnings:
        module.warn(plain(warning))
    if failure:
        module.fail_json(msg=plain(failure), changed=False)
    if result["summary"]["failed_resources"]:
        module.fail_json(**result)
    module.exit_json(failed=False, **result)


class ApplyTask:
    """A manifest's run for a module."""

    def __init__(self, module: AnsibleModule) -> None:
        self.module = module
        self.log = TaskLog()
        self._run_log = TaskLog()
        self._session = Session()
        self._results = ResourceResults(self._run_log, diff=module._diff)

    def run(self) -> TaskResult:
        """Load and run the manifest, and return the task's result. Raises what loading raises."""
        payload: Options = from_text(self.module.params["manifest"][PACKED])
        source = self._source(payload)
        collections = SentCollections(payload.get("collections"))
        try:
            manifest = self._load(source, payload)
            if self.module.params["fail_on_error"] is not None:
                manifest.fail_on_error = self.module.params["fail_on_error"]
            run_manifest(
                manifest,
                self._session,
                Machine(),
                noop=self.module.check_mode,
                log=Log(),
                user_log=self._run_log,
                sinks=(self._results,),
            )
        finally:
            collections.remove()
            source.remove_temporary()
        return self._result(manifest)

    def _source(self, payload: Options) -> ManifestText:
        if self.module.params["remote_src"]:
            path = payload["given_path"]
            return fetch_manifest(os.path.join(path, MANIFEST_NAME) if os.path.isdir(path) else path, self.log)
        directory = unpacked_tree(payload.get("tree"), self.module.params["manifest"].get(STAGED_TREE))
        source = ManifestText(b"", payload["document"]["name"], directory, directory)
        if payload.get("unchanged"):
            try:
                restore(directory, payload["unchanged"])
            except BaseException:
                source.remove_temporary()
                raise
        return source

    def _load(self, source: ManifestText, payload: Options) -> Manifest:
        if "document" in payload:
            document: ParsedDocument = unpack(payload["document"])
        else:
            document = parse_manifest(source.text, source.name)
        facts = gather(payload.get("facts"), log=self.log)
        inputs = Inputs(
            facts=facts,
            environ=read_environ(True, source.directory),
            overriding=self._overriding(payload, source, facts),
            data=payload.get("data"),
            log=self.log,
            **self._parsed_argument(payload, source),
        )
        return load_document(document, source.name, source.directory, inputs)

    def _parsed_argument(self, payload: Options, source: ManifestText) -> Options:
        """Return the argument of Inputs for the manifests that were parsed on the controller."""
        if "document" not in payload:
            return {}
        own = {base(source.name): payload["document"]}
        return {"parsed": ShippedManifests({**payload.get("children", {}), **own}, source.directory).parsed}

    def _overriding(self, payload: Options, source: ManifestText, facts: Facts) -> Callable[[], Resolved] | None:
        if "hiera" in payload:
            document = unpack(payload["hiera"])
            return lambda: resolve_document(document, facts, log=self.log)
        if payload.get("given_hiera"):
            return lambda: load_data(payload["given_hiera"], facts, directory=source.directory, log=self.log)
        return None

    def _result(self, manifest: Manifest) -> TaskResult:
        counted, results = Summary(self._session), self._results
        result: TaskResult = {
            "changed": any(event["changed"] for event in results.events),
            "msg": self._message(changed=counted.changed, total=counted.total),
            "summary": counted.as_dict(),
            "resources": results.resources,
            "events": results.events,
            "log": self._run_log.lines,
        }
        if manifest.pre_message:
            result["pre_message"] = manifest.pre_message
        if manifest.post_message and not results.failures:
            result["post_message"] = manifest.post_message
        if self.module._diff:
            result["diff"] = results.differences
        plain_result: TaskResult = plain(result)
        return plain_result

    def _message(self, *, changed: int, total: int) -> str:
        if not self._results.failures:
            would = "would change" if self.module.check_mode else "changed"
            return f"{changed} of {total} resources {would}"
        return failures_of(self._results.failures, total, "resources", "resources")


class ShippedManifests:
    """The packed documents of `packed`, by their paths below the `directory` that replaces the controller's."""

    def __init__(self, packed: dict[str, Options], directory: str) -> None:
        self._packed = {join(directory, name): document for name, document in packed.items()}
        self._directory = directory

    def parsed(self, path: str) -> ParsedDocument | None:
        """Return the document of a file, None for one that is to be read on the node.

        Raises ManifestError for a manifest that could not be parsed, and for a relative name that leads out of the
        directory: files outside it are not the controller's, and any user may write them.
        """
        found = self._packed.get(path)
        if found is None:
            beside = self._directory.rpartition("/")[0]
            if path.startswith(f"{beside}/") and not path.startswith(f"{self._directory}/"):
                raise ManifestError(
                    "a child manifest is outside of the directory that was sent",
                    value=path[len(beside) + 1 :],
                    advice="give path the directory that holds them all",
                )
            return None
        if "problem" in found:
            raise ManifestError(found["problem"])
        return unpack(found)
