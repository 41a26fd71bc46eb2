# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm publish`: put a manifest into an object store of NATS, or data into a bucket of keys (docs/nats.md)."""

from __future__ import annotations

import os

from ..data.reading import parse_document, read_text
from ..data.sources import parts_of_key
from ..host.scratch import make_temporary_directory
from ..host.trees import remove_tree
from ..lint.check import findings
from ..lint.finding import ERROR
from ..manifest.packing import pack
from ..manifest.remote_source import parts_of_object
from ..manifest.source import MANIFEST_NAME, fetch_manifest
from ..model.errors import CCMError, DataError, ManifestError
from ..model.flags import Argument, Flag
from ..model.log import Log
from ..nats.errors import NotStored
from ..nats.key_values import KeyValues, create_values
from ..nats.objects import InvalidDescription, Objects, create_objects, digest_text
from .command import Command
from .console import Console
from .failure import text_of
from .run import NATS_CONTEXT, nats_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.flags import Values
    from ..model.values import Field

#: Bytes of the largest value, which is one message.
_LARGEST_VALUE = 64 << 20
#: How names of files end that are meant to be data.
_DOCUMENTS = (".yaml", ".yml", ".json")


def _publish(values: Values) -> int:
    console = Console(values)
    target: str = values.target
    if target.startswith("obj://"):
        _publish_manifest(values, console, *parts_of_object(target))
    elif target.startswith("kv://"):
        _publish_data(values, console, *parts_of_key(target))
    else:
        raise CCMError(f"cannot publish to {target}", value=target, advice="give obj://BUCKET/KEY or kv://BUCKET/KEY")
    return 0


def _publish_manifest(values: Values, console: Console, bucket: str, key: str) -> None:
    _require_good(values)
    directory = make_temporary_directory("manifest-")
    try:
        with open(os.path.join(directory, "packed.tgz"), "w+b") as file:
            packed = pack(values.source, file)
            file.seek(0)
            console.user_log.before_waiting()
            client = nats_of(values).client()
            created = values.create and create_objects(client, bucket)
            try:
                objects = Objects(client, bucket)
            except NotStored as error:
                raise _without_bucket(error) from None
            digest = digest_text(packed.digest)
            fields: dict[str, Field] = {
                "bucket": bucket,
                "object": key,
                "digest": digest,
                "size": packed.size,
                "files": packed.files,
            }
            if created:
                console.user_log.info("Created the bucket", bucket=bucket)
            try:
                if objects.info(key).digest.rstrip("=") == digest.rstrip("="):
                    console.user_log.info("The manifest is published already", **fields)
                    return
            except (NotStored, InvalidDescription):
                pass
            console.user_log.doing(f"publishing {values.target}")
            try:
                objects.put(key, file, packed.digest, packed.size)
            finally:
                console.user_log.doing("")
            console.user_log.info("Published the manifest", **fields)
    finally:
        remove_tree(directory)


def _require_good(values: Values) -> None:
    """Raise ManifestError where the directory has no manifest, or `ccm lint` finds an error in it."""
    path = os.path.join(values.source, MANIFEST_NAME)
    if not os.path.lexists(values.source):
        raise ManifestError(f"{values.source} does not exist", value=values.source, advice="give a directory")
    if not os.path.isdir(values.source):
        raise ManifestError(f"{values.source} is not a directory", value=values.source, advice="data goes to kv://")
    if not os.path.isfile(path):
        raise ManifestError(
            f"{path} does not exist", value=path, advice=f"a directory is published with {MANIFEST_NAME}"
        )
    with fetch_manifest(path, Log()) as text:
        errors = [each for each in findings(text.text, text.name, text.directory) if each.level == ERROR]
    if errors:
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        advice = f"`ccm lint {path}` lists all that it finds; nothing was published"
        raise ManifestError(f"{errors[0].message}{more}", position=errors[0].position, advice=advice)


def _publish_data(values: Values, console: Console, bucket: str, key: str) -> None:
    if os.path.isdir(values.source):
        raise CCMError(f"{values.source} is a directory", value=values.source, advice="a directory goes to obj://")
    text = read_text(values.source, piped=True, limit=_LARGEST_VALUE)
    content = text.encode("utf-8", "surrogateescape")
    if not content:
        raise CCMError(f"{values.source} is empty", value=values.source, advice="an empty value cannot be read as data")
    if values.source.endswith(_DOCUMENTS):
        _note_faults(values.source, text, console)
    console.user_log.before_waiting()
    client = nats_of(values).client()
    if values.create and create_values(client, bucket):
        console.user_log.info("Created the bucket", bucket=bucket)
    try:
        keys = KeyValues(client, bucket)
    except NotStored as error:
        raise _without_bucket(error) from None
    fields: dict[str, Field] = {"bucket": bucket, "key": key, "size": len(content)}
    try:
        if keys.get(key) == content:
            console.user_log.info("The data is published already", **fields)
            return
    except NotStored:
        pass
    console.user_log.info("Published the data", **fields, revision=keys.put(key, content))


def _note_faults(path: str, text: str, console: Console) -> None:
    """Warn of a document that --hiera could not read; to kvGet() it is text."""
    try:
        parse_document(text, path)
    except DataError as error:
        reason, place = text_of(error).partition("\n")[0], str(error.position or path)
        console.user_log.warn("kvGet() can read this text, --hiera cannot", file=place, error=reason)


def _without_bucket(error: CCMError) -> CCMError:
    return CCMError(str(error), value=error.value, advice="--create creates it")


COMMAND = Command(
    "publish",
    "Publish a manifest or data in NATS",
    details="""A directory with manifest.yaml becomes a gzipped tarball in an object store, which `ccm apply` reads as
obj://BUCKET/KEY; it is checked first, as with `ccm lint`. A file becomes the value of a key: data for --hiera
kv://BUCKET/KEY, or text for kvGet(). What is there already is not sent again.""",
    arguments=(
        Argument(
            "source", "The directory with manifest.yaml, or the file", required=True, placeholder="PATH", path="file"
        ),
        Argument(
            "target", "obj://BUCKET/KEY for a directory, kv://BUCKET/KEY for a file", required=True, placeholder="URL"
        ),
    ),
    flags=(Flag("create", "set", "Create the bucket if it does not exist"), NATS_CONTEXT),
    run=_publish,
)
