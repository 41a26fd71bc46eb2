# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts in files of users, and all facts of a run combined (behaviour.md 12.2, decisions Q30 and Q31)."""

from __future__ import annotations

import os

from ..host.facts.system import Facts, system_facts
from ..model.errors import DataError
from ..model.log import Log
from .merge import deep_merge, merge_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from ..model.values import Data

#: The directory of the system's facts.
SYSTEM_DIRECTORY = "/etc/choria/ccm"


def user_directory() -> str:
    """Return the directory of a user's facts: `choria/ccm` in `$XDG_CONFIG_HOME`, or `~/.config`; "" without a home."""
    config = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(config):
        config = os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(config, "choria", "ccm") if os.path.isabs(config) else ""


def fact_directories() -> tuple[str, ...]:
    """Return the directories of fact files, the system's first."""
    return SYSTEM_DIRECTORY, user_directory()


def gather(
    given: Data | None = None,
    *,
    log: Log | None = None,
    directories: Iterable[str] | None = None,
) -> Facts:
    """Return the facts of this host, overridden by the facts of files, then by the facts `given`.

    All are merged deeply: a given `host.info.hostname` leaves the rest of `host` alone. The facts of the host are
    gathered at first use, files are read now. `log` gets a line for files that are ignored; `directories` replaces the
    directories of behaviour.md 12.2. Raises nothing.
    """
    facts = system_facts()
    for layer in (read_fact_files(directories, log), given):
        if layer:
            facts = Facts(facts, layer, merge_values)
    return facts


def given_facts(pairs: dict[str, str] | None, path: str = "") -> Data:
    """Return the facts of `--fact` (names and texts) and `--facts` (a path, or ""); a pair wins over the file (Q31).

    Raises DataError for a file that cannot be read.
    """
    facts = read_facts_file(path) if path else {}
    return deep_merge(facts, dict(pairs)) if pairs else facts


def read_facts_file(path: str) -> Data:
    """Return the facts of one file or pipe, JSON when its text begins with `{` or `[`, else YAML; "" has none.

    Numbers of JSON are floats, as the original has them. Raises DataError when it cannot be read, parsed, or is no map.
    """
    return _facts(_text(path, piped=True), path)


def _text(path: str, *, piped: bool = False) -> str:
    from .reading import read_text

    return read_text(path, piped=piped)


def _facts(text: str, path: str, json: bool | None = None) -> Data:
    from .reading import parse_document

    value = parse_document(text, path, f" from {path}", json).value
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise DataError(f"{path} must hold a map of facts", value=path)
    return value


def read_fact_files(directories: Iterable[str] | None = None, log: Log | None = None) -> Data:
    """Return the facts of `facts.json`, `facts.yaml` and `facts.d/*.{json,yaml}` of each directory, merged deeply.

    Later ones win. Symbolic links, relative directories and files that cannot be read or parsed are ignored, with a
    line in `log`.
    """
    if directories is None:
        directories = fact_directories()
    reader = _Reader(log)
    for directory in directories:
        if directory and not os.path.isabs(directory):
            reader.log.error("Skipping facts directory with relative path", dir=directory)
        elif directory:
            reader.read_directory(os.path.normpath(directory))
    return reader.facts


class _Reader:
    """Reads fact files one after the other into `facts`."""

    def __init__(self, log: Log | None) -> None:
        if log is None:
            log = Log()
        self.log = log
        self.facts: Data = {}

    def read_directory(self, directory: str) -> None:
        """Read the facts of one of the directories."""
        for name in ("facts.json", "facts.yaml"):
            self._read_entry(os.path.join(directory, name))
        self._read_entries(os.path.join(directory, "facts.d"))

    def _read_entries(self, directory: str) -> None:
        if os.path.islink(directory):
            self.log.error("Skipping facts directory that is a symlink", dir=directory)
            return
        try:
            names = sorted(os.listdir(directory))
        except OSError:
            return
        for name in names:
            self._read_entry(os.path.join(directory, name))

    def _read_entry(self, path: str) -> None:
        if os.path.islink(path):
            self.log.error("Skipping facts file that is a symlink", file=path)
        elif os.path.isfile(path):
            self._read(path)

    def _read(self, path: str) -> None:
        if not path.lower().endswith((".json", ".yaml")):
            self.log.debug("Skipping non-facts file", file=path)
            return
        self.log.debug("Reading facts", file=path)
        try:
            text = _text(path)
        except DataError as error:
            self.log.error("Failed to read facts file", file=path, error=error.message)
            return
        try:
            facts = _facts(text, path, path.lower().endswith(".json"))
        except DataError as error:
            self.log.error("Failed to unmarshal facts file", file=path, error=error.message)
            return
        self.facts = deep_merge(self.facts, facts)
