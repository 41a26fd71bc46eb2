# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the packages of the command: python packaging/build.py [--output DIR] [--wheel FILE] [deb] [rpm]

What is in them is what the wheel has, which pip makes here without --wheel. All times are SOURCE_DATE_EPOCH, without it
the time of the last commit; owners, modes and the order do not depend on the machine. So two builds are the same bytes.
"""

from __future__ import annotations

import argparse
import email
import gzip
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import typing
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
NAME = "ccm-core"
REVISION = "1"
MAINTAINER = "ccm.core contributors <ccm-core@users.noreply.github.com>"
#: What pip makes the wheel from.
SOURCES = ("pyproject.toml", "setup.py", "README.md", "bin", "plugins/module_utils")
LARGEST = 6_000_000  # bytes of all files; what is compiled after the installation comes in addition
IMPORT = "from ccm.cli.main import main\n"
#: In the place of IMPORT: without `site` (-S), which would read more directories at each start, Python searches its own
#: library only. Where the command is started in another way, `site` has added the directories.
SEARCH = "if sys.flags.no_site:\n{search}\n{IMPORT}"
#: Directories that each system has; rpm removes others with the last package that lists them.
OF_THE_SYSTEM = {"etc", "usr", "usr/bin", "usr/lib", "usr/lib/systemd", "usr/lib/systemd/system", "usr/share"} | {
    "usr/share/licenses",
    "usr/share/man",
    "usr/share/man/man1",
}
PACKAGERS = {"deb": ("dpkg-deb", "dpkg"), "rpm": ("rpmbuild", "rpm")}  # program, the package of Debian that has it


class Stop(Exception):
    """The packages cannot be built; the text says what to do."""


class Layout(typing.NamedTuple):
    """Where a distribution has what is in the package: `modules`, `zsh`; `search` adds the modules to `sys.path`."""

    modules: str
    zsh: str
    search: str


DEB = Layout(
    modules="usr/lib/python3/dist-packages",
    zsh="usr/share/zsh/vendor-completions",
    # The second directory is where pip installs: types of other packages, and what Debian has no package of.
    search="""\
    sys.path += ["/usr/lib/python3/dist-packages", "/usr/local/lib/python%d.%d/dist-packages" % sys.version_info[:2]]
""",
)
RPM = Layout(
    # Not in a directory of one minor version of Python: the package is for all of them.
    modules=f"usr/share/{NAME}",
    zsh="usr/share/zsh/site-functions",
    search=f"""\
    import site

    sys.path += ["/usr/share/{NAME}", *site.getsitepackages()]
