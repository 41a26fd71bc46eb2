# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One task that runs a whole manifest of the controller, or of the play, on the node."""

from __future__ import annotations

import os
from importlib.util import find_spec

from ..data.environment import facts_of_machine, read_environ
from ..engine.between_runs import StateBetweenRuns, identity_of, state_directory
from ..engine.context import Context
from ..engine.session import Session
from ..engine.state.unrecorded import unrecorded_state
from ..engine.summary import Summary
from ..host.errors import HostError
from ..host.machine import Machine
from ..lang.paths import base, join
from ..manifest.loader import ChildDocuments, Inputs, load_document
from ..manifest.run import run_manifest
from ..manifest.source import ManifestText
from ..manifest.transport import from_text, unpack
from ..model.errors import STATE_VARIABLE, CCMError, ManifestError
from ..redaction.texts import without_text_secrets
from .apply_options import IMPORTS, PACKED, STAGED_TREE
from .argument_spec import UNUSABLE_INPUT
from .calls import end_with_calls
from .collections import SentCollections
from .fact_warnings import FactsLog
from .messages import failures_of, message_of
from .resource_results import ResourceResults
from .result import TaskLog, plain
from .sent_package import imported_modules
from .tree import unpacked_tree
from .unchanged_sources import restore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..data.hierarchy import Resolved
    from ..engine.around import Around
    from ..manifest.manifest import Manifest
    from ..model.values import FactSource, ParsedDocument
    from ..nats.access import NatsAccess
    from .ansible_module import AnsibleModule, Options, TaskResult


def run_apply(module: AnsibleModule) -> None:
    """Run the manifest that the arguments of `module` hold; ends in its exit_json or fail_json."""
    end(module, ApplyTask(module))


def end(module: AnsibleModule, task: ApplyTask) -> None:
    """Run a task, and end in exit_json or fail_json of `module` with its result."""
    failure, place = "", {}
    try:
        result = task.run()
    except (CCMError, HostError, *UNUSABLE_INPUT) as error:
        failure, position = message_of(error), getattr(error, "position", None)
        if task.is_vaulted and position:
            # The action plugin hides the message.
            place["place"] = str(position)
    for warning in task.log.warnings:
        module.warn(plain(warning))
    end_with_calls(module, int(bool(failure or result["summary"]["failed_resources"])))
    if failure:
        module.fail_json(msg=plain(failure), changed=False, **place, **task.of_facts.part_of_result())
    result.update(task.of_facts.part_of_result())
    if module.params["manifest"].get(IMPORTS):
        result[IMPORTS] = imported_modules()
    if result["summary"]["failed_resources"]:
        module.fail_json(**result)
    module.exit_json(failed=False, **result)


