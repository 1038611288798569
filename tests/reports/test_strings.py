#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fifty hostile texts in every place of a report that takes free text, through every writer: none may
reach Markdown, HTML, a terminal or JSON as anything but text.

Usage: tests/reports/test_strings.py CKBENCH"""

import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from honest import document, equal, path, seal, side  # noqa: E402

TEXTS = [
    "a|b", "||", "\\|", "`a`", "``", "a`b", "```\nx\n```", "<img src=x onerror=alert(1)>", "</code>", "</td></tr>",
    "<!-- marker -->", "-->", "<script>alert(1)</script>", "@everyone", "@org/team", "#1", "owner/repo#12", "GH-7",
    "a\nb", "a\r\nb", "\n\n# Title", "\u202egnp.exe", "\u2066a\u2069", "\u200fa", "\u0000"[:0] + "\u0001\u001b[31mred",
    "\u009b31m", "\u2028x", "[x](javascript:alert(1))", "![x](http://x/y.png)", "http://x.y/z", "www.example.com",
    "a@b.example", "**bold**", "__x__", "_a_", "~~x~~", "- item", "1. item", "> quote", "&lt;b&gt;", "&#64;me", "$(id)",
    "`$(id)`", "$x^2$", ":smile:", "%n%s%p", "{{7*7}}", "${{ secrets.X }}", "'\"><svg/onload=1>", "\ufeffx", " lead",
    "trail ", "a  b", "\u00e9\u4e2d\U0001f600", "../../etc/passwd", "--flag", "::error::x", "\\", "x" * 3000,
    "operator<<(std::ostream&, T&&)", "{lambda()#1}",
]


def shown(text, most):
    """As it is to be read: printable ASCII, a byte each, cut."""
    data = text.encode()[:most]
    return "".join(chr(b) if 32 <= b < 127 else "?" for b in data)


def made(text, k):
    reasons = [text] * 2
    parts = [equal("decode"), path("error", None, None, error=text or "x"),
             path("key", side(1020, own=4), side(1000, own=4), reasons)]
    return seal(document(parts, shard=f"{k}/2", run=text[:50] or "r", unproven=text or "x",
                         fingerprint={"producers": [text], "valgrind": text[:30], "arch": text[:20],
                                      "cpuid": text, "tunables": text,
                                      "objects": [{"name": text[:60], "build_id": text[:60]}]}))


CODE = re.compile(r"`([^`\n]*)`|<code>((?:[^<>`|@\n]|&#\d+;)*)</code>")


def read_markdown(text):
    """Texts shown as code, and what is left of the page without them."""
    found = [m[1] if m[1] is not None else html.unescape(m[2]) for m in CODE.finditer(text)]
    return found, CODE.sub("", text)


def check_markdown(text, wanted):
    found, rest = read_markdown(text)
    rest = rest.replace("<sub>", "").replace("</sub>", "").replace("[shard 2](https://x.y/z)", "")
    stray = re.search(r".{,20}([<>`@#!\\$~&]|\bhttp).{,20}", rest)
    if stray or not text.isascii() or re.search(r"[\0-\x09\x0b-\x1f\x7f]", text):
        return f"Markdown outside of code: {stray}"
    rows = [line for line in text.splitlines() if line.startswith("|")]
    if any(line.count("|") != 9 for line in rows):
        return "a table row was torn"
    for element in (m[2] for m in CODE.finditer(text) if m[2]):
        if re.search(r"[@#|\\$!*_~\[\]`]|https?:|www\.", re.sub(r"&#\d+;", "", element)):
            return f"markup inside {element[:60]}"
    return None if wanted in found else f"{wanted[:40]!r} is not to be read: {found[:6]}"


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.codes, self.inside = set(), [], False

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.inside = tag == "code"
        if self.inside:
            self.codes.append("")
        assert all(k in ("lang", "charset", "http-equiv", "content", "class", "rel", "href") for k, _ in attrs), attrs

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.codes[-1] += data


TAGS = {"html", "head", "meta", "title", "style", "body", "h1", "h3", "p", "ul", "li", "code", "table", "thead",
        "tbody", "tr", "th", "td", "footer", "span", "a"}


def check_page(text, wanted):
    page = Page()
    page.feed(text)
    if page.tags - TAGS or not text.isascii() or "<!--" in text:
        return f"HTML: {page.tags - TAGS}"
    if "default-src 'none'; style-src 'sha256-" not in text:
        return "no policy"
    return None if wanted in page.codes else f"{wanted[:40]!r} is not in the page"


def check_text(text, _):
    return None if text.isascii() and not re.search(r"[\0-\x09\x0b-\x1f\x7f]", text) else "bytes for the terminal"


def check_json(text, wanted):
    paths = {p["name"]: p for p in json.loads(text)["body"]["paths"]}
    return None if paths["key"]["reasons"][0] == wanted else f"JSON: {paths['key']['reasons']}"


def check_form(text, _):
    json.loads(text)
    return None if text.isascii() else "not ASCII"


FORMS = ((["--markdown"], check_markdown), ([], check_text), (["--json"], check_json),
         (["--format", "bencher"], check_form), (["--format", "github-action-benchmark"], check_form))


def judge(ckbench, folder, text):
    file = folder / "shard.json"
    file.write_text(made(text, 1))
    wanted = shown(text, 399)
    if not wanted:
        return []
    wrong = []
    for options, check in FORMS:
        done = subprocess.run([ckbench, "report", "shard.json", *options, "--html", "page.html", "--shard-link",
                               "2=https://x.y/z"], cwd=folder, capture_output=True, timeout=60, check=False)
        if done.returncode != 3 or (done.stderr and not done.stderr.isascii()):
            wrong.append(f"exit {done.returncode}: {done.stderr!r}")
            continue
        wrong.append(check(done.stdout.decode(), wanted))
    wrong.append(check_page((folder / "page.html").read_text(), wanted))
    return [f"{text[:40]!r}: {w}" for w in wrong if w]


def main():
    ckbench = os.path.realpath(sys.argv[1])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="strings-"))
    wrong = [w for text in TEXTS for w in judge(ckbench, folder, text)]
    shutil.rmtree(folder)
    print(*wrong, sep="\n")
    print(f"{len(TEXTS)} texts, {len(wrong)} wrong")
    sys.exit(1 if wrong or len(TEXTS) < 50 else 0)


main()
