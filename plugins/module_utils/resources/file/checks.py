# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the file type checks of properties that are rarely given, or given in an unusual form."""

from __future__ import annotations

from ...lang.paths import clean
from ...model.errors import InvalidResource
from .type import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import FileProperties


def _check_force(properties: FileProperties) -> None:
    """Allow `force` only for removing something other than the root. Raises InvalidResource."""
    if properties.ensure != ABSENT:
        raise InvalidResource(
            f"'force: true' is only valid with 'ensure: absent', got 'ensure: {properties.ensure}'", property="force"
        )
    if properties.name == "/":
        raise InvalidResource("'force: true' cannot be used with the filesystem root", property="force")


def normal_mode(mode: str) -> str:
    """A mode as four octal digits: 644, 00644 and 0o644 are 0644 (decisions.md Q8). Raises InvalidResource."""
    digits = mode[2:] if mode[:2] in ("0o", "0O") else mode
    problem = ""
    if not digits or set(digits) - set("01234567"):
        problem = "is not a valid octal number"
    elif int(digits, 8) > 0o777:
        problem = "exceeds maximum value 0777"
    elif len(digits) < 3:
        problem = "is not a valid octal number: it has fewer than three digits"
    if problem:
        raise InvalidResource(
            f'mode "{mode}" {problem}', property="mode", value=mode, advice="write it like 0644, from 0000 to 0777"
        )
    return f"{int(digits, 8):04o}"


def check_file(properties: FileProperties, choices: tuple[str, ...]) -> None:
    """Check state, path, content and ownership in the recorded order. Raises InvalidResource for the first fault."""
    name, ensure = properties.name, properties.ensure
    if ensure not in choices:
        problem = 'invalid ensure value: must be one of "present", "absent" or "directory"'
        raise InvalidResource(problem, property="ensure", value=ensure)
    if clean(name) != name:
        raise InvalidResource("file path must be canonical", property="name", value=name, advice=f"write {clean(name)}")
    if not name.startswith("/"):
        raise InvalidResource("file path must be absolute", property="name", value=name)
    if properties.force:
        _check_force(properties)
    if properties.content is not None and properties.source:
        raise InvalidResource("'content' and 'source' are mutually exclusive", property="source")
    if ensure != ABSENT:
        for needed in ("owner", "group", "mode"):
            if not getattr(properties, needed):
                raise InvalidResource(f"{needed} cannot be empty", property=needed)
