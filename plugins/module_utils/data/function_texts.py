# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What CCM's own functions do, in expressions and in templates. Only documentation reads it."""

from __future__ import annotations

EXPRESSIONS, GO, JET, JINJA = "expressions", "Go templates", "Jet templates", "Jinja2 templates"
#: All Go templates have these functions, too.
SPRIG = "Go templates (Sprig)"
_EVERYWHERE = (EXPRESSIONS, GO, JET, JINJA)
#: The files that a scaffold renders.
_OF_SCAFFOLDS = (GO, JET, JINJA)


class OwnFunction:
    """A function: its `name`, the `call` with its arguments, what it `does` in one line, `more` in sentences.

    `languages` have it; with `of_scaffolds` only the templates of scaffolds do. All is plain text.
    """

    __slots__ = ("call", "does", "languages", "more", "name", "of_scaffolds")

    def __init__(
        self,
        call: str,
        does: str,
        more: str,
        languages: tuple[str, ...] = _EVERYWHERE,
        *,
        of_scaffolds: bool = False,
    ) -> None:
        self.name = call.partition("(")[0]
        self.call = call
        self.does = does
        self.more = more
        self.languages = languages
        self.of_scaffolds = of_scaffolds


OWN_FUNCTIONS = (
    OwnFunction(
        "lookup(path, default)",
        "Return the value at a GJSON path below facts, data or environ.",
        "A value that is missing is an error, unless a default is given; an explicit null is not missing. For example "
        'lookup("data.port", 80), lookup("facts.host.info.platformFamily").',
    ),
    OwnFunction(
        "readFile(path)",
        "Return the content of a file.",
        "Relative paths begin at the directory of the manifest. In a property that is resolved late it sees files that "
        "earlier resources have written.",
    ),
    OwnFunction("file(path)", "Return the content of a file, as readFile does.", "It is another name of readFile."),
    OwnFunction(
        "template(text)",
        "Return a text with its expressions resolved.",
        "A text that ends in .templ is the name of a file with such a text, one that ends in .jet that of a Jet "
        "template. Relative paths begin at the directory of the manifest.",
        (EXPRESSIONS, JET, JINJA),
    ),
    OwnFunction(
        "jet(text, left, right)",
        "Return a Jet template rendered.",
        "A text that ends in .jet is the name of a file with the template. The delimiters are [[ and ]] unless left "
        "and right are given.",
        (EXPRESSIONS, GO, JINJA),
    ),
    OwnFunction(
        "registrations(cluster, protocol, service, ip)",
        "Return the registered services in NATS that match.",
        "Each argument is a text; * or an empty text stands for any. An entry that is found has .Cluster, .Protocol, "
        ".Service, .Address, .Port, .Priority and .Annotations.",
    ),
    OwnFunction(
        "kvGet(bucket, key)",
        "Return the value of a key in a bucket of NATS as text.",
        "The NATS context is that of --context. A key that does not exist is an error.",
    ),
    OwnFunction(
        "sent(type#name)",
        "Return the values that a resource sends to others, as a map.",
        "For example sent('exec#mint').stdout. It works only in what is resolved late, just before a resource is "
        "managed. Values are kept between runs for a sender that does nothing; where it failed or was skipped, the "
        "receiver is skipped.",
        (EXPRESSIONS,),
    ),
    OwnFunction(
        "render(name, data)",
        "Return another file of the scaffold's source, rendered with these data.",
        "Only templates of scaffolds have it. Directories called _partials hold files that are only for render.",
        _OF_SCAFFOLDS,
        of_scaffolds=True,
    ),
    OwnFunction(
        "write(name, content)",
        "Write a further file of the scaffold's target.",
        "Only templates of scaffolds have it. The name is relative to the target, and may not lead out of it.",
        _OF_SCAFFOLDS,
        of_scaffolds=True,
    ),
)
