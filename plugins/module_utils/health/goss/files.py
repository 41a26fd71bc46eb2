# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of rules that other rules refer to (goss's gossfile)."""

from __future__ import annotations

import glob
import os

from ...host.limited import read_limited
from ...lang.yaml import YAMLError, YAMLUnavailable, load
from ...model.errors import ResourceFailed
from ...model.sent_names import require_sent
from .templates import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ...model.environment import ExpressionEnvironment
    from ...model.values import Data


def read_matching(name: str, directory: str, environment: ExpressionEnvironment | None) -> Iterator[tuple[str, Data]]:
    """Return the files that match a name, which may have `*`: path and rules each, read one by one.

    Each is a Go template. Raises ResourceFailed, TemplateError, HostError.
    """
    require_sent(name, directory, environment)
    pattern = os.path.join(directory, name)
    paths = sorted(glob.glob(pattern))
    if not paths:
        raise ResourceFailed(f'no matched files were found: "{pattern}"')
    return ((path, _read(path, environment)) for path in paths)


def _read(path: str, environment: ExpressionEnvironment | None) -> Data:
    text = read_limited(path).decode("utf-8", "replace")
    if "{{" in text:
        text = render(text, path, environment)
    try:
        value = load(text, path).value
    except (YAMLError, YAMLUnavailable) as error:
        raise ResourceFailed(f"could not read rules in {path}: {error}") from None
    if value is not None and not isinstance(value, dict):
        raise ResourceFailed(f"could not read rules in {path}: they must be a mapping")
    return value or {}
