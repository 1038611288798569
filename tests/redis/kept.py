# SPDX-License-Identifier: MIT
"""A private redis-server for a test in Python, through keeper.py."""

import pathlib
import subprocess
import sys

try:
    import redis
except ImportError:
    sys.exit(f"kept: redis is missing for {sys.executable}; ci/setup installs python3-redis for Debian's Python")


class Kept:
    def __init__(self):
        keeper = pathlib.Path(__file__).with_name("keeper.py")
        self.process = subprocess.Popen([keeper], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        words = self.process.stdout.readline().split()
        assert words[:1] == ["ready"], "keeper.py gave up"
        self.port = int(dict(word.split("=") for word in words[1:])["ports"])
        self.url = f"redis://127.0.0.1:{self.port}"

    def client(self):
        return redis.Redis(port=self.port)

    def tell(self, action):
        self.process.stdin.write(f"{action} 0\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ok\n", action

    def calls(self, command):
        with self.client() as client:
            return client.info("commandstats").get(f"cmdstat_{command}", {"calls": 0})["calls"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
