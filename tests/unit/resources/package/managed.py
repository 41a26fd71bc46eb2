# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages managed by a provider with stand-ins for its programs."""

from __future__ import annotations

from ccm.engine.context import Context
from ccm.engine.grouped_order import GroupedOrder
from ccm.engine.run import Run
from ccm.model.resource import Properties, Resource, complete
from ccm.resources.package import apt_get, apt_snapshot, apt_status
from ccm.resources.package.type import TYPE as PACKAGE


def apt_folder(tmp_path, monkeypatch):
    """Return a directory in place of dpkg's, with its file of states and the lock of apt."""
    folder = tmp_path / "dpkg"
    for module in (apt_get, apt_snapshot):
        monkeypatch.setattr(module, "ADMIN", str(folder))
    monkeypatch.setattr(apt_status, "STATUS", str(folder / "status"))
    monkeypatch.setattr(apt_get, "_ARCHIVES_LOCK", str(folder / "archives-lock"))
    return folder


def manage(provider, wanted, log, *, mark="", noop=False):
    """Return the events of packages, each with name and `ensure`, grouped where possible; `log` receives all logs."""
    resources = [
        Resource(
            PACKAGE,
            Properties(complete(PACKAGE, {"name": name, "ensure": ensure, "mark": mark, "provider": provider})),
        )
        for name, ensure in wanted
    ]
    context = Context(resources=resources, log=log, user_log=log, noop=noop)
    return list(Run(resources, context, GroupedOrder(resources)).events())
