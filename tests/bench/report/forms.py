# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same items in the language of each program: functions from items to the files of a folder, by their names.

Each writes what a user of the program would: loops in Ansible, and one call for all packages where there is one. A
program that has no word for an item raises NoWord.
"""

from __future__ import annotations

import itertools
import json

from ..__main__ import GROUP, OWNER
from .items import DATA, Archive, Command, Copy, File, Folder, Package, Service, Template

MODE = "0644"


class NoWord(Exception):
    """The language has no word for an item; the text names the kind."""


def no_word(item):
    raise NoWord(f"it has no {type(item).__name__.lower()}")


def quoted(value):
    """A text in double quotes, as YAML, Puppet and mcl all read it when it has no special characters."""
    return json.dumps(value)


def ccm(items):
    """The manifest of the original and of ccm.core, without templates: those are a scaffold."""
    owned = f"owner: {OWNER}, group: {GROUP}"
    lines = []
    for item in items:
        match item:
            case Folder(path):
                lines.append(f'file: [{{{path}: {{ensure: directory, {owned}, mode: "0755"}}}}]')
            case File(path, content):
                entry = f'{{ensure: present, {owned}, mode: "{MODE}", content: {quoted(content)}}}'
                lines.append(f"file: [{{{path}: {entry}}}]")
            case Copy(path, source):
                entry = f'{{ensure: present, {owned}, mode: "{MODE}", source: {source}}}'
                lines.append(f"file: [{{{path}: {entry}}}]")
            case Command(line, creates):
                lines.append(f"exec: [{{{line}: {{creates: {creates}}}}}]")
            case Archive(path, url, checksum, parent, creates):
                entry = f"ensure: present, url: '{url}', checksum: {checksum}, {owned}"
                lines.append(f"archive: [{{{path}: {{{entry}, extract_parent: {parent}, creates: {creates}}}}}]")
            case Package(name):
                lines.append(f"package: [{{{name}: {{ensure: present}}}}]")
            case Service(name, subscribe):
                after = f", subscribe: ['file#{subscribe}']" if subscribe else ""
                lines.append(f"service: [{{{name}: {{ensure: running, enable: true{after}}}}}]")
            case _:
                no_word(item)
    return {"m.yaml": "ccm:\n  resources:\n" + "".join(f"    - {line}\n" for line in lines)}


def ansible(items):
    """A play of builtins: one task for items of a kind that follow each other, which loops over them."""
    tasks, texts = [], {}
    owned = {"owner": OWNER, "group": GROUP, "mode": MODE}
    handlers = []
    for kind, run in itertools.groupby(items, type):
        found = list(run)
        if kind is Folder:
            word, given = "file", {**owned, "path": "{{ item }}", "state": "directory", "mode": "0755"}
            loop = [item.path for item in found]
        elif kind is File:
            word, given = "copy", {**owned, "dest": "{{ item.path }}", "content": "{{ item.content }}"}
            loop = [item._asdict() for item in found]
        elif kind is Copy:
            word = "copy"
            given = {**owned, "dest": "{{ item.path }}", "src": "{{ item.source }}", "remote_src": True}
            loop = [item._asdict() for item in found]
        elif kind is Template:
            word, given = "template", {**owned, "dest": "{{ item.path }}", "src": "t{{ item.number }}.j2"}
            texts |= {f"t{item.number}.j2": jinja(item.number) for item in found}
            loop = [item._asdict() for item in found]
        elif kind is Command:
            word, given = "command", {"cmd": "{{ item.line }}", "creates": "{{ item.creates }}"}
            loop = [item._asdict() for item in found]
        elif kind is Package:
            word, given, loop = "package", {"name": [item.name for item in found], "state": "present"}, None
        elif kind is Service:
            word, given = "systemd_service", {"name": "{{ item }}", "state": "started", "enabled": True}
            loop = [item.name for item in found]
            restart = {"name": "{{ item }}", "state": "restarted"}
            names = [item.name for item in found if item.subscribe]
            if names:
                handlers.append({"name": "restart", "ansible.builtin.systemd_service": restart, "loop": names})
        elif kind is Archive:
            word = "unarchive"
            given = {"src": "{{ item.url }}", "dest": "{{ item.parent }}", "creates": "{{ item.creates }}"}
            given |= {"remote_src": True, "owner": OWNER, "group": GROUP}
            tasks.append({"ansible.builtin.file": {"path": found[0].parent, "state": "directory"}})
            loop = [item._asdict() for item in found]
        else:
            no_word(found[0])
        watched = any(isinstance(item, Service) and item.subscribe for item in items) and kind in (File, Template)
        task = {f"ansible.builtin.{word}": given}
        task |= {"notify": "restart"} if watched else {}
        tasks.append(task if loop is None else {**task, "loop": loop})
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "vars": DATA, "tasks": tasks}
    return {"play.yml": json.dumps([{**play, "handlers": handlers}]), **texts}


def jinja(number):
    """The template that tests.bench writes for ccm, in Jinja2."""
    lines = f"# {number}\nname = {{{{ site }}}}\nport = {{{{ port + {number} }}}}\n"
    return lines + "{% if on %}user = {{ account }}\n{% endif %}"


def pyinfra(items):
    """A deploy with one operation for each item, and one for all packages."""
    lines = ["import io", "from pyinfra.operations import apt, files, server, systemd", f"DATA = {DATA!r}"]
    owned = f"user={OWNER!r}, group={GROUP!r}, mode={MODE!r}"
    packages = [item.name for item in items if isinstance(item, Package)]
    if packages:
        lines.append(f"apt.packages(packages={packages!r})")
    for item in items:
        match item:
            case Folder(path):
                lines.append(f"files.directory(path={path!r}, user={OWNER!r}, group={GROUP!r}, mode='0755')")
            case File(path, content):
                lines.append(f"done = files.put(src=io.StringIO({content!r}), dest={path!r}, {owned})")
            case Copy(path, source):
                lines.append(f"files.put(src={source!r}, dest={path!r}, {owned})")
            case Template(path, number):
                source = f"io.StringIO({jinja(number)!r})"
                lines.append(f"done = files.template(src={source}, dest={path!r}, {owned}, **DATA)")
            case Command(line, creates):
                lines.append(f"server.shell(commands=[{f'test -e {creates} || {line}'!r}])")
            case Archive(path, url, checksum, parent, creates):
                lines.append(f"files.download(src={url!r}, dest={path!r}, sha256sum={checksum!r})")
                unpack = f"test -e {creates} || (mkdir -p {parent} && tar -xzf {path} -C {parent})"
                lines.append(f"server.shell(commands=[{unpack!r}])")
            case Service(name, subscribe):
                restarted = ", restarted=done.will_change" if subscribe else ""
                lines.append(f"systemd.service(service={name!r}, running=True, enabled=True{restarted})")
            case Package(_name):
                pass
            case _:
                no_word(item)
    return {"deploy.py": "".join(f"{line}\n" for line in lines)}


def puppet(items):
    """A manifest of Puppet's own types."""
    owned = f"owner => '{OWNER}', group => '{GROUP}'"
    lines = []
    for item in items:
        match item:
            case Folder(path):
                lines.append(f"file {{ '{path}': ensure => directory, {owned}, mode => '0755' }}")
            case File(path, content):
                text = quoted(content).replace("$", "\\$")
                lines.append(f"file {{ '{path}': ensure => file, {owned}, mode => '{MODE}', content => {text} }}")
            case Copy(path, source):
                lines.append(f"file {{ '{path}': ensure => file, {owned}, mode => '{MODE}', source => '{source}' }}")
            case Template(path, number):
                text = f"inline_epp({quoted(epp(number))}, $data)"
                lines.append(f"file {{ '{path}': ensure => file, {owned}, mode => '{MODE}', content => {text} }}")
            case Command(line, creates):
                lines.append(f"exec {{ '{line}': creates => '{creates}', path => '/usr/bin:/bin' }}")
            case Package(name):
                lines.append(f"package {{ '{name}': ensure => installed }}")
            case Service(name, subscribe):
                after = f", subscribe => File['{subscribe}']" if subscribe else ""
                lines.append(f"service {{ '{name}': ensure => running, enable => true{after} }}")
            case _:
                no_word(item)
    data = ", ".join(f"'{name}' => {quoted(value)}" for name, value in DATA.items())
    return {"site.pp": f"$data = {{ {data} }}\n" + "".join(f"{line}\n" for line in lines)}


