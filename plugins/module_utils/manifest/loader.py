# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""From a manifest's document to a manifest that can run: everything is validated before anything is changed."""

from __future__ import annotations

import os
import time

from ..data.environment import Environment
from ..engine.templating import resolve_properties
from ..lang.paths import join
from ..model.errors import CCMError, InvalidResource, ManifestError
from ..model.log import Log
from ..resources.types import resource_type, type_names
from .declarations import read_declarations
from .document import ManifestDocument
from .manifest import Manifest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

    from ..data.hierarchy import Resolved
    from ..engine.graph.references import Around
    from ..model.errors import Position
    from ..model.resource import Resource
    from ..model.values import Data, FactSource, ParsedDocument, Value
    from ..nats.access import NatsAccess
    from .declarations import Declaration
    from .origin import DocumentOrigin


#: A file that changed just before it was read may change again without another time of its change, in ns.
_SETTLED = 20_000_000
#: The kinds of properties that the schema of manifests says more about (strict.py).
_LISTS = ("string_maps", "objects")


class ChildDocuments:
    """Reads manifests in files, each once for as long as the file is the same (decisions.md Q111)."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[tuple[int, ...], ParsedDocument]] = {}

    def document_in(self, path: str, name: str, _directory: str = "") -> ParsedDocument:
        """Return the document of the manifest in a file, which errors call `name`. Raises ManifestError."""
        identity, document = self._read.get(path, ((), None))
        if document is not None and identity == _identity_at(path):
            return document
        from .reader import read_document

        document, found = read_document(path, name)
        if time.time_ns() - found.st_ctime_ns > _SETTLED:
            self._read[path] = _identity(found), document
        return document


def _identity_at(path: str) -> tuple[int, ...]:
    try:
        return _identity(os.stat(path))
    except OSError:
        return ()


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class Inputs:
    """The inputs with which a manifest is resolved.

    `facts` returns the host's facts, `environ` is the process environment with `.env`. `overriding` gives the data and
    rules of `--hiera`; `data` overrides all other data. `strict` checks the manifest against its schema. `document_in`
    returns the document of a child manifest, by the path of its file, its name for errors, and the directory of the
    manifest that applies it. `nats` returns what templates use of NATS, None without it. With
    `parallel` resources run in graph order, at most so many at once (`auto`: as many as processors); it wins over the
    manifest. A false `autoedges` or `autogroup` wins over the setting of all manifests. `above` are the manifests that
    apply this one. Relative names may not lead out of the directory `tree`, "" for any. Files whose ctime is not before
    `begun` may have changed after they were read; with 0 that does not matter.
    """

    above: Sequence[Around] = ()
    begun = 0

    def __init__(
        self,
        *,
        facts: FactSource,
        environ: dict[str, str],
        overriding: Callable[[], Resolved] | None = None,
        data: Data | None = None,
        strict: bool = True,
        log: Log | None = None,
        document_in: Callable[[str, str, str], ParsedDocument] | None = None,
        nats: Callable[[], NatsAccess] | None = None,
        parallel: str | None = None,
        autoedges: bool = True,
        autogroup: bool = True,
        tree: str = "",
    ) -> None:
        self.facts = facts
        self.environ = environ
        self.overriding = overriding
        self.data = data
        self.strict = strict
        self.log = log or Log()
        self.document_in = document_in or ChildDocuments().document_in
        self.nats = nats
        self.parallel = parallel
        self.autoedges = autoedges
        self.autogroup = autogroup
        self.tree = tree

    def of_child(self, own: Data | None, data: Data, around: Around, log: Log | None = None) -> Inputs:
        """Return the inputs of a child manifest; the `own` data of the resource that applies it overrides the child's.

        `data` belongs to the manifest `around`, which has the resource. Without own data all of it overrides.
        """
        inputs = Inputs.__new__(Inputs)
        vars(inputs).update(vars(self))
        inputs.overriding = inputs.parallel = None
        inputs.data = (data or None) if own is None else own
        inputs.log = log or Log()
        inputs.above = (*self.above, around)
        return inputs


def load_document(
    document: ParsedDocument, name: str, directory: str, inputs: Inputs, *, reads_applied: bool = True
) -> Manifest:
    """Resolve and validate a parsed manifest with this name for messages; errors show the line at fault.

    For a graph it also reads the manifests that resources apply, unless `reads_applied` is false.
    """
    try:
        return load_manifest(document, name, directory, inputs, reads_applied=reads_applied)
    except CCMError as error:
        raise show_line(error, document, name) from None


def show_line(error: CCMError, document: ParsedDocument, name: str) -> CCMError:
    """Return the error with the line at fault, secrets hidden, if it is in the document named `name`."""
    if error.position is not None and error.position.file == name and not error.excerpt:
        from .shown_lines import ShownLines

        error.excerpt = ShownLines(document).excerpt(error.position.line, error.position.column)
    return error


def load_manifest(
    document: ParsedDocument, source: str, directory: str, inputs: Inputs, *, reads_applied: bool = True
) -> Manifest:
    """Resolve and validate a manifest in the order of behaviour.md 15.3. Raises CCMError; see `load_document`."""
    parsed = ManifestDocument(document, source, strict=inputs.strict)
    files = (join(directory, parsed.jet_file),) if parsed.jet_file else ()
    try:
        manifest = _load(parsed, source, directory, inputs, reads_applied=reads_applied)
    except CCMError as error:
        error.files = (*error.files, *files)
        raise
    manifest.files = files
    return manifest


def _load(parsed: ManifestDocument, source: str, directory: str, inputs: Inputs, *, reads_applied: bool) -> Manifest:
    data = _resolve_data(parsed, inputs)
    environment = Environment(
        inputs.facts,
        data,
        inputs.environ,
        directory,
        nats=inputs.nats,
        before_waiting=inputs.log.before_waiting,
        tree=inputs.tree,
    )
    if parsed.jet_file:
        from .jet_resources import jet_resources

        origin, entries = jet_resources(parsed, environment)
    else:
        origin, entries = parsed.origin.below(("ccm", "resources")), parsed.resources()
    post_message, pre_message = (_message(parsed, key, environment) for key in ("post_message", "pre_message"))
    try:
        declarations = _read_resources(entries, origin, environment, inputs.strict)
    except CCMError as error:
        raise (show_line(error, origin.document, origin.file) if parsed.jet_file else error) from None
    text = origin.document.text
    if not entries:
        raise ManifestError("manifest must contain resources", position=origin.position(()))
    resources = [declaration.resource for declaration in declarations]
    manifest = Manifest(
        source=source, directory=directory, data=data, environment=environment, resources=resources, inputs=inputs
    )
    is_graph = inputs.parallel is not None or bool(parsed.engine and parsed.engine.is_graph)
    has_meta = any(resource.properties.meta for resource in resources)
    if is_graph or has_meta or "sent(" in text or (parsed.engine and parsed.engine.outputs):
        from .ordering import arrange

        arrange(manifest, parsed.engine, is_graph=is_graph, reads_applied=reads_applied)
    manifest.declared = [(each.resource, parsed.jet_file or each.written) for each in declarations]
    # The words of ensure end in the name of the function.
    others = text.replace("present", "").replace("absent", "")
    manifest.may_receive = not others or any(name in others for name in ("sent", "template", "jet"))
    manifest.literal = "" if parsed.jet_file or "{{" in text or "${" in text else text
    manifest.fail_on_error = parsed.fail_on_error()
    manifest.pre_message, manifest.post_message = pre_message, post_message
    manifest.engine = parsed.engine
    return manifest


def _resolve_data(parsed: ManifestDocument, inputs: Inputs) -> Data:
    sections: Data = {key: parsed.value[key] for key in ("data", "hierarchy", "overrides") if key in parsed.value}
    if not sections and inputs.overriding is None:
        return inputs.data or {}
    from ..data.manifest_data import resolved_data

    return resolved_data(sections, parsed.document, parsed.origin.position, inputs)


def _message(parsed: ManifestDocument, key: str, environment: Environment) -> str:
    text = parsed.text(key)
    if not text:
        return ""
    from ..data.templates import resolve_string

    try:
        return resolve_string(text, environment)
    except CCMError as error:
        error.position = error.position or parsed.origin.value_position(("ccm", key))
        raise error.prefixed(f"invalid {key} template: ") from None


def _read_resources(
    entries: list[Value], origin: DocumentOrigin, environment: Environment, strict: bool
) -> list[Declaration]:
    declarations: list[Declaration] = []
    for at, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise ManifestError(
                f"invalid manifest resource {at + 1}: must be a mapping from a type to its resources",
                position=origin.value_position((at,)),
                value=entry,
            )
        if strict and not entry:
            raise ManifestError(
                f"jsonschema validation failed: at '/ccm/resources/{at}': names no type",
                position=origin.value_position((at,)),
                advice=f"types: {', '.join(type_names())}",
            )
        for type_name, value in entry.items():
            try:
                entry_origin = origin.below((at, type_name))
                declarations += _read_entry(type_name, value, entry_origin, environment, strict)
            except CCMError as error:
                raise error.prefixed(f"invalid manifest resource {at + 1}: ") from None
    if strict:
        for index, declaration in enumerate(declarations):
            if _may_be_refused(declaration.resource):
                from .strict import check_strictly

                check_strictly(declaration, index)
    return declarations


def _may_be_refused(resource: Resource) -> bool:
    """Return whether `check_strictly` has to look at a resource: its ensure is no choice, or it has lists."""
    choices, values = resource.type.ensure_choices, vars(resource.properties)
    return (bool(choices) and values["ensure"] not in choices) or any(
        values[prop.name] and (prop.kind in _LISTS or (prop.pattern and prop.kind == "strings"))
        for prop in resource.declared
    )


def _read_entry(
    type_name: str, value: Value, origin: DocumentOrigin, environment: Environment, strict: bool
) -> list[Declaration]:
    try:
        type = resource_type(type_name)
    except InvalidResource as error:
        error.position = origin.position(())
        raise
    if type is None:
        raise unknown_type(type_name, origin.position(()))
    declarations = read_declarations(type, value, origin, ignore_unknown=not strict)
    return validate_declarations(declarations, environment)


def validate_declarations(declarations: list[Declaration], environment: Environment) -> list[Declaration]:
    """Resolve the eager expressions of resources, then validate them. Raises CCMError with resource and position."""
    for declaration in declarations:
        try:
            declaration.resource = resolve_properties(declaration.resource, environment)
        except CCMError as error:
            raise _placed(error, declaration) from None
    for declaration in declarations:
        try:
            validate_resource(declaration.resource)
        except CCMError as error:
            raise _placed(error, declaration) from None
    for declaration in declarations:
        resource = declaration.resource
        try:
            resource.type.normalise(resource.properties)
        except CCMError as error:
            raise _placed(error, declaration).prefixed(f"{resource.reference}: invalid resource: ") from None
    return declarations


def validate_resource(resource: Resource) -> None:
    """Validate a resource as every front end does, with the settings of watching in `meta`. Raises InvalidResource."""
    resource.type.validate(resource.properties)
    meta = resource.properties.meta
    if meta and (meta["watch"] or meta["poll"] or meta["grace"] or meta["limit"] or meta["burst"]):
        from ..engine.watching.settings import check_watch_settings

        try:
            check_watch_settings(meta)
        except CCMError as error:
            error.property = f"meta.{error.property}"
            raise


def _placed(error: CCMError, declaration: Declaration) -> CCMError:
    error.resource = error.resource or declaration.resource.reference
    if error.property == "ensure":
        error.advice = declaration.advice or error.advice
    return declaration.resource.placed(error)


def unknown_type(name: str, position: Position | None = None) -> InvalidResource:
    """Return the error for an unknown type, with the nearest known one."""
    from ..lang.near import nearest

    known = type_names()
    near = nearest(name, known)
    return InvalidResource(
        f"invalid resource: unknown resource type {name}",
        value=name,
        position=position,
        advice=f"did you mean {near}?"
        if near
        else f"types: {', '.join(known)}; others come from packages, and in plays from collections",
    )
