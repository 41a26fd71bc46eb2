# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parsing of arguments, with a small command line of its own."""

from __future__ import annotations

import pytest
from ccm.cli.arguments import UsageError, parse
from ccm.cli.command import Command
from ccm.cli.root import ROOT as CCM
from ccm.model.errors import CCMError
from ccm.model.flags import Argument, Flag
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.layout import entry_of

LEAF = Command(
    "group leaf",
    "A leaf",
    arguments=(
        Argument("name", "A name", required=True, env="LEAF_NAME"),
        Argument("state", "A state", default="there", choices=("there", "gone")),
        Argument("pair", "Pairs", kind="map"),
    ),
    flags=(
        Flag("text", "text", "Text", env="LEAF_TEXT", short="t"),
        Flag("read-env", "switch", "A switch", default=True, short="e"),
        Flag("once", "set", "On or off", short="o"),
        Flag("fact", "map", "Pairs"),
        Flag("many", "texts", "Often", short="m"),
        Flag("numbers", "integers", "Numbers", default=[0]),
        Flag("tries", "integer", "A number", default=5),
        Flag("pause", "duration", "A time", default=1),
        Flag("source", "file", "A file"),
    ),
    run=lambda values: 0,
)
BY_NAME = "use --help for full help including flags and arguments"
GROUP = Command(
    "group",
    "A group",
    flags=(Flag("noop", "set", "Noop"), Flag("hiera", "text", "Data", default=".hiera")),
    commands=(("leaf", "A leaf"),),
    find=lambda name: LEAF if name in ("leaf", "l") else None,
)
ROOT = Command(
    "",
    "The root",
    flags=tuple(Flag(name, "set", name) for name in ("help", "version", "debug", "info")),
    commands=(("group", "A group"),),
    find=lambda name: GROUP if name == "group" else None,
)


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    monkeypatch.delenv("LEAF_NAME", raising=False)
    monkeypatch.delenv("LEAF_TEXT", raising=False)


def values(*words):
    return parse(ROOT, ["group", "leaf", *words]).values


def refusal(*words, error=UsageError):
    with pytest.raises(error) as caught:
        parse(ROOT, words)
    return caught.value


def test_missing_values_have_their_default():
    got = values("a")
    assert (got.name, got.state, got.pair) == ("a", "there", {})
    assert (got.text, got.read_env, got.once, got.fact, got.many) == ("", True, False, {}, [])
    assert (got.numbers, got.tries, got.pause, got.source) == ([0], 5, 1, "")
    assert (got.noop, got.hiera, got.debug) == (False, ".hiera", False)
    assert got.given == {"name"}


def test_flags_of_every_kind(tmp_path):
    file = tmp_path / "f"
    file.touch()
    got = values(
        *("a", "--text", "x y", "--no-read-env", "--once", "--fact", "k=v", "--fact", "l:w=1", "-m", "1", "--many=2"),
        *("--numbers", "1", "--numbers", "+2", "--tries=7", "--pause", "1m30s", "--source", str(file)),
    )
    assert (got.text, got.read_env, got.once) == ("x y", False, True)
    assert got.fact == {"k": "v", "l": "w=1"}
    assert (got.many, got.numbers, got.tries) == (["1", "2"], [1, 2], 7)
    assert (got.pause, got.source) == (90 * 10**9, str(file))
    assert got.given >= {"text", "read-env", "once", "fact", "source"}


def test_arguments_and_flags_can_be_mixed():
    got = values("--once", "a", "--text", "x", "gone", "-m", "y", "k=v", "--tries", "2", "l=w")
    assert (got.name, got.state, got.pair, got.text, got.many, got.tries) == (
        *("a", "gone", {"k": "v", "l": "w"}, "x", ["y"], 2),
    )