""",
)


class Build:
    """One build: the content of the wheel, its version, and the time that all files get."""

    def __init__(self, wheel: pathlib.Path, epoch: int) -> None:
        self.epoch = epoch
        with zipfile.ZipFile(wheel) as packed:
            self._files = {name: packed.read(name) for name in packed.namelist() if not name.endswith("/")}
        self._info = next(name for name in self._files if name.endswith(".dist-info/METADATA")).rpartition("/")[0]
        self.version = email.message_from_bytes(self._files[f"{self._info}/METADATA"])["Version"]

    @property
    def full_version(self) -> str:
        """The version as dpkg and rpm order it, where a pre-release is older than its release."""
        for mark in ("a", "b", "rc"):  # as setuptools writes 1.2.3-rc.1: 1.2.3rc1
            release, found, number = self.version.partition(mark)
            if found:
                return f"{release}~{mark}{number}-{REVISION}"
        return f"{self.version}-{REVISION}"

    def tree(self, layout: Layout, installer: str) -> dict[str, tuple[bytes, int]]:
        """Return content and mode of each file of the package, by its path below /."""
        files = {}
        for name, content in self._files.items():
            if not name.partition("/")[0].endswith(".data"):
                files[f"{layout.modules}/{name}"] = (content, 0o644)
        del files[f"{layout.modules}/{self._info}/RECORD"]  # the package manager has the list, and pip leaves it alone
        files[f"{layout.modules}/{self._info}/INSTALLER"] = (f"{installer}\n".encode(), 0o644)
        files["usr/bin/ccm"] = (self._command(layout), 0o755)
        manual, bash, zsh, fish = self._said(
            "--help-man", *(f"completion {shell}" for shell in ("bash", "zsh", "fish"))
        )
        texts = {
            "usr/share/man/man1/ccm.1.gz": compressed(manual),
            "usr/share/bash-completion/completions/ccm": bash,
            f"{layout.zsh}/_ccm": zsh,
            "usr/share/fish/vendor_completions.d/ccm.fish": fish,
            "usr/lib/systemd/system/ccm-watch.service": (HERE / "ccm-watch.service").read_bytes(),
            "etc/choria/ccm/watch.env": (HERE / "watch.env").read_bytes(),
        }
        files.update({path: (content, 0o644) for path, content in texts.items()})
        size = sum(len(content) for content, _mode in files.values())
        if size > LARGEST:
            raise Stop(f"the files of {NAME} have {size} bytes, and may have {LARGEST}")
        return files

    def _command(self, layout: Layout) -> bytes:
        [script] = [content.decode() for name, content in self._files.items() if name.endswith(".data/scripts/ccm")]
        first, _newline, rest = script.partition("\n")
        if not first.startswith("#!python") or rest.count(IMPORT) != 1:
            raise Stop(f"bin/ccm has not the form that {HERE.name}/build.py knows: {first}")
        rest = rest.replace(IMPORT, SEARCH.format(search=layout.search, IMPORT=IMPORT))
        return f"#!/usr/bin/python3 -IS\n{rest}".encode()

    def _said(self, *commands: str) -> list[bytes]:
        """Return what the command of the wheel prints for each of these, without types of other packages."""
        start = "import sys; sys.path.append(sys.argv.pop(1)); from ccm.cli.main import main; sys.exit(main())"
        with tempfile.TemporaryDirectory() as place:
            for name, content in self._files.items():
                put(pathlib.Path(place, name), content)
            run = [sys.executable, "-ISc", start, place]
            environment = {"LC_ALL": "C.UTF-8"}
            return [subprocess.check_output([*run, *words.split()], env=environment) for words in commands]

    def write(self, files: dict[str, tuple[bytes, int]], target: pathlib.Path) -> None:
        """Write files below a directory, with their modes and the time of the build."""
        for path, (content, mode) in files.items():
            put(target / path, content, mode)
        for path in [target, *target.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            os.utime(path, (self.epoch, self.epoch))

    def deb(self, output: pathlib.Path) -> pathlib.Path:
        """Write the package for dpkg, and return its path."""
        files = self.tree(DEB, "debian")
        doc = f"usr/share/doc/{NAME}"
        day = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(self.epoch))
        changes = f"{NAME} ({self.full_version}) unstable; urgency=medium\n\n  * See changelog.gz.\n\n"
        changes += f" -- {MAINTAINER}  {day}\n"
        texts = {
            f"{doc}/copyright": (HERE / "deb/copyright").read_bytes(),
            f"{doc}/changelog.gz": compressed((ROOT / "CHANGELOG.rst").read_bytes()),
            f"{doc}/changelog.Debian.gz": compressed(changes.encode()),
        }
        files.update({path: (content, 0o644) for path, content in texts.items()})
        kilobytes = sum(-(-len(content) // 1024) for content, _mode in files.values()) + len(folders(files))
        control = (HERE / "deb/control").read_text("utf-8")
        control = control.format(version=self.full_version, maintainer=MAINTAINER, size=kilobytes)
        files["DEBIAN/control"] = (control.encode(), 0o644)
        files["DEBIAN/conffiles"] = (b"/etc/choria/ccm/watch.env\n", 0o644)
        files["DEBIAN/triggers"] = (b"interest-noawait /usr/bin/python3\n", 0o644)
        summed = [path for path in sorted(files) if not path.startswith(("DEBIAN/", "etc/"))]
        sums = "".join(f"{md5(files[path][0])}  {path}\n" for path in summed)
        files["DEBIAN/md5sums"] = (sums.encode(), 0o644)
        for script in ("postinst", "prerm", "postrm"):
            files[f"DEBIAN/{script}"] = ((HERE / "deb" / script).read_bytes(), 0o755)
        made = output / f"{NAME}_{self.full_version}_all.deb"
        with tempfile.TemporaryDirectory() as place:
            tree = pathlib.Path(place, "tree")
            self.write(files, tree)
            # Debian 11 knows no zstd.
            self._run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, made])
        return made

    def rpm(self, output: pathlib.Path) -> pathlib.Path:
        """Write the package for rpm, and return its path."""
        files = self.tree(RPM, "rpm")
        files[f"usr/share/licenses/{NAME}/COPYING"] = ((ROOT / "COPYING").read_bytes(), 0o644)
        files[f"usr/share/licenses/{NAME}/Apache-2.0.txt"] = ((ROOT / "LICENSES/Apache-2.0.txt").read_bytes(), 0o644)
        listed = [f"%dir /{folder}" for folder in folders(files) if folder not in OF_THE_SYSTEM]
        for path in sorted(files):
            kind = "%config(noreplace) " if path.startswith("etc/") else "%license " if "/licenses/" in path else ""
            listed.append(f"{kind}/{path}")
        version, _dash, release = self.full_version.rpartition("-")
        with tempfile.TemporaryDirectory() as place:
            tree, top = pathlib.Path(place, "tree"), pathlib.Path(place, "top")
            self.write(files, tree)
            spec = (HERE / "rpm/ccm-core.spec").read_text("utf-8")
            for word, text in {"VERSION": version, "RELEASE": release, "TREE": str(tree)}.items():
                spec = spec.replace(f"@{word}@", text)
            put(top / "ccm-core.spec", (spec + "\n".join(listed) + "\n").encode())
            self._run(["rpmbuild", "-bb", "--quiet", "--define", f"_topdir {top}", top / "ccm-core.spec"])
            [built] = top.glob("RPMS/*/*.rpm")
            return pathlib.Path(shutil.copyfile(built, output / built.name))

    def _run(self, command: list) -> None:
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "SOURCE_DATE_EPOCH": str(self.epoch)}
        done = subprocess.run(command, env=environment, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise Stop(f"{command[0]} says:\n{done.stdout.decode(errors='replace')}")


def put(path: pathlib.Path, content: bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)


def folders(files: dict) -> list[str]:
    """Return the directories above the files."""
    return sorted({str(folder) for path in files for folder in pathlib.PurePath(path).parents} - {"."})


def compressed(content: bytes) -> bytes:
    """Return the content as gzip, without name and time."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=out, mtime=0) as packed:
        packed.write(content)
    return out.getvalue()