def epp(number):
    """The same template as jinja() in Puppet's language, in the form that its double quotes need."""
    lines = f"# {number}\nname = <%= $site %>\nport = <%= $port + {number} %>\n"
    lines += "<% if $on { %>user = <%= $account %>\n<% } %>"
    return lines.replace("$", "\\$")


def mgmt(items):
    """Code of mgmt."""
    owned = f'owner => "{OWNER}", group => "{GROUP}"'
    lines = []
    for item in items:
        match item:
            case Folder(path):
                lines.append(f'file "{path}/" {{ state => "exists", {owned}, mode => "u=rwx,go=rx", }}')
            case File(path, content):
                text = f'content => {quoted(content)}, {owned}, mode => "u=rw,go=r",'
                lines.append(f'file "{path}" {{ state => "exists", {text} }}')
            case Copy(path, source):
                text = f'source => "{source}", {owned}, mode => "u=rw,go=r",'
                lines.append(f'file "{path}" {{ state => "exists", {text} }}')
            case Command(line, creates):
                word, *rest = line.split()
                text = f'cmd => "/usr/bin/{word}", args => {json.dumps(rest)}, creates => "{creates}",'
                lines.append(f'exec "{line}" {{ {text} }}')
            case Package(name):
                lines.append(f'pkg "{name}" {{ state => "installed", }}')
            case Service(name, _subscribe):
                lines.append(f'svc "{name}" {{ state => "running", startup => "enabled", }}')
            case _:
                no_word(item)
    return {"main.mcl": "".join(f"{line}\n" for line in lines)}