@pytest.mark.parametrize(
    "words",
    [
        ("group", "--noop", "--hiera", "h", "leaf", "a"),
        ("group", "leaf", "a", "--hiera=h", "--noop"),
        ("group", "--noop", "l", "--hiera", "h", "a"),
    ],
)
def test_flags_of_a_group_are_accepted_before_and_after_its_commands(words):
    got = parse(ROOT, words)
    assert got.command is LEAF
    assert (got.values.noop, got.values.hiera, got.values.name) == (True, "h", "a")


def test_flags_of_the_root_are_accepted_everywhere():
    for words in (
        ["--debug", "group", "leaf", "a"],
        ["group", "--debug", "leaf", "a"],
        ["group", "leaf", "a", "--debug"],
    ):
        assert parse(ROOT, words).values.debug is True


def test_an_empty_text_is_a_value():
    assert "text" in values("a", "--text", "").given
    assert "text" in values("a", "--text=").given


def test_after_two_dashes_all_words_are_arguments():
    assert values("--once", "--", "--text").name == "--text"
    assert values("-").name == "-"


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["-tx"], {"text": "x"}),
        (["-t=x"], {"text": "x"}),
        (["-t", "x y"], {"text": "x y"}),
        (["-t-o"], {"text": "-o"}),
        (["--text=-o"], {"text": "-o"}),
        (["--text=a=b"], {"text": "a=b"}),
        (["--text", "-"], {"text": "-"}),
        (["--text", "--nosuch x"], {"text": "--nosuch x"}),
        (["--text", "-1"], {"text": "-1"}),
        (["--text", "-1.5"], {"text": "-1.5"}),
        (["--text", "-.5\n"], {"text": "-.5\n"}),
        (["-oe"], {"once": True, "read_env": True}),
        (["-o=e"], {"once": True, "read_env": True}),
        (["-otx"], {"once": True, "text": "x"}),
        (["-ot=x"], {"once": True, "text": "=x"}),
        (["-oet", "x"], {"once": True, "read_env": True, "text": "x"}),
    ],
)
def test_ways_to_write_flags_and_their_values(words, wanted):
    got = values("a", *words)
    assert got.given == {"name", *(name.replace("_", "-") for name in wanted)}
    assert {name: getattr(got, name) for name in wanted} == wanted


def test_flags_and_arguments_override_variables(monkeypatch):
    monkeypatch.setenv("LEAF_TEXT", "from env")
    monkeypatch.setenv("LEAF_NAME", "named")
    assert (values().name, values().text) == ("named", "from env")
    assert "text" not in values().given
    assert (values("a", "--text", "").name, values("a", "--text", "").text) == ("a", "")
    monkeypatch.setenv("LEAF_TEXT", "")
    assert values("a").text == ""


