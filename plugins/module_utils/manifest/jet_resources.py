# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The resources of a manifest that a Jet template writes: `ccm.resources_jet_file` (behaviour.md 15.1)."""

from __future__ import annotations

from ..data.functions import Functions
from ..data.jet import render_jet
from ..data.reading import read_text
from ..lang.paths import join
from ..model.decode import described
from ..model.errors import CCMError, ManifestError
from ..model.sent_names import require_sent
from .origin import DocumentOrigin
from .reader import parse_manifest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..data.environment import Environment
    from ..model.values import Value
    from .document import ManifestDocument


def jet_resources(parsed: ManifestDocument, environment: Environment) -> tuple[DocumentOrigin, list[Value]]:
    """Return the entries that the template of a manifest renders to, and their origin, the rendered text.

    Raises ManifestError when it is no list, and what the template raises.
    """
    name = parsed.jet_file
    try:
        require_sent(name, environment.directory, environment, is_needed=True)
        text = read_text(join(environment.directory, name))
        rendered = render_jet(text, environment, Functions(environment), name=name)
        if not rendered:
            raise ManifestError("resources jet template produced no output, check for syntax errors")
    except CCMError as error:
        error.property = error.property or "resources_jet_file"
        error.position = error.position or parsed.origin.value_position(("ccm", "resources_jet_file"))
        raise
    shown = f"{name} (rendered)"
    document = parse_manifest(rendered.encode("utf-8", "surrogateescape"), shown)
    origin, found = DocumentOrigin(document, shown), document.value
    if found is None:
        return origin, []
    if isinstance(found, list):
        return origin, found
    raise ManifestError(
        f"the template must render to a list of resources, not {described(found)}",
        property="resources_jet_file",
        position=origin.position(()),
    )
