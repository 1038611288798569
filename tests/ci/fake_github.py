# SPDX-License-Identifier: MIT
"""As much of GitHub's API as ci/comment speaks to: pull requests, their files, the jobs of a run, and
comments, which it keeps. Listens on a free port of this machine, from a thread; faults can be ordered."""

import http.server
import json
import re
import threading
import urllib.parse

BOT = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
BODY_MAX = 65536


class FakeGitHub:
    def __init__(self, repository, token):
        self.repository, self.token = repository, token
        self.reset()
        state = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_any(self):
                state.answer(self)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def reset(self):
        self.heads, self.files, self.jobs = {}, {}, {}
        self.comments, self.requests, self.faults = [], [], []
        self.next_id, self.after = 1000, None

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def fail(self, method, path, *acts):
        """The next requests that fit are answered by `acts`, one each: (status, headers, bytes), or a
        function of the handler; None: as usual."""
        self.faults.append((method, re.compile(path), list(acts)))

    def add_comment(self, number, body, user):
        self.next_id += 1
        self.comments.append({"id": self.next_id, "number": number, "body": body, "user": user})
        return self.next_id

    def bodies(self, number, user=None):
        wanted = user or BOT
        return [one["body"] for one in self.comments if one["number"] == number and one["user"] == wanted]

    def writes(self):
        return [method for method, _ in self.requests if method != "GET"]

    # ---- one request ----

    def answer(self, handler):
        length = int(handler.headers.get("content-length") or 0)
        body = json.loads(handler.rfile.read(length)) if length else None
        url = urllib.parse.urlsplit(handler.path)
        self.requests.append((handler.command, handler.path))
        for method, path, acts in self.faults:
            if method == handler.command and path.search(handler.path) and acts:
                act = acts.pop(0)
                if callable(act):
                    return act(handler, lambda: self.route(handler.command, url, body))
                if act is not None:
                    return send(handler, *act)
        if handler.headers.get("authorization") != f"Bearer {self.token}":
            return send(handler, 401, {}, b'{"message": "Bad credentials"}')
        status, answer = self.route(handler.command, url, body)
        send(handler, status, {}, json.dumps(answer).encode())
        if self.after:
            self.after(handler.command, url.path)
        return None

    def route(self, method, url, body):
        query = dict(urllib.parse.parse_qsl(url.query))
        prefix = f"/repos/{self.repository}/"
        path = url.path[len(prefix) :] if url.path.startswith(prefix) else "?"
        for wanted, pattern, act in self.routes():
            match = re.fullmatch(pattern, path)
            if method == wanted and match:
                return act(*map(int, match.groups()), query, body)
        return 404, {"message": "Not Found"}

    def routes(self):
        return [
            ("GET", r"pulls/(\d+)", self.get_pull),
            ("GET", r"pulls/(\d+)/files", lambda number, query, _: page(self.files.get(number, []), query)),
            ("GET", r"actions/runs/(\d+)/attempts/(\d+)/jobs", self.get_jobs),
            ("GET", r"issues/(\d+)/comments", self.get_comments),
            ("POST", r"issues/(\d+)/comments", self.post_comment),
            ("PATCH", r"issues/comments/(\d+)", self.patch_comment),
        ]

    def get_pull(self, number, *_):
        if number not in self.heads:
            return 404, {"message": "Not Found"}
        return 200, {"number": number, "head": {"sha": self.heads[number]}}

    def get_jobs(self, run, attempt, query, _):
        status, jobs = page(self.jobs.get((run, attempt), []), query)
        return status, {"total_count": len(jobs), "jobs": jobs}

    def get_comments(self, number, query, _):
        return page([one for one in self.comments if one["number"] == number], query)

    def post_comment(self, number, _, body):
        if number not in self.heads:
            return 404, {"message": "Not Found"}
        if not is_body(body):
            return 422, {"message": "Validation Failed"}
        return 201, {"id": self.add_comment(number, body["body"], BOT)}

    def patch_comment(self, known, _, body):
        for one in self.comments:
            if one["id"] == known:
                if one["user"] != BOT:
                    return 403, {"message": "Forbidden"}
                if not is_body(body):
                    return 422, {"message": "Validation Failed"}
                one["body"] = body["body"]
                return 200, {"id": known}
        return 404, {"message": "Not Found"}


def is_body(body):
    return isinstance(body, dict) and set(body) == {"body"} and 0 < len(body["body"]) <= BODY_MAX


def page(items, query):
    size, number = int(query.get("per_page", 30)), int(query.get("page", 1))
    return 200, items[(number - 1) * size : number * size]


def send(handler, status, headers, data):
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def drop(handler, _):
    """The connection ends without an answer."""
    handler.close_connection = True


def do_and_drop(handler, act):
    """What was asked is done, but the answer is lost."""
    act()
    handler.close_connection = True
