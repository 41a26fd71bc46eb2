# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules of `ccm lint`: what the findings of each mean, and what to do about them.

Only documentation reads them, and formats that list rules; a check names its rule where it notes a finding.
"""

from __future__ import annotations


class Rule:
    """A kind of finding: its `name` in the output of lint, what it `finds`, and in `advice` what to do, in sentences.

    All is plain text. `finds` continues the words "this finds"; docs/runner.md has it in its table.
    """

    __slots__ = ("advice", "finds", "name")

    def __init__(self, name: str, finds: str, advice: str) -> None:
        self.name = name
        self.finds = finds
        self.advice = advice


RULES = (
    Rule(
        "yaml",
        "documents that are not YAML, and lines after the first document of a file, which are not read",
        "Check the indentation and the quotes at the place, and above it. Put each manifest into a file of its own.",
    ),
    Rule(
        "shape",
        "documents that are not a manifest: no resources, or resources and lists that are put together in another way",
        "A resource is a mapping with a name, or an entry of a list from a name to properties. Below ccm, resources "
        "is a list of types, each with its resources.",
    ),
    Rule(
        "unreadable",
        "a manifest that does not exist or cannot be read; only with --json, otherwise it is reported on stderr",
        "Check the path or the address, and whether the user who runs lint may read it.",
    ),
    Rule(
        "unknown-key",
        "keys and properties that do not exist",
        "Look for a slip: the message says which name may be meant. ccm docs TYPE lists the properties of a type.",
    ),
    Rule(
        "kind",
        "values of the wrong kind, like a list where a text belongs",
        "Write the kind that the message names. Quote numbers that are texts, like modes and versions.",
    ),
    Rule(
        "value",
        "values that a type, the schema or the providers refuse; a checksum that is no SHA-256, which no download has",
        "Write a value that the advice names; ccm docs TYPE.PROPERTY says what the property takes.",
    ),
    Rule(
        "expression",
        "expressions that do not compile, also deferred ones, in control, messages, data and validations, and in texts "
        "given to template() and jet(); sent() in what is resolved before the run",
        "Correct the expression at the place. To have the braces themselves in a text, write them in an expression: "
        "{{ '{{' }}.",
    ),
    Rule(
        "reference",
        "require and subscribe of a resource that does not exist, or comes later; child manifests are checked too",
        "Write references as TYPE#NAME, and put a resource before those that refer to it. In graph order the place in "
        "the list does not matter.",
    ),
    Rule(
        "lost-value",
        "a command with creates whose output a resource, or an output of the manifest, receives by sent(): it does not "
        "run again when the value is lost",
        "Let creates name the file that receives the value, or have the command write it to a file and read that with "
        "readFile(). When the value is lost, remove what creates names.",
    ),
    Rule(
        "template",
        "templates that do not parse, or call functions that do not exist: of scaffolds, of resources_jet_file, and "
        "those that jet() and template() name",
        "Correct the template at the place; its line is that in the file of the template.",
    ),
    Rule(
        "file",
        "a directory as the source of a file; a missing file next to the manifest: a source of a file, and what "
        "template(), jet(), file() and readFile() name; names without a template suffix, which template() and jet() "
        "take as the text of the template itself",
        "Paths are relative to the directory of the manifest. Give files of templates the suffix .templ or .jet.",
    ),
    Rule(
        "fact",
        "names in Facts.host.info, Facts.memory.virtual and other such families that no machine has, and what "
        'lookup("facts.…") cannot find',
        "ccm facts shows the names. Facts of your own are given with --fact, --facts or files of facts.",
    ),
    Rule(
        "data",
        'what lookup("data.…") without a default cannot find in data and overrides; names in Data that they do not '
        "have, unless ?? or a comparison with nil expects that, or the manifest has no data",
        "Correct the path, add the value to data, or give a default: lookup takes it as its second argument, and other "
        "expressions after ??. Name data that comes from elsewhere with --hiera.",
    ),
    Rule(
        "environ",
        "Environ in data, overrides and hierarchy, where it is always empty: only facts exist there",
        "Use Environ in the resources, or give the value as a fact.",
    ),
    Rule(
        "shell",
        "in commands and guards without provider: shell, syntax that only a shell understands: |, >, <, &&, ;, $(…), "
        "backquotes, $VAR, patterns like *.log",
        "Set provider: shell, or put it in single quotes if the program itself needs it.",
    ),
    Rule(
        "variable",
        "$VAR in commands and guards of resources without environment, where the text of the command itself does not "
        "set it",
        "Commands inherit no variables: set it with environment, or let an expression give its value.",
    ),
    Rule(
        "order",
        "in the order of the list, a resource that comes before what it needs, like a file before its directory",
        "Put what is needed first, or run the manifest in graph order.",
    ),
    Rule(
        "duplicate",
        "two resources of one type and name, both without control",
        "Declare it once. If both are meant for different machines, choose between them with control.",
    ),
    Rule(
        "url",
        "unsupported schemes of a URL: an archive and the source of a scaffold come from http:// and https://, the "
        "source of a file never from a URL",
        "Offer it on a web server, or put the file next to the manifest.",
    ),
    Rule(
        "registration",
        "register_when_stable, which is published with --register only",
        "Add --register to the commands that apply the manifest, or leave the registration out.",
    ),
    Rule(
        "goss-rule",
        "unknown kinds, attributes and matchers of goss_rules, values of the wrong kind, and rules without the "
        "attribute that they depend on",
        "Correct the name: the message says which may be meant. Such a rule fails in each run.",
    ),
    Rule(
        "child",
        "manifests that apply themselves, too deep a chain, children with allow_apply: false that apply others",
        "Break the circle or shorten the chain; allow_apply: true lets a child apply others.",
    ),
    Rule(
        "path",
        "a pattern like *, or ~ at the beginning, in creates and cwd, which are taken as they are written",
        "Write the whole path.",
    ),
    Rule(
        "unused",
        "properties that mean nothing beside others of the resource",
        "Leave the property out, or the one beside which it means nothing; the message names both.",
    ),
    Rule(
        "annotation",
        "comments in data that look like a misspelt annotation; an annotation is a comment with a rule for a value: "
        "# @require, # @validate EXPRESSION; and validations of lists and mappings, which are ignored",
        "Correct the word, or change the comment so that it does not begin with @. Validate single values.",
    ),
    Rule(
        "unused-defaults",
        "defaults that every resource of the list overrides",
        "Leave the default out, or the same value in the resources.",
    ),
    Rule(
        "word",
        "words of other tools and slips that would be taken as the version of a package: ensure: installed, ensure: "
        "latets",
        "Write present, absent or latest, or the version that you want.",
    ),
    Rule(
        "plain-secret",
        "passwords and tokens written in the manifest in plain text; their lines are not shown",
        "Keep secrets out of the manifest: pass them as a variable and write {{ Environ.NAME }}, or read them from a "
        "file with readFile().",
    ),
    Rule(
        "portability",
        "what the original would reject, ignore or interpret differently, with --portability only; with --upstream "
        "what it rejects or does not know is an error",
        "Nothing needs to be done unless the original applies the manifest too. The message says what it would do.",
    ),
)
