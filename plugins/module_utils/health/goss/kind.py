# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a kind of rules is, and the kinds that there are."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .rule import Rule
    from .snapshot import Snapshot

_COMMON = {"title": "text", "meta": "mapping", "skip": "boolean"}


class Kind:
    """A kind of rules: `title` as messages show it, and `examine`, which runs the tests of a rule.

    `attributes` says what may be given by name: a `matcher`, or how to ask (`text`, `integer`, `boolean`, `texts`,
    `mapping`, `anything`). Without one of `required` a rule never holds. `subject` is the
    attribute that names what is looked at in place of the rule's own name; messages tell it unless `is_anonymous`.
    """

    def __init__(
        self,
        title: str,
        attributes: dict[str, str],
        examine: Callable[[Rule, Snapshot], None],
        *,
        required: tuple[str, ...] = (),
        subject: str = "",
        is_anonymous: bool = False,
    ) -> None:
        self.title = title
        self.attributes = {**_COMMON, **attributes, **({subject: "text"} if subject else {})}
        self.examine = examine
        self.required = required
        self.subject = subject
        self.is_anonymous = is_anonymous


def _command() -> Kind:
    from .kinds.command import KIND

    return KIND


def _http() -> Kind:
    from .kinds.http import KIND

    return KIND


def _addr() -> Kind:
    from .kinds.addr import KIND

    return KIND


def _dns() -> Kind:
    from .kinds.dns import KIND

    return KIND


def _package() -> Kind:
    from .kinds.package import KIND

    return KIND


def _service() -> Kind:
    from .kinds.service import KIND

    return KIND


def _file() -> Kind:
    from .kinds.file import KIND

    return KIND


def _process() -> Kind:
    from .kinds.process import KIND

    return KIND


def _user() -> Kind:
    from .kinds.user import KIND

    return KIND


def _group() -> Kind:
    from .kinds.group import KIND

    return KIND


def _port() -> Kind:
    from .kinds.port import KIND

    return KIND


def _kernel_param() -> Kind:
    from .kinds.kernel_param import KIND

    return KIND


def _mount() -> Kind:
    from .kinds.mount import KIND

    return KIND


def _interface() -> Kind:
    from .kinds.interface import KIND

    return KIND


def _matching() -> Kind:
    from .kinds.matching import KIND

    return KIND


#: The kinds by the names of their rules, in the order in which rules are run; each is imported when it is called.
KINDS: dict[str, Callable[[], Kind]] = {
    "command": _command,
    "http": _http,
    "addr": _addr,
    "dns": _dns,
    "package": _package,
    "service": _service,
    "file": _file,
    "process": _process,
    "user": _user,
    "group": _group,
    "port": _port,
    "kernel-param": _kernel_param,
    "mount": _mount,
    "interface": _interface,
    "matching": _matching,
}
