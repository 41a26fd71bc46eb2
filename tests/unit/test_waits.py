# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Code that waits lets the front end write its lines before (docs/architecture.md, Waiting).

A function that calls what may wait for another process or thread, the network, a lock or a time calls `before_waiting`
in a line above. The functions of WITHOUT do not, each for a reason; where it is that their callers do, they are
themselves what may wait.
"""

from __future__ import annotations

import ast

from .layout import PACKAGE, parts_of, sources, tree

# Methods, and functions of modules, that wait.
METHODS = {
    "accept", "acquire", "check_call", "check_output", "communicate", "connect", "create_connection", "flock",
    "getaddrinfo", "gethostbyname", "getresponse", "lockf", "open_dbus_connection", "read1", "readline", "recv",
    "recv_into", "recvfrom", "recvmsg", "select", "send_and_get_reply", "sleep", "urlopen", "wait", "waitid",
    "waitpid",
}  # fmt: skip
# Methods whose names others have, too, with what is before the dot.
QUALIFIED = {
    "lookup.join", "opener.open", "os.system", "poller.poll", "queries.query", "running.end", "self._asked.get",
    "self._bell.get", "self._given.get", "self._news.get", "self._request.send", "self._results.get", "subprocess.call",
    "subprocess.run", "sys.stdin.buffer.read", "sys.stdin.read",
}  # fmt: skip
NAMES = METHODS | {name.rpartition(".")[2] for name in QUALIFIED}
# Functions that are imported, with their modules.
FUNCTIONS = {("time", "sleep"), ("socket", "getaddrinfo"), ("http", "get"), ("source", "read_manifest_text")}

BY_CALLERS = "its callers do"
BY_WAITER = "LockWaiter does"
IDLE = "this thread has passed its lines on when it has nothing to do"
KERNEL = "the kernel answers at once"
WITHOUT = {
    ("host/queries.py", "query"): BY_CALLERS,
    ("host/call_threads.py", "Call._ends_in"): BY_CALLERS,
    ("host/call_threads.py", "Call._is_made"): BY_CALLERS,
    ("host/call_threads.py", "Call._give_up"): BY_CALLERS,
    ("host/call_threads.py", "Call.make"): "those of methods of providers do, which may wait in any way",
    ("host/queries.py", "_status_of"): BY_CALLERS,
    ("host/archives/zstd.py", "ZstdProgram.fill"): BY_CALLERS,
    ("host/archives/zstd.py", "ZstdProgram.close"): "it has killed it",
    ("nats/ordered.py", "Feed.read"): BY_CALLERS,
    ("nats/ordered.py", "Feed.__iter__"): BY_CALLERS,
    ("cli/registering.py", "KeepRegistered._next"): "a thread of its own, which writes no lines of a run",
    ("host/commands.py", "run"): BY_CALLERS,
    ("host/commands.py", "_Process.start"): BY_CALLERS,
    ("host/commands.py", "_Process.wait"): BY_CALLERS,
    ("host/commands.py", "_end"): BY_CALLERS,
    ("host/commands.py", "_read_until_exit"): BY_CALLERS,
    ("host/commands.py", "_has_exited"): BY_CALLERS,
    ("host/commands.py", "_is_seen_to_exit"): BY_CALLERS,
    ("host/command_output.py", "is_readable"): BY_CALLERS,
    ("host/commands.py", "_kill"): BY_CALLERS,
    ("host/descriptors.py", "_lock"): "it waits only for new files of its own, which others test for a moment",
    ("host/dns.py", "addresses"): BY_CALLERS,
    ("host/dns.py", "addresses.resolve"): "another thread waits for this one",
    ("host/dns.py", "records"): BY_CALLERS,
    ("host/dns.py", "_query"): BY_CALLERS,
    ("host/dns.py", "_exchange"): BY_CALLERS,
    ("host/event_loop.py", "EventLoop.wait"): BY_CALLERS,
    ("host/facts/network.py", "_dump"): KERNEL,
    ("host/facts/network.py", "_source"): KERNEL,
    ("host/http.py", "fetch"): BY_CALLERS,
    ("host/http.py", "get"): BY_CALLERS,
    ("host/http.py", "_send"): BY_CALLERS,
    ("host/http.py", "Response.read"): BY_CALLERS,
    ("host/http.py", "Response.chunks"): BY_CALLERS,
    ("host/http.py", "Response.body"): BY_CALLERS,
    ("host/http_probe.py", "Request._send"): BY_CALLERS,
    ("host/http_probe.py", "Request.send"): BY_CALLERS,
    ("host/http_probe.py", "Response.body"): BY_CALLERS,
    ("host/output_lines.py", "RunningCommand._has_ended"): BY_CALLERS,
    ("host/output_lines.py", "RunningCommand.end"): BY_CALLERS,
    ("host/package_files.py", "files_of_packages"): BY_CALLERS,
    ("host/package_files.py", "_rpm_lists"): BY_CALLERS,
    ("host/sockets.py", "is_reachable"): BY_CALLERS,
    ("host/sockets.py", "_connects"): BY_CALLERS,
    ("host/thread_pool.py", "Pool.take"): BY_CALLERS,
    ("host/thread_pool.py", "Pool.is_done_in"): BY_CALLERS,
    ("host/units_watched.py", "UnitSignals._add_match"): BY_CALLERS,
    ("host/units_watched.py", "UnitSignals._call"): BY_CALLERS,
    ("host/units_watched.py", "UnitSignals._listen"): BY_CALLERS,
    ("host/units_watched.py", "UnitSignals._match"): BY_CALLERS,
    ("ansible_tasks/calls.py", "end_in_time.end"): "modules print nothing before they end",
    ("ansible_tasks/other_locale.py", "run_in_utf8"): "modules print nothing before they end",
    ("engine/interruptions.py", "InterruptionHandler._act_on_each"): "it has written what it said",
    ("engine/interruptions.py", "InterruptionHandler._listen"): "the lock is its own and free",
    ("engine/interruptions.py", "InterruptionHandler.end"): "its thread ends at once",
    ("engine/watching/worker.py", "Worker._work"): IDLE,
    ("engine/watching/worker.py", "Worker.take"): "it takes only what is there",
    ("engine/watching/worker.py", "Worker.answer"): "it takes only what is there",
    ("engine/watching/watches.py", "Watches._read"): "it waits for 2 ms, and the loop writes the lines after it",
    ("manifest/watching.py", "Watching.wait"): BY_CALLERS,
    ("cli/watching.py", "Watch._run"): "it has written them with `write_out`, which raises what fails",
    ("cli/progress.py", "Progress._watch"): "it has no lines",
    ("cli/registration.py", "_confirmed"): "it writes its question itself",
    ("resources/package/apt_get.py", "AptGet.run"): BY_WAITER,
    ("resources/package/dnf.py", "DnfProvider._wait"): BY_WAITER,
}
FUNCTIONS |= {
    (file.rpartition("/")[2][: -len(".py")], name) for (file, name), reason in WITHOUT.items() if reason == BY_CALLERS
}


def waits(file):
    """Yield the calls of a file that may wait: the names and functions that each is in, and the call."""
    imported = {
        alias.asname or alias.name
        for node in ast.walk(FILES[file])
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        if (node.module.rpartition(".")[2], alias.name) in FUNCTIONS
    }
    own = {
        name.rpartition(".")[2] for (other, name), reason in WITHOUT.items() if other == file and reason == BY_CALLERS
    }

    def within(node, names, functions):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.AsyncFunctionDef):
                continue  # a thread with an event loop waits, not those that have lines
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                is_function = isinstance(child, ast.FunctionDef)
                yield from within(child, [*names, child.name], [*functions, child] if is_function else functions)
                continue
            if isinstance(child, ast.Call) and is_waiting(child, imported, own):
                yield names, functions, child
            yield from within(child, names, functions)

    yield from within(FILES[file], [], [])


def relative(path):
    return str(path.relative_to(PACKAGE))


def is_waiting(call, imported, own):
    called = call.func
    if isinstance(called, ast.Name):
        return called.id in imported | own
    if not isinstance(called, ast.Attribute) or called.attr not in NAMES | own:
        return False
    text = ast.unparse(called)
    if text == "self._loop.sleep" or "LOCK_NB" in ast.unparse(call):
        return False
    is_own = called.attr in own and text in (f"self.{called.attr}", f"process.{called.attr}")
    return called.attr in METHODS or is_own or text in QUALIFIED


def is_written_before(functions, call):
    """Return whether one of the functions around a call calls `before_waiting` above it."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("before_waiting", "_before_waiting")
        and node.lineno < call.lineno
        for function in functions
        for node in ast.walk(function)
    )


