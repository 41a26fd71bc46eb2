# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Single changes of the bytes of files, as failing disks, broken copies and careless editors make them."""

from __future__ import annotations


def flip(data, random):
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def change(data, random):
    at = random.randrange(len(data))
    return data[:at] + random.randbytes(1) + data[at + 1 :]


def insert(data, random):
    at = random.randrange(len(data) + 1)
    return data[:at] + random.randbytes(1) + data[at:]


def delete(data, random):
    at = random.randrange(len(data))
    return data[:at] + data[at + 1 :]


def zero(data, random):
    begin, end = sorted((random.randrange(len(data)), random.randint(1, len(data))))
    return data[:begin] + bytes(end - begin) + data[end:]


def cut(data, random):
    return data[: random.randrange(len(data))]


def cut_lines(data, random):
    lines = data.splitlines(keepends=True)
    return b"".join(lines[: random.randrange(len(lines))])


def delete_line(data, random):
    lines = data.splitlines(keepends=True)
    del lines[random.randrange(len(lines))]
    return b"".join(lines)


def repeat_line(data, random):
    lines = data.splitlines(keepends=True)
    at = random.randrange(len(lines))
    return b"".join([*lines[: at + 1], *lines[at:]])


def swap_lines(data, random):
    lines = data.splitlines(keepends=True)
    at = random.randrange(len(lines))
    lines[at : at + 2] = reversed(lines[at : at + 2])
    return b"".join(lines)


KINDS = [flip, change, insert, delete, zero, cut, cut_lines, delete_line, repeat_line, swap_lines]


def damage(files, random):
    """Damage one of these files, or exchange two; return what was done, "" when all is as before."""
    paths = sorted(path for path in files if path.stat().st_size)
    before = {path: path.read_bytes() for path in paths}
    first, second = random.sample(paths, 2)
    kind = random.choice([*KINDS, None])
    if kind:
        first.write_bytes(kind(before[first], random))
    else:
        first.write_bytes(before[second])
        second.write_bytes(before[first])
    changed = [path for path in paths if path.read_bytes() != before[path]]
    name = kind.__name__ if kind else "exchange"
    return f"{name} {' '.join(path.name for path in changed)}" if changed else ""
