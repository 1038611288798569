#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/docs/run_pages.py on small pages: it takes what is right and names what is not.
Usage: pages_bite.py SOURCE_DIR"""

import pathlib
import subprocess
import sys
import tempfile

FENCE = "```"
CASES = [  # a page, and whether it holds
    ("$ echo one\none\n$ echo two\ntwo\n", True),
    ("$ echo one\ntwo\n", False),
    ("$ echo one\n", False),
    ("$ true\none\n", False),
    ("$ echo one; echo two; echo three\none\n...\n", True),
    ("$ echo one; echo two; echo three\n...\ntwo\n", False),
    ("$ echo it took 7 us\nit took ... us\n", True),
    ("$ echo it took 7 ms\nit took ... us\n", False),
    ("$ echo 'a.c'\nabc\n", False),
    ("$ X=1\n$ echo $X; false; echo \"exit $?\"\n1\nexit 1\n", True),
    ("$ for i in 1 2; do\n>   echo $i\n> done\n1\n2\n", True),
    ("$ for i in 1 2; do\n>   echo $i\n> done\n1\n3\n", False),
    ("$ echo bad >&2\nbad\n", True),
    ("$ exit 0\n$ echo one\none\n", False),
    (f"$ cat some/file\nits words\n{FENCE}\n\n{FENCE}text some/file\nits words\n", False),
    (f"$ true\n{FENCE}\n\n{FENCE}text some/file\nits words\n{FENCE}\n\n{FENCE}console\n$ cat some/file\nits words\n", True),
    (f"$ true\n{FENCE}\n\n{FENCE}sh\n$ echo one\ntwo\n", True),
]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "lib").mkdir()
        (root / "lib/libcachekit.a").touch()
        for number, (text, holds) in enumerate(CASES):
            page = root / f"{number}.md"
            page.write_text(f"# A page\n\n{FENCE}console\n{text}{FENCE}\n")
            done = subprocess.run([sys.executable, "-B", pathlib.Path(sys.argv[1]) / "tests/docs/run_pages.py", root, page],
                                  capture_output=True, text=True)
            if done.returncode != (0 if holds else 1) or bool(done.stdout) == holds or done.stderr:
                failed += 1
                print(f"{text!r}: ended with {done.returncode} and said: {done.stdout}{done.stderr}")
    sys.exit(1 if failed else 0)


main()