@pytest.mark.parametrize(
    ("words", "text", "command"),
    [
        (["nosuch"], f'expected command but got "nosuch", {BY_NAME}', ROOT),
        (["gruop"], f'expected command but got "gruop", did you mean "group"? {BY_NAME}', ROOT),
        (["version"], f'expected command but got "version", did you mean "--version"? {BY_NAME}', ROOT),
        (["agent"], f'expected command but got "agent", did you mean "watch"? {BY_NAME}', ROOT),
        (["group", "laef"], f'expected command but got "laef", did you mean "leaf"? {BY_NAME}', GROUP),
        (["--nosuch"], "unknown long flag '--nosuch'", ROOT),
        (["group"], f"a subcommand from the list below is required, {BY_NAME}", GROUP),
        (["group", "x"], f'expected command but got "x", {BY_NAME}', GROUP),
        (["group", "leaf"], "required argument 'name' not provided", LEAF),
        (["group", "leaf", "a", "there", "k=v", "--frob=1"], "unknown long flag '--frob'", LEAF),
        (["group", "leaf", "a", "--onc"], "unknown long flag '--onc', did you mean '--once'?", LEAF),
        (["group", "leaf", "a", "-x"], "unknown short flag '-x'", LEAF),
        (["group", "leaf", "a", "--no-once"], "unknown long flag '--no-once', did you mean '--once'?", LEAF),
        (["group", "leaf", "a", "--text"], "expected argument for flag '--text'", LEAF),
        (["group", "leaf", "a", "--text", "--once"], "expected argument for flag '--text'", LEAF),
        (["group", "leaf", "a", "--once=x"], "flag '--once' takes no value", LEAF),
        (["group", "leaf", "a", "--text", "1", "-t", "2"], "flag 'text' cannot be repeated", LEAF),
        (["--debug", "group", "leaf", "a", "--debug"], "flag 'debug' cannot be repeated", LEAF),
        (["group", "leaf", "-oe", "--no-read-env"], "flag 'read-env' cannot be repeated", LEAF),
        (["group", "leaf", "--text", "-o"], "expected argument for flag '--text'", LEAF),
        (["group", "leaf", "--text", "-ox y"], "expected argument for flag '--text'", LEAF),
        (["group", "leaf", "--text", "--once=x y"], "expected argument for flag '--text'", LEAF),
        (["group", "leaf", "--text", "--", "a"], "expected argument for flag '--text'", LEAF),
        (["group", "leaf", "--text", "-1."], "expected argument for flag '--text'", LEAF),
        (["group", "leaf", "--text", "--1"], "expected argument for flag '--text'", LEAF),
        (["group", "leaf", "-t"], "expected argument for flag '-t'", LEAF),
        (["group", "leaf", "-ot"], "expected argument for flag '--text'", LEAF),
        (["group", "leaf", "-ot", "-t"], "expected argument for flag '-t'", LEAF),
        (["group", "leaf", "--nosuch=1", "--text"], "expected argument for flag '--text'", LEAF),
        (["group", "leaf", "--nosuch", "--other"], "unknown long flag '--nosuch'", LEAF),
        (["group", "leaf", "--once=e"], "flag '--once' takes no value", LEAF),
        (["group", "leaf", "-o="], "flag '--once' takes no value", LEAF),
        (["group", "leaf", "-o", "-ox"], "flag '-o' takes no value", LEAF),
        (["group", "leaf", "-ox"], "flag '--once' takes no value", LEAF),
        (["group", "leaf", "--no-read-env="], "flag '--no-read-env' takes no value", LEAF),
        (["group", "leaf", "-5"], "unknown short flag '-5'", LEAF),
        (["group", "leaf", "-x y=z"], "unknown short flag '-x y'", LEAF),
        (["group", "--hiera", "--", "leaf"], "expected argument for flag '--hiera'", GROUP),
        (["group", "--nosuch", "--hiera"], "expected argument for flag '--hiera'", GROUP),
        (["group", "--nosuch=1", "leaf"], "unknown long flag '--nosuch'", GROUP),
        (["group", "--", "--hiera"], "unknown long flag '--'", GROUP),
        (["group", "-5", "--hiera"], "unknown short flag '-5'", GROUP),
        (["group", "-"], f'expected command but got "-", {BY_NAME}', GROUP),
    ],
)
def test_invalid_command_lines(words, text, command):
    error = refusal(*words)
    assert (str(error), error.command) == (text, command)


def test_one_argument_too_many():
    command = Command("x", "X", arguments=(Argument("a", "A"),))
    root = Command("", "", flags=ROOT.flags, commands=(("x", "X"),), find=lambda name: command)
    with pytest.raises(UsageError, match=r"^unexpected argument 3$"):
        parse(root, ["x", "2", "3", "4"])


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["a", "--fact", "novalue"], "expected KEY=VALUE got 'novalue'"),
        (["a", "there", "novalue"], "expected KEY=VALUE got 'novalue'"),
        (["a", "odd"], "enum value must be one of there,gone, got 'odd'"),
        (["a", "--numbers", "many"], "expected a whole number got 'many'"),
        (["a", "--tries", "9" * 30], f"expected a whole number got '{'9' * 30}'"),
        (["a", "--pause", "5x"], "invalid duration: invalid unit x"),
        (["a", "--source", "/none"], "path '/none' does not exist"),
        (["a", "--source", "/tmp/"], "'tmp' is a directory"),
    ],
)
def test_values_of_the_wrong_kind(words, text):
    assert str(refusal("group", "leaf", *words, error=CCMError)) == text


