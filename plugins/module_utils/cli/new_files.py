# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The files that `ccm new` makes: a manifest with its data, a template, and a test."""

from __future__ import annotations


class NewFile:
    """A file: its `name` below the new directory, in a few words what it `holds`, its `text`; whether it is run."""

    __slots__ = ("holds", "is_run", "name", "text")

    def __init__(self, name: str, holds: str, text: str, *, is_run: bool = False) -> None:
        self.name = name
        self.holds = holds
        self.text = text
        self.is_run = is_run


_MANIFEST = """\
# A manifest that ccm new made. ccm docs NAME explains a word in it, for example: ccm docs file.mode

# Values for the expressions between {{ and }}. Comments with @ are rules, which each run checks.
data:
  # @require
  greeting: Hello
  # @validate isInt(value)
  port: 8080
  tags: [example]

# Which of the overrides are laid over data, one after the other: the most specific last. A fact of your own is given
# with the command: ccm apply manifest.yaml --fact site=test
hierarchy:
  order:
    - "os:{{ lookup('facts.host.info.os') }}"
    - "site:{{ lookup('facts.site', 'main') }}"
  merge: deep

overrides:
  "site:test":
    greeting: Hello from the test
  "os:linux":
    tags: [linux]

ccm:
  resources:
    - file:
        - "{{ Environ.HOME }}/ccm-example":
            ensure: directory
        - "{{ Environ.HOME }}/ccm-example/hello.conf":
            ensure: present
            mode: "0644"
            content: "{{ template('templates/hello.conf.templ') }}"
            health_checks:
              - name: the port is set
                command: grep -q "^port = {{ Data.port }}$" "{{ Environ.HOME }}/ccm-example/hello.conf"
"""

_TEMPLATE = """\
# Written by ccm: change the template, not this file.
greeting = {{ Data.greeting }}
host = {{ Facts.host.info.hostname }}
port = {{ Data.port }}
tags = {{ join(Data.tags, ", ") }}
"""

_TEST = """\
#!/bin/sh
# Lint the manifest, apply it twice in a temporary directory, and look at what it wrote.
set -eu

fail() {
    echo "test.sh: $*" >&2
    exit 1
}

# Apply the manifest. The status is 0 when nothing changed, 2 when something changed, 4 or 6 when something failed.
apply() {
    status=0
    ccm apply manifest.yaml --fact site=test --detailed-exitcodes --no-report || status=$?
}

cd "$(dirname "$0")"
HOME=$(mktemp -d)
CCM_STATE=$HOME/state
export HOME CCM_STATE
trap 'rm -rf "$HOME"' EXIT

ccm lint --strict manifest.yaml
apply
[ "$status" -eq 2 ] || fail "the first run should change something, and ended with status $status"
grep -q "^greeting = Hello from the test$" "$HOME/ccm-example/hello.conf" || fail "hello.conf has another greeting"
apply
[ "$status" -eq 0 ] || fail "the second run should change nothing, and ended with status $status"
echo "test.sh: passed"
"""

FILES = (
    NewFile("manifest.yaml", "a file from a template, its data, a health check", _MANIFEST),
    NewFile("templates/hello.conf.templ", "the template of that file", _TEMPLATE),
    NewFile("test.sh", "tests the manifest in a temporary directory", _TEST, is_run=True),
)