def unannounced(file):
    """Return the functions of a file with calls that may wait without `before_waiting`."""
    return [".".join(names) for names, functions, call in waits(file) if not is_written_before(functions, call)]


FILES = {
    relative(path): tree(path)
    for path in sources()
    if parts_of(path)[:1] != ("lang",)  # has no side effects
}
FOUND = {(file, name) for file in FILES for name in unannounced(file)}


def test_lines_are_written_before_each_wait():
    assert sorted(FOUND - WITHOUT.keys()) == []


def test_each_exception_is_needed():
    assert sorted(WITHOUT.keys() - FOUND) == []


def test_front_ends_give_the_machine_what_writes_lines():
    without = [
        f"{file}:{node.lineno}"
        for file, parsed in FILES.items()
        if file.startswith(("cli/", "manifest/"))
        for node in ast.walk(parsed)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Machine"
        if not node.args
    ]
    assert without == []


def test_logs_that_pass_lines_on_pass_on_that_something_waits():
    without = [
        f"{file}:{node.lineno}"
        for file, parsed in FILES.items()
        for node in ast.walk(parsed)
        if isinstance(node, ast.ClassDef) and "Log" in map(ast.unparse, node.bases)
        if "log.write(" in ast.unparse(node) or "log.doing(" in ast.unparse(node)
        if "before_waiting" not in (each.name for each in node.body if isinstance(each, ast.FunctionDef))
    ]
    assert without == []