def test_help_needs_no_arguments():
    chosen = parse(ROOT, ["group", "leaf", "--help"])
    assert chosen.command is LEAF
    assert chosen.values.help
    assert parse(ROOT, ["help", "group", "leaf"]).values.help
    assert parse(ROOT, ["--help"]).command is ROOT
    assert parse(ROOT, ["group", "--help"]).command is GROUP
    assert parse(ROOT, ["--help", "group"]).command is GROUP


def _every_command(command):
    for name, _help in command.commands:
        found = command.find(name)
        found.inherited = command.inherited + command.flags
        yield found
        yield from _every_command(found)


def _words(command, but=None):
    """Return the words that call a command with all required arguments and one flag less."""
    given = {"map": "k=v", "text": "f", "texts": "f"}
    words = [argument.choices[0] if argument.choices else given[argument.kind] for argument in command.arguments]
    flags = [f"--{flag.name}={given.get(flag.kind, 1)}" for flag in command.flags if flag.required and flag is not but]
    if any(flag.name == "noop" for flag in command.inherited + command.flags) and (but is None or but.name != "noop"):
        flags.append("--noop")
    return [*command.path.split(), *words, *flags]


CALLS = [
    pytest.param(command, flag, id=f"{command.path} --{flag.name}")
    for command in _every_command(CCM)
    for flag in command.inherited + command.flags
    if command.run
]
OF_KINDS = {
    "text": "--",
    "texts": ["--"],
    "integer": "expected a whole number got '--'",
    "integers": "expected a whole number got '--'",
    "duration": "invalid duration",
    "file": "path '--' does not exist",
    "map": "expected KEY=VALUE got '--'",
    "set": "flag '--{}' takes no value",
    "switch": "flag '--{}' takes no value",
}


@pytest.mark.parametrize(("command", "flag"), CALLS)
def test_two_dashes_after_an_equals_sign_are_a_value(command, flag):
    words = [*_words(command, flag), f"--{flag.name}=--"]
    try:
        got = getattr(parse(CCM, words).values, flag.key)
    except (UsageError, CCMError) as error:
        got = str(error)
    if flag.choices:
        assert got == f"enum value must be one of {','.join(flag.choices)}, got '--'"
    elif flag.kind == "duration":
        assert got.startswith(OF_KINDS["duration"])
    else:
        wanted = entry_of(OF_KINDS, flag.kind, "OF_KINDS in tests/unit/cli/test_arguments.py")
        assert got == (wanted.format(flag.name) if isinstance(wanted, str) else wanted)


def test_two_dashes_are_a_value_of_groups_and_of_short_flags():
    got = parse(ROOT, ["group", "--hiera=--", "leaf", "a", "-t--"]).values
    assert (got.hiera, got.text) == ("--", "--")


def test_two_dashes_become_content(ccm, tmp_path):
    assert ccm("ensure", "file", tmp_path / "f", "--content=--").status == 0
    assert (tmp_path / "f").read_text() == "--"


# Beside a name, a package without a provider is looked for in the databases of packages.
ASKS_PROGRAMS = {"ensure package": pytest.mark.starts_processes}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(each, id=each.path, marks=ASKS_PROGRAMS.get(each.path, ()))
        for each in _every_command(CCM)
        if each.run
    ],
)
def test_a_nul_character_is_refused_with_a_message(ccm, command, tmp_path):
    """Words from argument files can contain NUL, which no other command line can."""
    words = _words(command)
    first = len(command.path.split())
    calls = [[*words[:at], "a\0b", *words[at + 1 :]] for at in range(first, len(words))]
    calls += [
        [*_words(command, flag), f"--{flag.name}=a\0b"]
        for flag in command.inherited + command.flags
        if flag.takes_value
    ]
    for call in calls:
        (tmp_path / "words").write_text("\n".join(call[first:]))
        assert ccm(*call[:first], "@words").status in (0, 1, 2)


