# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Templates that a manifest names and that do not parse: templates of scaffolds, and the template of its resources."""

from __future__ import annotations

import os
import re

from ..data.reading import read_text
from ..lang.paths import join
from ..lang.yaml import excerpt
from ..model.errors import CCMError, Position
from ..resources.descriptions import description
from .placeholders import holds_expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator

    from .declared import Declared
    from .review import Review

TEMPLATE_RULE = "template"
FILE_RULE = "file"
_PLACE = re.compile(r"^template: (?:[^:]+):([0-9]+)(?::([0-9]+))?: ")
#: The delimiters of actions in templates that a manifest itself has rendered.
MANIFEST_DELIMITERS = ("[[", "]]")
_MOST = 1000


def check_resources_file(review: Review, name: str) -> None:
    """Note faults in the template that writes the resources of a manifest."""
    path = join(review.directory, name)
    place = review.value(("ccm", "resources_jet_file"))
    try:
        text = text_of(path)
    except CCMError as error:
        review.refuse(TEMPLATE_RULE, error, place)
        return
    check_template(review, jet_parser(MANIFEST_DELIMITERS), text, path, name, "")


def jet_parser(delimiters: tuple[str, str]) -> Callable[[str, str], str]:
    """Return the function that finds errors in Jet templates with these delimiters: see `lang.jet.template`."""
    from ..data.jet import FUNCTION_NAMES
    from ..lang.jet.template import jet_parser

    return jet_parser(*delimiters, FUNCTION_NAMES)


def check_templates(review: Review, declared: Declared) -> None:
    """Note templates of a resource that do not parse, where the directory that it names is next to the manifest."""
    find = description(declared.type.name).templates
    found = find(declared.values) if find else None
    if found is None or not found[0] or holds_expression(found[0]):
        return
    source, parser = found
    root = join(review.directory, source)
    if not os.path.isdir(root):
        review.warn(
            TEMPLATE_RULE,
            f"there is no directory {source} next to the manifest",
            declared.origin.value_position(("source",)),
            resource=declared.reference,
            property="source",
            advice="an earlier resource of the run has to create it",
        )
        return
    for path in files_below(root):
        try:
            text = text_of(path)
        except CCMError as error:
            review.refuse(TEMPLATE_RULE, error, declared.origin.value_position(("source",)))
            continue
        check_template(review, parser, text, path, path.rpartition("/")[2], declared.reference)


def check_template(
    review: Review, parser: Callable[[str, str], str], text: str, path: str, name: str, about: str
) -> None:
    """Note the faults that `parser` finds in the text of a template with this name for messages."""
    fault = parser(text, name)
    if not fault:
        return
    found = _PLACE.match(fault)
    line, column = (int(found.group(1)), int(found.group(2) or 1)) if found else (0, 0)
    shown = os.path.join(os.path.dirname(review.name), os.path.relpath(path, review.directory))
    reason = fault[found.end() :] if found else fault
    # A binary file has no lines to show.
    lines = [] if "\0" in text else text.split("\n")
    review.error(
        TEMPLATE_RULE,
        f"the template does not parse: {reason}",
        Position(shown, line, column),
        resource=about,
        excerpt=excerpt(lines[line - 1], line, column) if 0 < line <= len(lines) else "",
    )


def files_below(root: str) -> Iterator[str]:
    """Yield the files below a directory sorted by name, at least the first of them."""
    count = 0
    for directory, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            count += 1
            if count > _MOST:
                return
            yield f"{directory}/{name}"


def text_of(path: str) -> str:
    """Return the content of a template's file. Raises DataError."""
    return read_text(path)


def check_source(review: Review, declared: Declared) -> None:
    """Note a file or a directory for a resource's content that does not exist."""
    described = description(declared.type.name)
    for name in described.local_files:
        source = declared.text(name)
        is_read = declared.ensure != "absent" and not (
            described.unused and described.unused(declared.values)[0] == name
        )
        if source and not holds_expression(source) and is_read:
            place = declared.origin.value_position((name,))
            require_file(review, source, place, declared.reference, property=name)
            _check_directory(review, declared, name, source)


def _check_directory(review: Review, declared: Declared, name: str, source: str) -> None:
    """Note a directory of this machine where a file is to be read."""
    read_files = description(declared.type.name).read_files
    advice = read_files(declared.values).get(name, "") if read_files else ""
    if advice and os.path.isdir(os.path.join(review.directory, source)):
        review.warn(
            FILE_RULE,
            f"{source} is a directory",
            declared.origin.value_position((name,)),
            resource=declared.reference,
            property=name,
            advice=advice,
        )


def require_file(review: Review, name: str, place: Position | None, about: str, *, property: str = "") -> bool:
    """Return whether the file of a relative name exists; note a missing file.

    An absolute name is not checked: it is a path of another host.
    """
    if name.startswith("/"):
        return False
    if os.path.exists(os.path.join(review.directory, name)):
        return True
    review.warn(
        FILE_RULE,
        f"there is no file {name} next to the manifest",
        place,
        resource=about,
        property=property,
        advice="an earlier resource of the run has to create it",
    )
    return False
