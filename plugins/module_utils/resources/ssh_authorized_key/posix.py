# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys of users of a POSIX system, in the files that sshd reads (behaviour.md 25)."""

from __future__ import annotations

from ...host.accounts import user
from ...host.files import NoDirectory
from ...host.user_files import NoHome, UserFile
from ...lang.authorized_keys import KeyLine, KnownLines, decoded, parsed, with_lines
from ...lang.paths import clean
from ...model.errors import NotThereYet, ResourceFailed
from ...model.provider import Provider
from ...redaction.texts import without_text_secrets
from ..replacing import warn_of_dropped
from .type import (
    ABSENT,
    PRESENT,
    SshAuthorizedKeyProperties,
    SshAuthorizedKeyState,
    ownership,
    wanted_lines,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pwd
    from typing import Sequence

    from ...host.machine import Machine
    from ...model.values import Difference
    from .type import SshAuthorizedKeyMetadata

_DEFAULT = ".ssh/authorized_keys"


def home_of(account: pwd.struct_passwd | None) -> str:
    """Return the home of a user as a clean path, "" for none."""
    return clean(account.pw_dir) if account and account.pw_dir.startswith("/") else ""


def path_of_keys(properties: SshAuthorizedKeyProperties, account: pwd.struct_passwd | None) -> str:
    """Return the path of the file with the key, "" where the user has no home."""
    home = home_of(account)
    return properties.target or (f"{home.rstrip('/')}/{_DEFAULT}" if home else "")


class Accounts:
    """The accounts that a run looked up, until it changes something or waits. A missing one is looked up each time."""

    def __init__(self) -> None:
        self._seen_at: tuple[int, object] = (-1, None)
        self._known: dict[str, pwd.struct_passwd] = {}

    def of(self, name: str, machine: Machine) -> pwd.struct_passwd | None:
        """Return the account of a user, None without one."""
        now = machine.generation, machine.epoch
        if now != self._seen_at:
            self._seen_at, self._known = now, {}
        found = self._known.get(name) or user(name)
        if found is not None:
            self._known[name] = found
        return found


class Claims:
    """The names under which the resources of a run have each key of a file; made once for a run."""

    def __init__(self) -> None:
        self._siblings: Sequence[SshAuthorizedKeyProperties] = ()
        self._names: dict[tuple[str, str, str], str] = {}

    def other_name(self, properties: SshAuthorizedKeyProperties, siblings: Sequence[SshAuthorizedKeyProperties]) -> str:
        """Return another name that the key of a resource has, "" when it has none."""
        if siblings is not self._siblings:
            self._siblings, self._names = siblings, {}
            for each in siblings:
                if each.key:
                    self._names.setdefault(_claim(each), each.name)
        name = self._names.get(_claim(properties), properties.name)
        return name if name != properties.name else ""


class LastContent:
    """The content of a file that the run read or wrote last, with its lines as soon as it is searched again.

    The file is read for each resource, as others may change it at any time. Only its search is spared.
    """

    def __init__(self) -> None:
        self._content: bytes | None = None
        self._lines: KnownLines | None = None

    def places(self, properties: SshAuthorizedKeyProperties, content: bytes) -> list[tuple[int, int]]:
        """Return where the lines of a resource are in the content of a file."""
        if content != self._content:
            self._content, self._lines = content, None
        elif self._lines is None:
            self._lines = KnownLines(content)
        return ownership(properties).places(content, self._lines)

    def note_written(self, content: bytes) -> None:
        """Note the content that replaces the one of the last search; where lines were only added, they become known."""
        before, lines = self._content, self._lines
        if lines is not None and before and before.endswith(b"\n") and content.startswith(before):
            lines.add(content, len(before))
        else:
            self._lines = None
        self._content = content


def _claim(properties: SshAuthorizedKeyProperties) -> tuple[str, str, str]:
    return properties.user, properties.target, properties.key


class PosixKeyProvider(Provider[SshAuthorizedKeyProperties, SshAuthorizedKeyState]):
    """Changes the lines of a resource in the file, and nothing else in it."""

    name = "posix"

    def status(self, properties: SshAuthorizedKeyProperties) -> SshAuthorizedKeyState:
        """Return the lines of the resource, and why sshd would not read them.

        Raises NotThereYet for an unknown user and a missing home, if the key is wanted.
        """
        other = self.machine.known(Claims).other_name(properties, self.siblings)
        if other:
            raise ResourceFailed(
                f"ssh_authorized_key#{other} has the same key for the same user",
                property="key",
                advice="declare a key once: its name is its comment",
            )
        file = self._file(properties)
        content = file.read() if file else None
        state = self._state(properties, file.path if file else properties.target, content)
        if file and _needs_reading(properties):
            state.fault = file.fault()
        return state

    def _account(self, properties: SshAuthorizedKeyProperties) -> pwd.struct_passwd | None:
        return self.machine.known(Accounts).of(properties.user, self.machine)

    def _file(self, properties: SshAuthorizedKeyProperties) -> UserFile | None:
        """Return the file, None where there can be none and none is wanted. Raises as `status`, and HostError."""
        account = self._account(properties)
        path = path_of_keys(properties, account)
        fault, at_fault = "", "user"
        if account is None:
            fault = f"there is no user {properties.user}"
        elif not path:
            fault = f"the user {properties.user} has no home"
        try:
            if path and (not fault or properties.ensure == ABSENT):
                return UserFile(path, home_of(account), account.pw_uid if account else -1)
        except NoHome as error:
            fault = f"the user {properties.user} cannot have keys: {error}"
        except NoDirectory as error:
            fault, at_fault = str(error), "target"
        if properties.ensure == ABSENT:
            return None
        failed = NotThereYet(
            fault,
            property=at_fault,
            value=getattr(properties, at_fault),
            advice="create the user and the home before" if at_fault == "user" else "make the directory before",
        )
        failed.expected = self._state(properties, path, None)
        raise failed

    def _state(self, properties: SshAuthorizedKeyProperties, path: str, content: bytes | None) -> SshAuthorizedKeyState:
        lines = []
        if content:
            places = self.machine.known(LastContent).places(properties, content)
            lines = [decoded(content[begin:end]) for begin, end in places]
        metadata: SshAuthorizedKeyMetadata = {
            "name": properties.name,
            "provider": self.name,
            "user": properties.user,
            "target": path,
        }
        first = parsed(lines[0]) if lines else None
        if first:
            metadata["type"], metadata["key"] = first.type, first.key
            if first.options:
                metadata["options"] = without_text_secrets(first.options)
        state = SshAuthorizedKeyState(properties.name, PRESENT if lines else ABSENT, {"metadata": metadata})
        state.lines = lines
        return state

    def require_possible(self, verb: str, properties: SshAuthorizedKeyProperties, state: SshAuthorizedKeyState) -> None:
        """Raise NotThereYet when sshd would not read the key that is to be stored."""
        if _needs_reading(properties):
            _require_read(properties, state, state.fault)

    def store(self, properties: SshAuthorizedKeyProperties, state: SshAuthorizedKeyState) -> None:
        """Write the line of the key in the place of the resource's first line, and remove the others."""
        self._replace(properties, state)

    def remove(self, properties: SshAuthorizedKeyProperties, state: SshAuthorizedKeyState) -> None:
        """Remove all lines of the resource."""
        self._replace(properties, state)

    def _replace(self, properties: SshAuthorizedKeyProperties, state: SshAuthorizedKeyState) -> None:
        """Read the file again and write it with other lines of the resource. Raises ResourceFailed and HostError."""
        file = self._file(properties)
        if file is None:
            return
        account = self._account(properties)
        gid = account.pw_gid if account else -1
        before = file.read()
        if _needs_reading(properties):
            # The user may have changed the directories since.
            _require_read(properties, state, file.fault())
        wanted = wanted_lines(properties)
        known = self.machine.known(LastContent)
        content = with_lines(before or b"", known.places(properties, before or b""), wanted)
        if before is None and not wanted:
            return
        state.written_path = file.path
        file.make_directory(gid)

        def dropped(names: list[str]) -> None:
            warn_of_dropped(self.user_log, file.path, names)

        file.write(content, gid, dropped)
        known.note_written(content)

    def differences(self, properties: SshAuthorizedKeyProperties, state: SshAuthorizedKeyState) -> list[Difference]:
        """Return the lines of the resource before and after."""
        # A user who does not exist yet has no home.
        path = state.metadata["target"] or f"authorized keys of {properties.user}"
        before, after = (_text(lines) for lines in (state.lines, wanted_lines(properties)))
        if before == after:
            return []
        return [{"before_header": path, "after_header": path, "before": before, "after": after}]


def _needs_reading(properties: SshAuthorizedKeyProperties) -> bool:
    """Return whether sshd has to read the key; an undo brings back lines that it may not have read before."""
    return properties.ensure == PRESENT and not properties.lines


def _require_read(properties: SshAuthorizedKeyProperties, state: SshAuthorizedKeyState, fault: str) -> None:
    if fault:
        failed = NotThereYet(
            f"sshd does not read {state.metadata['target']}: {fault}",
            property="user",
            value=properties.user,
            advice="it must belong to the user or to root, and have a mode such as 0755 or 0700",
        )
        failed.expected = state
        raise failed


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{_shown(line)}\n" for line in lines)


def _shown(line: str) -> str:
    """Return a line with the secrets of its options replaced."""
    found = parsed(line)
    if found is None or not found.options:
        return line
    return str(KeyLine(without_text_secrets(found.options), found.type, found.key, found.comment))


PROVIDER: type[Provider[SshAuthorizedKeyProperties, SshAuthorizedKeyState]] = PosixKeyProvider
