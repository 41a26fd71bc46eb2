# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A directory of installed packages that offer types."""

from __future__ import annotations

import textwrap
import tomllib
import types

from tests.unit.layout import ROOT

EXAMPLES = ROOT / "docs/examples"
#: The source of the smallest type.
HOSTNAME = (EXAMPLES / "ccm-hostname/ccm_hostname.py").read_text(encoding="utf-8")


class Site:
    """A directory of installed packages, and `ccm` that finds them."""

    def __init__(self, directory, ccm):
        self.directory = directory / "site"
        self.directory.mkdir()
        self.work = directory
        self._ccm = ccm

    def add(self, package, entry_points, version="1.0.0", **files):
        """Install a package: its entry points by type, its modules by name."""
        info = self.directory / f"{package.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n", encoding="utf-8"
        )
        lines = [f"{name} = {value}" for name, value in entry_points.items()]
        (info / "entry_points.txt").write_text("\n".join(["[ccm.resource_types]", *lines]), encoding="utf-8")
        for name, text in files.items():
            (self.directory / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")

    def add_example(self, name):
        """Install an example of the guide."""
        source = EXAMPLES / name
        project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        self.add(project["name"], project["entry-points"]["ccm.resource_types"], project["version"])
        for path in [*source.glob("*.py"), *source.glob("*/__init__.py")]:
            target = path.name if path.parent == source else path.parent.name
            (self.directory / target).symlink_to(path if path.parent == source else path.parent)

    def ccm(self, *words):
        """Run the command; the result has all of its output in `stdout`."""
        ran = self._ccm(*map(str, words))
        return types.SimpleNamespace(returncode=ran.status, stdout=ran.out + ran.err)

    def manifest(self, text):
        path = self.work / "manifest.yaml"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def apply(self, *words):
        """Run a manifest with one resource of the type hostname and a command after it."""
        text = """\
            ccm:
              resources:
                - hostname: {name: other.example, ensure: present}
                - exec: {name: /bin/true}
            """
        return self.ccm("apply", self.manifest(text), "--no-report", *words)
