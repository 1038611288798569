# SPDX-License-Identifier: MIT
"""Shards' reports for the tests of ci/comment, from the maker of tests/reports: any verdict, and any lie."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "reports"))
import honest as maker  # noqa: E402


def side(per_op, allocs):
    return None if per_op is None else maker.side(per_op, per_op, allocs)


def a_path(name, head, base, reasons=(), allocs=(0, 0)):
    """Instructions per call, all of them own; None: not there."""
    return maker.path(name, side(head, allocs[0]), side(base, allocs[1]), reasons)


def report(shard, head, base, run, paths):
    """`shard` is "K/N". Give the result to `text`, which adds the hash of the body."""
    paths = sorted(paths, key=lambda path: path["name"])
    return maker.document(paths, shard=shard, head=head, base=base, run=run)


def text(document, hashed=None):
    """The file's bytes; `hashed` is a hash instead of the true one."""
    line = maker.seal(document) if hashed is None else maker.dumps({**document, "body_sha256": hashed})
    return line.encode()