WORDS = [
    *(
        "apply",
        "ensure",
        "exec",
        "file",
        "api",
        "pipe",
        "facts",
        "hiera",
        "parse",
        "session",
        "new",
        "report",
        "status",
    ),
    *("completion", "help", "--help", "--debug", "--noop", "--no-noop", "--hiera", "--hiera=x", "--fact", "a=1"),
    *(
        "-R",
        "-Rx",
        "-e",
        "--",
        "-",
        "",
        "--=",
        "-1",
        "-x y",
        "--returns",
        "5",
        "--check-sleep",
        "--content=",
        "-ED",
        "=",
    ),
]


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=8))
def test_any_words_are_accepted_or_refused(words):
    try:
        chosen = parse(CCM, words)
    except (UsageError, CCMError) as error:
        assert str(error)
    else:
        assert chosen.command.run or chosen.values.help or chosen.values.version or not chosen.command.path


def test_words_can_come_from_files(ccm, tmp_path):
    (tmp_path / "inner").write_text("--alias\nin a file\n")
    (tmp_path / "args").write_text("# what it is\n\n--noop\n@inner\n   \ntrue")
    out = ccm("ensure", "exec", "@args").out
    assert out.startswith(" WARN  exec#in a file (alias) changed ")
    assert "noop=Would have executed" in out
    (tmp_path / "args").write_bytes("--noop\r\n\r\n--alias=a\fb\u2028c\n\x85\ntrue".encode())
    assert ccm("ensure", "exec", "@args").out.startswith(r" WARN  exec#a\fb\u2028c (alias) changed ")
    (tmp_path / "args").write_text("# what it is\n\n--noop\n@inner\n   \ntrue")
    assert ccm("ensure", "exec", "--noop", "--", "@args").out.startswith(" WARN  exec#@args changed ")
    assert ccm("ensure", "exec", "--noop", "--alias=@args", "x").out.startswith(" WARN  exec#@args (alias) ")


def test_an_endless_argument_file_is_refused(ccm):
    ran = ccm("ensure", "exec", "@/dev/zero")
    assert (ran.status, ran.err) == (
        1,
        'ccm: error: arguments file "/dev/zero" is larger than 16 MiB\n  name a file of arguments, one on each line\n',
    )


def test_invalid_argument_files(ccm, tmp_path):
    missing = ccm("ensure", "exec", "@none").err
    assert missing.startswith(
        'ccm: error: failed to open arguments file "none": open none: no such file or directory\n'
    )
    assert ccm("ensure", "exec", "@").err == "ccm: error: expected @ file to expand arguments from\n"
    (tmp_path / "nul").write_text("@a\0b\n")
    assert ": invalid argument" in ccm("ensure", "exec", "@nul").err
    (tmp_path / "self").write_text("@self\n")
    assert "arguments files name each other more than 10 times deep: self" in ccm("ensure", "exec", "@self").err


@pytest.mark.starts_processes
def test_a_fraction_is_cut_as_in_the_original(ccm):
    assert ccm("ensure", "exec", "sh -c 'exit 3'", "--returns", "3.9").out.startswith(
        " WARN  exec#sh -c 'exit 3' changed "
    )
    for text in ("3.x", "x.3", ".", "1e1"):
        assert ccm("ensure", "exec", "true", "--returns", text).err.startswith("ccm: error: expected a whole number")


def test_a_flag_without_a_value_is_named_as_it_was_written(ccm):
    assert ccm("apply", "-R").err.startswith("error: expected argument for flag '-R'\n")
    assert ccm("apply", "--registration").err.startswith("error: expected argument for flag '--registration'\n")