class ApplyTask:
    """A manifest's run for a module.

    `is_vaulted` says whether files of Ansible Vault were sent.
    """

    def __init__(self, module: AnsibleModule) -> None:
        self.module = module
        self.log = TaskLog()
        self.of_facts = FactsLog()
        self.is_vaulted = False
        self._run_log = TaskLog()
        self._session = Session()
        self._access: NatsAccess | None = None
        params = module.params
        self._results = ResourceResults(
            self._run_log, diff=module._diff, events=params["events"], register=params["register"]
        )

    def run(self) -> TaskResult:
        """Load and run the manifest, and return the task's result. Raises what loading raises."""
        payload: Options = from_text(self.module.params["manifest"][PACKED])
        self.is_vaulted = bool(payload.get("vaulted"))
        source = self.source(payload)
        collections = SentCollections(payload.get("collections"))
        try:
            manifest = self._load(source, payload)
            if self.module.params["fail_on_error"] is not None:
                manifest.fail_on_error = self.module.params["fail_on_error"]
            context = Context(
                self._session,
                machine=Machine(),
                noop=self.module.check_mode,
                user_log=self._run_log,
                child_sinks=(self._results,),
            )
            state, unrecorded = self._states(self.identity(payload, manifest), manifest)
            run_manifest(manifest, context, state, unrecorded=unrecorded)
        finally:
            collections.remove()
            if self._access:
                self._access.close()
            source.remove_temporary()
        return self._result(manifest)

    def source(self, payload: Options) -> ManifestText:
        """Return the name and the directory of the manifest; relative sources are below that directory."""
        directory = unpacked_tree(payload.get("tree"), self.module.params["manifest"].get(STAGED_TREE))
        source = ManifestText(b"", payload["document"]["name"], directory, directory)
        if payload.get("unchanged"):
            try:
                restore(directory, payload["unchanged"])
            except BaseException:
                source.remove_temporary()
                raise
        return source

    def document(self, payload: Options, source: ManifestText) -> ParsedDocument:
        """Return the parsed manifest."""
        document: ParsedDocument = unpack(payload["document"])
        return document

    def document_in(self, payload: Options, source: ManifestText) -> Callable[[str, str, str], ParsedDocument]:
        """Return a function that finds child manifests: a sent manifest, else a file of the node."""
        sent = {**payload.get("children", {}), base(source.name): payload["document"]}
        return SentManifests(sent, source.directory).document_in

    def tree(self, source: ManifestText) -> str:
        """Return the directory out of which relative names in what was sent may not lead."""
        return source.directory

    def overriding(self, payload: Options, source: ManifestText, facts: FactSource) -> Resolved:
        """Return the data of the option `hiera`."""
        from ..data.hierarchy import resolve_document

        return resolve_document(unpack(payload["hiera"]), facts, log=self.log)

    def identity(self, payload: Options, manifest: Manifest) -> str:
        """Return the identity of the manifest for the state between runs, "" where it has none."""
        name = manifest.engine.state if manifest.engine else ""
        given = payload.get("given_path", "")
        return identity_of("", "", name) if name or not given else f"play:{without_text_secrets(given)}"

    def _states(self, identity: str, manifest: Manifest) -> tuple[StateBetweenRuns | None, Around | None]:
        """Return the state between runs of a manifest, and where it has none what surrounds its resources instead."""
        params, writes = self.module.params, not self.module.check_mode
        root = state_directory(params["state_directory"] or os.environ.get(STATE_VARIABLE, ""), os.environ)
        if params["state"] and identity:
            return StateBetweenRuns(root, identity, self.log, writes=writes), None
        return None, unrecorded_state(identity, manifest, root, self.log) if writes else None

    def _load(self, source: ManifestText, payload: Options) -> Manifest:
        document = self.document(payload, source)
        facts = facts_of_machine(self.of_facts, payload.get("facts"))
        inputs = Inputs(
            facts=facts,
            environ=read_environ(True, source.directory),
            overriding=(lambda: self.overriding(payload, source, facts)) if payload.get("given_hiera") else None,
            data=payload.get("data"),
            log=self.log,
            parallel=self.module.params["parallel"],
            document_in=self.document_in(payload, source),
            tree=self.tree(source),
            nats=self._nats,
        )
        return load_document(document, source.name, source.directory, inputs)

    def _nats(self) -> NatsAccess:
        """Return what expressions use of NATS on this node. Raises NatsError where nats-py is not installed."""
        if self._access is None:
            from ..nats.access import NatsAccess
            from ..nats.errors import missing_package

            if find_spec("nats") is None:
                raise missing_package("nats-py", "NATS in expressions that the node resolves")
            params = self.module.params
            context = params["context"] or os.environ.get("NATS_CONTEXT") or "CCM"
            self._access = NatsAccess(context, params["registration"])
        return self._access

    def _result(self, manifest: Manifest) -> TaskResult:
        counted, results = Summary(self._session), self._results
        result: TaskResult = {
            "changed": results.changed,
            "msg": self._message(changed=counted.changed, total=counted.total),
            "summary": counted.as_dict(),
            "resources": results.resources,
            "log": self._run_log.lines,
        }
        if self.module.params["events"]:
            result["events"] = results.events
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


class SentManifests:
    """The packed documents of `packed`, by their paths below the `directory` that replaces the controller's."""

    def __init__(self, packed: dict[str, Options], directory: str) -> None:
        self._packed = {join(directory, name): document for name, document in packed.items()}
        self._tree = directory
        self._on_node = ChildDocuments()

    def document_in(self, path: str, name: str, directory: str) -> ParsedDocument:
        """Return the document of a file, which errors call `name`: from the controller, else from the node.

        Raises ManifestError for a manifest that could not be parsed, and ResourceFailed where a manifest of the
        controller, in `directory`, has a relative name that leads out of the sent files (decisions.md Q101).
        """
        found = self._packed.get(path)
        if found is None:
            from ..model.sent_names import require_below

            require_below(name, directory, self._tree)
            return self._on_node.document_in(path, name)
        if "problem" in found:
            raise ManifestError(found["problem"])
        document: ParsedDocument = unpack(found)
        return document
