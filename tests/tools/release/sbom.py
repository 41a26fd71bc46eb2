# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bill of materials of a release, CycloneDX 1.6 as JSON: what the command and the collection need, and its extras.

Nothing of it is in the wheel or the tarball: pip and ansible-galaxy install it. So each component has the requirement
as a property, and as its version the one with which the tests run.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import pathlib
import re
import tomllib
import uuid
from typing import Iterable, Mapping

import yaml
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# The licences of what is required. tests/publishing compares them with the metadata of the installed packages.
LICENCES = {
    "ansible-core": "GPL-3.0-or-later",
    "bcrypt": "Apache-2.0",
    "cryptography": "Apache-2.0 OR BSD-3-Clause",
    "jeepney": "MIT",
    "jinja2": "BSD-3-Clause",
    "nats-py": "Apache-2.0",
    "pyyaml": "MIT",
}


def tested_versions(root: pathlib.Path) -> dict[str, str]:
    """The versions that tests/requirements.txt pins, by the name of the package."""
    lines = (root / "tests/requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(entry.name): re.sub("^==", "", str(entry.specifier)) for entry in pinned}


def requirements(root: pathlib.Path) -> Iterable[tuple[str, Requirement]]:
    """Yield what is required, each with what requires it: `command`, `collection` or `extra:NAME`."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for text in project["dependencies"]:
        yield "command", Requirement(text)
    runtime = yaml.safe_load((root / "meta/runtime.yml").read_text(encoding="utf-8"))
    yield "collection", Requirement(f"ansible-core{runtime['requires_ansible']}")
    for name, texts in project["optional-dependencies"].items():
        for text in texts:
            yield f"extra:{name}", Requirement(text)


def components(root: pathlib.Path) -> list[Component]:
    """One component for each required package; ValueError for one whose licence LICENCES does not have."""
    tested = tested_versions(root)
    wanted: dict[str, list[tuple[str, Requirement]]] = {}
    for place, requirement in requirements(root):
        wanted.setdefault(canonicalize_name(requirement.name), []).append((place, requirement))
    found = []
    for name, entries in wanted.items():
        if name not in LICENCES:
            raise ValueError(f"the licence of {name} is not known: add it to LICENCES in tests/tools/release/sbom.py")
        purl = PackageURL("pypi", name=name, version=tested.get(name))
        always = any(place == "command" for place, _requirement in entries)
        found.append(
            Component(
                name=entries[0][1].name,
                version=tested.get(name),
                bom_ref=purl.to_string(),
                purl=purl,
                licenses=[LicenseExpression(LICENCES[name])],
                scope=ComponentScope.REQUIRED if always else ComponentScope.OPTIONAL,
                properties=[
                    Property(name=f"ccm.core:required-by:{place}", value=str(requirement.specifier) or "any version")
                    for place, requirement in entries
                ],
            )
        )
    return found


def bill(root: pathlib.Path, version: str, epoch: int, files: Mapping[str, bytes]) -> bytes:
    """Return the document for these files of a release. Raises ValueError when the schema does not allow it."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    purl = PackageURL("pypi", name=project["name"], version=version)
    ours = Component(
        name=project["name"],
        version=version,
        type=ComponentType.APPLICATION,
        bom_ref=purl.to_string(),
        purl=purl,
        description=project["description"],
        licenses=[LicenseExpression(project["license"]["text"])],
        external_references=[
            ExternalReference(
                type=ExternalReferenceType.DISTRIBUTION,
                url=XsUri(name),
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(content).hexdigest())],
            )
            for name, content in sorted(files.items())
        ],
    )
    required = components(root)
    bom = Bom(components=required, serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{purl.to_string()}#{epoch}"))
    bom.metadata.component = ours
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(epoch, datetime.UTC)
    bom.register_dependency(ours, required)
    text = JsonV1Dot6(bom).output_as_string(indent=2) + "\n"
    require_valid(text)
    return text.encode()


def require_valid(text: str) -> None:
    """Raise ValueError unless the document has the form of CycloneDX 1.6."""
    json.loads(text)
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if fault is not None:
        raise ValueError(f"the bill of materials is not CycloneDX 1.6: {fault}")
