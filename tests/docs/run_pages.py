#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does what the pages of docs/ say. Usage: run_pages.py PREFIX PAGE..., PREFIX being an installed tree.

A fenced block that begins ```LANGUAGE FILE becomes that file. One that begins ```console is typed: lines after
`$ ` are commands (going on in lines after `> `), the lines below one are what it prints, both streams; a line
`...` stands for any lines, `...` inside a line for any words. All blocks of a page are one shell in one empty
directory; a status is looked at only where the page prints it. Other blocks are for reading."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = "\x01"


def blocks(text):
    """(line number, words after the fence, lines)"""
    info, lines, start = None, [], 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```") and info is None:
            info, lines, start = line[3:].split(), [], number
        elif line == "```":
            yield start, info, lines
            info = None
        elif info is not None:
            lines.append(line)


def commands(start, lines):
    """(line number, command, wanted lines)"""
    found = []
    for number, line in enumerate(lines, start + 1):
        if line.startswith("$ "):
            found.append((number, [line[2:]], []))
        elif found and line.startswith("> ") and not found[-1][2]:
            found[-1][1].append(line[2:])
        elif found:
            found[-1][2].append(line)
    return [(number, "\n".join(words), wanted) for number, words, wanted in found]


def is_like(wanted, said):
    pattern = "".join(r"(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
                      for line in wanted)
    return re.fullmatch(pattern, "".join(line + "\n" for line in said)) is not None


def environment(prefix, home):
    lib = next(prefix.rglob("libcachekit.*")).parent
    kept = {name: value for name, value in os.environ.items() if name in ("TMPDIR", "USER")}
    return kept | {"HOME": home, "PATH": f"{prefix}/bin:/usr/bin:/bin", "PKG_CONFIG_PATH": f"{lib}/pkgconfig",
                   "LD_LIBRARY_PATH": str(lib), "PREFIX": str(prefix), "LC_ALL": "C.UTF-8",
                   "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def run_page(page, prefix):
    steps, script = [], ["trap 'kill $(jobs -p) 2>/dev/null' EXIT"]
    for start, info, lines in blocks(page.read_text()):
        if len(info) == 2 and info[0] != "console":
            folder, end = str(pathlib.PurePath(info[1]).parent), "THE-END-OF-A-FILE"
            script.append(f"mkdir -p {folder} && cat >{info[1]} <<'{end}'\n" + "\n".join(lines) + f"\n{end}\n")
        elif info == ["console"]:
            for step in commands(start, lines):
                script.append(f"printf '{MARK}{len(steps)}\\n'; {{ {step[1]}\n}} 2>&1")
                steps.append(step)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        done = subprocess.run(["bash", "-c", "\n".join([*script, f"printf '{MARK}'"])], cwd=folder, env=environment(prefix, home),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    said = {int(part.split("\n", 1)[0]): part.split("\n", 1)[1] for part in done.stdout.split(MARK)[1:-1]}
    faults = 0
    for index, (number, command, wanted) in enumerate(steps):
        lines = said.get(index, "(never run)").rstrip("\n").split("\n") if said.get(index, "x") else []
        while wanted and wanted[-1] == "":
            wanted = wanted[:-1]
        if not is_like(wanted, lines):
            faults += 1
            print(f"{page}:{number}: {command}\nprints:\n" + "\n".join(f"    {line}" for line in lines))
    return faults


def main():
    prefix = pathlib.Path(sys.argv[1]).resolve()
    sys.exit(1 if sum(run_page(pathlib.Path(page), prefix) for page in sys.argv[2:]) else 0)


main()
