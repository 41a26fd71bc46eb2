# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that expressions read just before their resource is managed are made before."""

from __future__ import annotations

import json
import os

import pytest

from tests.unit.engine.graph.test_automatic import file
from tests.unit.manifest.runs import GRAPH, loaded, ran


@pytest.mark.parametrize(
    ("expression", "is_read"),
    [
        ("file('made')", True),
        ('readFile("DIR/made")', True),
        ("upper(file( './made' ))", True),
        ("template('made.templ')", True),
        ("jet('made.jet')", True),
        ("template('made')", False),
        ("file('other')", False),
        ("profile('made')", False),
        ("file(Data.name)", False),
    ],
)
@pytest.mark.parametrize("property", ["command", "environment"])
def test_what_an_expression_reads_is_made_before(tmp_path, expression, is_read, property):
    written = "{{ " + expression.replace("DIR", str(tmp_path)) + " }}"
    value = f"[{json.dumps('A=' + written)}]" if property == "environment" else json.dumps(written)
    name = f"{tmp_path}/made" + next((end for end in (".templ", ".jet") if end in expression), "")
    resources = f"- exec: {{name: it, {property}: {value}}}\n{file(name)}"
    schedule = loaded(resources, tmp_path, engine=GRAPH).schedule
    assert [(edge.first, edge.then) for edge in schedule.graph.edges] == ([(1, 0)] if is_read else [])


def test_a_file_is_read_after_it_was_made(tmp_path):
    me = f"owner: {os.getuid()}, group: {os.getgid()}, mode: '0644'"
    resources = f"""
    - file: {{name: {tmp_path}/copy, ensure: present, content: "{{{{ file('made') }}}}!", {me}}}
    - file: {{name: {tmp_path}/made, ensure: present, content: text, {me}}}
    """
    events, _log = ran(loaded(resources, tmp_path, engine=GRAPH))
    assert [event.failed for event in events.values()] == [False, False]
    assert (tmp_path / "copy").read_text() == "text!"
