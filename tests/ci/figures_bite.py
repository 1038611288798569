#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ci/figures --check` against a copy of the pages: it takes them as they are, and names each breach.
Usage: figures_bite.py SOURCE_DIR"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
PAGE, RECORD = "docs/malloc-settings.md", "docs/figures/run.json"


def in_text(old, new, page=PAGE):
    def breach(root):
        text = (root / page).read_text()
        assert re.search(old, text, re.M), (old, page)
        (root / page).write_text(re.sub(old, new, text, count=1, flags=re.M))
    return breach


def in_record(change):
    def breach(root):
        record = json.loads((root / RECORD).read_text())
        change(record)
        (root / RECORD).write_text(json.dumps(record))
    return breach


def raise_one(record):
    record["runs"]["malloc"]["rows"][0]["base_ns"] *= 2


CASES = [  # what is done, and what must be said
    ("a digit is typed", in_text(r"^(\| json-64k \| get \| )\d", r"\g<1>777"), "does not say what the record says"),
    ("the record changed", in_record(raise_one), "does not say what the record says"),
    ("another commit's words", in_text(r", commit [0-9a-f]", ", commit z"), "does not say what the record says"),
    ("a line more", in_text(r"^<!-- end -->", "and much faster\n<!-- end -->"), "does not say what the record says"),
    ("no end", in_text(r"^<!-- end -->\n", ""), "has no <!-- end -->"),
    ("no begin", in_text(r"^<!-- figures: malloc -->\n", ""), "the end of no block"),
    ("two begins", in_text(r"^<!-- end -->", "<!-- figures: malloc -->\n<!-- end -->"), "begins inside another one"),
    ("an unknown name", in_text(r"figures: malloc", "figures: wishes"), "there are no figures wishes"),
    ("a marker beside words", in_text(r"^## What", "Here <!-- figures: malloc -->\n\n## What"), "a marker stands alone"),
    ("a figure in prose", in_text(r"^## What to set", "A hit takes 8 ns.\n\n## What to set"), "outside a block: '8 ns'"),
    ("a claim in prose", in_text(r"^## What to set", "This is 40 % faster.\n\n## What to set"), "outside a block"),
    ("a figure in the README", in_text(r"^## Use the library", "It costs 97 instructions.\n\n## Use the library", "README.md"), "README.md:"),
    ("figures nobody shows", in_text(r"(?s)<!-- figures: malloc -->.*?<!-- end -->\n", ""), "the figures malloc are shown nowhere"),
    ("a record of other runs", in_record(lambda r: r["runs"]["malloc"]["argv"].append("--blocks")), "not of the runs"),
    ("a record without a run", in_record(lambda r: r["runs"].pop("terrain")), "not of the runs"),
    ("a record of no commit", in_record(lambda r: r.update(commit="HEAD")), "names no commit"),
    ("no record", lambda root: (root / RECORD).unlink(), "run ci/figures"),
]


def check(root):
    done = subprocess.run([sys.executable, "-B", root / "ci/figures", "--check"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def copy(root):
    (root / "ci").mkdir()
    shutil.copy(SOURCE / "ci/figures", root / "ci")
    shutil.copy(SOURCE / "README.md", root)
    shutil.copytree(SOURCE / "docs", root / "docs")


def main():
    failed = 0
    for name, breach, wanted in [("as it is", lambda root: None, ""), *CASES]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            copy(root)
            breach(root)
            code, said = check(root)
            if code != (1 if wanted else 0) or wanted not in said:
                failed += 1
                print(f"{name}: ended with {code} and said: {said or 'nothing'}")
    sys.exit(1 if failed else 0)


main()
