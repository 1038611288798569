# SPDX-License-Identifier: MIT
"""Asks the driver, which speaks for the library, and turns values into the JSON that it takes."""

import datetime
import json
import math
import subprocess
import uuid

import oracle


class Driver:
    """`ask` gives what came behind `ok`; `refusal` the status of a command that must not succeed."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def answer(self, *fields):
        assert not any(c in field for field in fields for c in "\t\n"), fields
        self.process.stdin.write(("\t".join(fields) + "\n").encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline().decode()
        assert line.endswith("\n"), f"the driver is gone: {fields[0]}"
        return line[:-1].split("\t")

    def ask(self, *fields):
        verdict, *rest = self.answer(*fields)
        assert verdict == "ok", f"{fields}: {rest}"
        return rest[0]

    def refusal(self, *fields):
        verdict, *rest = self.answer(*fields)
        assert verdict == "no", f"passed: {fields}: {rest}"
        return rest[0]

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0, "the driver failed at its end"


def tagged(value):
    """What JSON has no words for becomes an object of one key that starts with `$`."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else {"$int": str(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": str(value)}
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    if isinstance(value, uuid.UUID):
        return {"$uuid": str(value)}
    if isinstance(value, datetime.datetime):
        return {"$datetime": value.isoformat()}
    if isinstance(value, oracle.Set):
        return {"$set": [tagged(item) for item in value]}
    if isinstance(value, list):
        return [tagged(item) for item in value]
    if len(value) == 1 and next(iter(value)).startswith("$"):
        return {"$map": [[key, tagged(item)] for key, item in value.items()]}
    return {key: tagged(item) for key, item in value.items()}


def to_json(value):
    return json.dumps(tagged(value), ensure_ascii=False, allow_nan=False)


def names_to_json(named):
    """Keyword arguments: an object of names, which is never a tag."""
    return json.dumps({name: tagged(value) for name, value in named.items()}, ensure_ascii=False)


def untagged(pairs):
    if len(pairs) == 1:
        tag, body = next(iter(pairs.items()))
        if tag == "$bytes":
            return bytes.fromhex(body)
        if tag == "$int":
            return int(body)
        if tag == "$map":
            return dict(body)
        assert not tag.startswith("$"), tag
    return oracle.revive(pairs)


def from_json(text):
    return json.loads(text, object_hook=untagged)
