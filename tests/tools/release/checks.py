# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be right in a checkout before its last commit is released."""

from __future__ import annotations

import os
import pathlib
import subprocess

import yaml

from tests.tools import version as version_tool


class Refused(Exception):
    """Why nothing is released, one sentence for each line, with what to do."""


def git(root: pathlib.Path, *words: str) -> bytes:
    """The output of git for the checkout. Raises Refused where git fails, for example outside a clone."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(["git", *words], cwd=root, env=environ, capture_output=True, check=True)
    except FileNotFoundError:
        raise Refused("git is missing: apt-get install -y git") from None
    except subprocess.CalledProcessError as error:
        raise Refused(f"git {words[0]}: {error.stderr.decode(errors='replace').strip()}") from None
    return done.stdout


def listed(names: list[str]) -> str:
    """The first three names, and how many more there are."""
    more = len(names) - 3
    return ", ".join(names[:3]) + (f" and {more} more" if more > 0 else "")


def changed_files(root: pathlib.Path) -> list[str]:
    """The files that the last commit does not have as they are, tracked or not; without those that git ignores."""
    status = git(root, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all").decode()
    return [line[3:] for line in status.split("\0") if line]


def faults_of_the_tree(root: pathlib.Path) -> list[str]:
    changed = changed_files(root)
    if not changed:
        return []
    return [f"the last commit is released, and these files differ from it: {listed(changed)}: commit or remove them"]


def faults_of_versions(root: pathlib.Path) -> list[str]:
    versions = version_tool.versions(root)
    source = next(iter(versions.values()))
    if set(versions.values()) == {source}:
        return []
    said = ", ".join(f"{path} has {version}" for path, version in versions.items())
    return [f"the versions differ: {said}: run make version VERSION={source} and commit it"]


def faults_of_tags(root: pathlib.Path, version: str) -> list[str]:
    wanted = f"v{version}"
    here = git(root, "tag", "--list", "v*", "--points-at", "HEAD").decode().split()
    found = []
    others = [tag for tag in here if tag != wanted]
    if others:
        found.append(
            f"the commit has the tag {others[0]}, and the version is {version}: remove the tag, "
            f"or run make version VERSION={others[0][1:]} and tag the commit with it"
        )
    if wanted not in here and git(root, "tag", "--list", wanted):
        found.append(
            f"version {version} is released: the tag {wanted} is at another commit: "
            f"run make version with the next version, or check out {wanted}"
        )
    return found


def faults_of_the_changelog(root: pathlib.Path, version: str) -> list[str]:
    """Fragments that are not in the changelog, or a version that it does not have."""
    fragments = sorted(path.name for path in (root / "changelogs/fragments").glob("*.y*ml"))
    gather = "run make changelog and commit it"
    if fragments:
        return [f"{len(fragments)} fragments of the changelog are not gathered: {listed(fragments)}: {gather}"]
    path = root / "changelogs/changelog.yaml"
    releases = yaml.safe_load(path.read_text(encoding="utf-8"))["releases"] if path.exists() else {}
    if version in releases:
        return []
    return [
        f"the changelog has no version {version}: describe it in changelogs/fragments/{version}.yml "
        f"(release_summary), {gather}"
    ]


def check(root: pathlib.Path) -> str:
    """Return the version that the checkout releases. Raises Refused with everything that must be done before."""
    found = faults_of_the_tree(root) + faults_of_versions(root)
    version = next(iter(version_tool.versions(root).values()))
    found += faults_of_tags(root, version) + faults_of_the_changelog(root, version)
    if found:
        raise Refused("\n".join(found))
    return version