def md5(content: bytes) -> str:
    """Return the checksum that dpkg compares files with; it protects from no one."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def wheel(scratch: pathlib.Path) -> pathlib.Path:
    """Build the wheel from a copy of the sources; a build in the checkout would leave folders in it."""
    copy = scratch / "source"
    for part in SOURCES:
        (copy / part).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(ROOT / part, copy / part)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--wheel-dir", scratch, copy], check=True)
    [made] = scratch.glob("*.whl")
    return made


def epoch() -> int:
    """Return the time of the build in seconds: SOURCE_DATE_EPOCH, or the time of the last commit. Raises Stop."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        log = ["git", "-C", ROOT, "log", "-1", "--format=%ct"]
        given = subprocess.run(log, env=environment, capture_output=True, text=True, check=False).stdout.strip()
    if not given.isdecimal():
        raise Stop(f"SOURCE_DATE_EPOCH is {given!r}: set it to seconds since 1970 where there is no git or no clone")
    return int(given)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the packages of the command.")
    parser.add_argument("formats", nargs="*", metavar="deb|rpm", help="both without one")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "dist", help="the directory that gets them")
    parser.add_argument("--wheel", type=pathlib.Path, help="the wheel with the command; without it pip makes one")
    given = parser.parse_args()
    for unknown in set(given.formats) - set(PACKAGERS):
        parser.error(f"no such format: {unknown}")
    wanted = {name: PACKAGERS[name] for name in given.formats or PACKAGERS}
    missing = [package for program, package in wanted.values() if not shutil.which(program)]
    with tempfile.TemporaryDirectory() as scratch:
        build = Build(given.wheel or wheel(pathlib.Path(scratch)), epoch())
    given.output.mkdir(parents=True, exist_ok=True)
    for name, (program, _package) in wanted.items():
        if shutil.which(program):
            made = getattr(build, name)(given.output)
            print(f"{made}: {made.stat().st_size} bytes")
    if missing:
        raise Stop(f"not all was built: apt-get install -y {' '.join(missing)}")


if __name__ == "__main__":
    try:
        main()
    except Stop as problem:
        sys.exit(str(problem))
