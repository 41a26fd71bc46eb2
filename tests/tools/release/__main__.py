# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build what a release publishes from the last commit, into dist/: python -m tests.tools.release

The wheel and the sdist of the command, the tarball of the collection, their bill of materials, the changelog's section
of the version, and SHA256SUMS. Each is built twice, with another directory, umask, time zone and order of files: the
bytes must be the same. docs/releasing.md says how a release is made.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

from .building import ELSEWHERE, HERE, build, epoch_of, sums
from .checks import Refused, check
from .sbom import bill

ROOT = pathlib.Path(__file__).parents[3]


def differing(first: dict[str, bytes], second: dict[str, bytes]) -> list[str]:
    """The names of the files that are not the same in both builds."""
    return sorted(name for name in {*first, *second} if first.get(name) != second.get(name))


def release(root: pathlib.Path, place: pathlib.Path, *, build_only: bool = False) -> dict[str, bytes]:
    """Build the release of a checkout, try the tarball, and write all into a directory, which is made anew.

    Raises Refused.
    """
    version = check(root)
    with tempfile.TemporaryDirectory(prefix="ccm-release-") as work:
        here = pathlib.Path(work)
        files = build(root, here / "here", version, HERE)
        again = build(root, here / "elsewhere/deeper", version, ELSEWHERE)
        if names := differing(files, again):
            raise Refused(f"two builds of the same commit differ in {', '.join(names)}: nothing is released")
        packages = {name: content for name, content in files.items() if name.endswith((".whl", ".tar.gz"))}
        files[f"ccm-core-{version}.cdx.json"] = bill(root, version, epoch_of(root), packages)
        files["SHA256SUMS"] = sums(files)
        made = here / "dist"
        made.mkdir()
        for name, content in files.items():
            (made / name).write_bytes(content)
            (made / name).chmod(0o644)
        tarball = made / f"ccm-core-{version}.tar.gz"
        if not build_only and subprocess.run([root / "tests/tools/tarball", tarball], cwd=root, check=False).returncode:
            raise Refused(f"{tarball.name} does not work, as said above: nothing is released")
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(made, place)
    return files


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.release", description=__doc__.partition(":")[0])
    parser.add_argument("--build-only", action="store_true", help="do not try the collection's tarball")
    given = parser.parse_args()
    try:
        files = release(ROOT, ROOT / "dist", build_only=given.build_only)
    except (Refused, ValueError) as refused:
        print(refused, file=sys.stderr)
        return 1
    sys.stdout.write(files["SHA256SUMS"].decode())
    print(f"dist/ has {len(files)} files, built twice with the same bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
