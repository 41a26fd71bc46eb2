# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm types`: lists the resource types, built in and of installed packages, and prints their schemas.

With `--api` it prints the signatures of what types of other packages may use.
"""

from __future__ import annotations

import sys

from ..lang.controls import escaped
from ..model.errors import InvalidResource
from ..model.flags import Flag
from ..resources.contract_checks import refused
from ..resources.installed import installed_type, installed_types
from ..resources.types import TYPE_NAMES, resource_type, type_names
from ..schema.event import event_schema
from ..schema.manifest import manifest_schema
from ..version import VERSION
from .api_listing import api_listing
from .command import Command
from .documents import json_document
from .failure import traceback_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..model.contract import AnyType
    from ..model.flags import Values
    from ..model.values import Data

_SCHEMAS = {"manifest": manifest_schema, "event": event_schema}


def _types(values: Values) -> int:
    """Print the types; 1 when one cannot be used."""
    if values.api:
        sys.stdout.write(api_listing())
        return 0
    rows = list(_rows(values.debug))
    if values.schema:
        usable = {str(row["name"]) for row in rows if not row["error"]}
        names = tuple(name for name in type_names() if name in usable)
        sys.stdout.write(json_document(_SCHEMAS[values.schema](names)))
        for row in rows:
            if row["error"]:
                sys.stderr.write(escaped(f"left out: {row['error']}") + "\n")
        return 0
    if values.json:
        sys.stdout.write(json_document({"types": rows}))
    else:
        widths = [max(len(str(row[key])) for row in rows) for key in ("name", "origin")]
        for row in rows:
            name, origin = str(row["name"]).ljust(widths[0]), str(row["origin"]).ljust(widths[1])
            sys.stdout.write(escaped(f"{name}  {origin}  {row['error'] or row['providers']}") + "\n")
    return 1 if any(row["error"] for row in rows) else 0


def _rows(debug: bool) -> Iterator[Data]:
    for name in TYPE_NAMES:
        yield {"name": name, "origin": f"ccm {VERSION}", "providers": _providers(resource_type(name)), "error": ""}
    for offer in installed_types():
        row: Data = {"name": offer.name, "origin": offer.package, "providers": "", "error": ""}
        try:
            if offer.name in TYPE_NAMES:
                reason = "it has the name of a built-in type, which is used in its place"
                raise refused(offer.name, offer.package, reason)
            row["providers"] = _providers(installed_type(offer.name))
        except InvalidResource as error:
            row["error"] = error.message
            for line in traceback_of(error) if debug else ():
                sys.stderr.write(f"{line}\n")
        yield row


def _providers(found: AnyType | None) -> str:
    return ", ".join(found.provider_names) if found else ""


COMMAND = Command(
    "types",
    "List resource types",
    details="Types of other packages are listed with their package, and with the reason when one cannot be used. The "
    "exit status is then 1.",
    flags=(
        Flag("json", "set", "Print the list as JSON"),
        Flag(
            "schema", "text", "Print the JSON schema of a manifest or an event, with all types", choices=tuple(_SCHEMAS)
        ),
        Flag("api", "set", "Print the signatures of ccm.api, the contract for types of other packages"),
    ),
    run=_types,
)
