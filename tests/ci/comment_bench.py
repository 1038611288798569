# SPDX-License-Identifier: MIT
"""One pull request, a fake GitHub, and ci/comment run against both, for the tests of ci/comment."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import shutil
import sys

import fake_github
import shard_reports

OWNER = "some-one/some.thing"
HEAD, MERGE, BASE = "1" * 40, "2" * 40, "3" * 40
TOKEN = "ghs_thisIsTheToken0123456789abcdefghij"
NUMBER, RUN, ATTEMPT, SHARDS = 7, 4242, 1, 4
KEY = f"{RUN}-{ATTEMPT}"
USER = {"login": "stranger", "id": 99, "type": "User"}
SERVER = "https://github.example"


def load(source):
    loader = importlib.machinery.SourceFileLoader("comment_script", str(source / "ci" / "comment"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("comment_script", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def honest(shard, paths=None, head=MERGE, base=BASE, run=KEY, shards=SHARDS):
    """The report of one shard of a run in which nothing moved."""
    paths = paths or [shard_reports.a_path(f"path_{shard}_{n}", 1000 * shard + n, 1000 * shard + n) for n in range(3)]
    return shard_reports.report(f"{shard}/{shards}", head, base, run, paths)


class Bench:
    def __init__(self, source, ckbench, work):
        self.script, self.ckbench, self.work = load(source), ckbench, pathlib.Path(work)
        self.github = fake_github.FakeGitHub(OWNER, TOKEN)
        self.said = ""  # everything that was ever printed
        self.reset()

    def reset(self):
        self.github.reset()
        self.github.heads[NUMBER] = HEAD
        self.github.files[NUMBER] = [{"filename": "lib/src/base/num.h"}]
        self.github.jobs[(RUN, ATTEMPT)] = [
            {"id": 500 + k, "name": f"Instruction budget (shard {k}/{SHARDS})", "html_url": "https://evil.example"}
            for k in range(1, SHARDS + 1)
        ]
        self.reports = self.work / "reports"
        if self.reports.is_symlink():
            self.reports.unlink()
        shutil.rmtree(self.reports, ignore_errors=True)
        self.event = {
            "number": NUMBER,
            "pull_request": {
                "number": NUMBER,
                "title": "@everyone <img src=x>",
                "head": {"sha": HEAD, "ref": "$(id)", "repo": {"full_name": OWNER}},
                "base": {"sha": BASE, "ref": "main", "repo": {"full_name": OWNER}},
            },
        }
        self.environment = {
            "GITHUB_EVENT_PATH": str(self.work / "event.json"), "GITHUB_REPOSITORY": OWNER, "GITHUB_SHA": MERGE,
            "GITHUB_RUN_ID": str(RUN), "GITHUB_RUN_ATTEMPT": str(ATTEMPT), "GITHUB_API_URL": self.github.url,
            "GITHUB_SERVER_URL": SERVER, "BASE_COMMIT": BASE, "GITHUB_TOKEN": TOKEN, "PATH": os.environ["PATH"],
        }

    def folder(self, shard):
        path = self.reports / f"instruction-budget-shard-{shard}"
        path.mkdir(parents=True, exist_ok=True)
        return path

    def file(self, shard):
        return self.folder(shard) / f"shard-{shard}.json"

    def put(self, shard, document=None, **lie):
        """The report of a shard: bytes as they are, or a document."""
        document = honest(shard) if document is None else document
        data = document if isinstance(document, bytes) else shard_reports.text(document, **lie)
        self.file(shard).write_bytes(data)

    def put_all(self, but=()):
        for shard in range(1, SHARDS + 1):
            if shard not in but:
                self.put(shard)

    def arguments(self, ckbench=None, shards=SHARDS):
        return ["--ckbench", str(ckbench or self.ckbench), "--reports", str(self.reports),
                "--shards", str(shards), "--patience", "0"]

    def run(self, **how):
        """Exit status and the bot's comments."""
        (self.work / "event.json").write_text(json.dumps(self.event))
        out = io.StringIO()
        was = dict(os.environ), sys.argv
        os.environ.clear()
        os.environ.update(self.environment)
        sys.argv = ["comment", *self.arguments(**how)]
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                code = self.script.main()
        except SystemExit as end:
            code = end.code
        finally:
            os.environ.clear()
            os.environ.update(was[0])
            sys.argv = was[1]
        self.out = out.getvalue()
        self.said += self.out
        return code, self.github.bodies(NUMBER)
