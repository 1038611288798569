#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps private redis-servers in a directory of their own, for tests in C and in shell.

Usage: keeper.py [--cluster N] [REDIS-SERVER OPTION...]

Says one line, `ready dir=D socket=D/0.sock ports=P[,P...]`, then obeys lines on standard input, each
answered by `ok`: stop N, cont N (SIGSTOP, SIGCONT), kill N (SIGKILL), start N (again, on the same
port; empty). When standard input ends, however that comes about, servers and directory are gone."""

import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 60


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(port, *words):
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.sendall(b"*%d\r\n" % len(words))
        for word in words:
            text = str(word).encode()
            connection.sendall(b"$%d\r\n%s\r\n" % (len(text), text))
        reply = b""
        while not reply.endswith(b"\r\n"):
            chunk = connection.recv(65536)
            if not chunk:
                break
            reply += chunk
        return reply


class Server:
    def __init__(self, directory, number, options):
        self.socket = directory / f"{number}.sock"
        self.directory = directory / str(number)
        self.directory.mkdir()
        self.options = options
        self.port = 0
        self.process = None

    def command(self):
        fixed = {"port": self.port, "bind": "127.0.0.1", "unixsocket": self.socket, "save": "",
                 "appendonly": "no", "dir": self.directory, "logfile": self.directory / "log",
                 "enable-debug-command": "local", "enable-protected-configs": "local",
                 "daemonize": "no"}
        words = ["redis-server"]
        for name, value in fixed.items():
            words += [f"--{name}", str(value)]
        return words + self.options(self)

    def is_up(self):
        try:
            return ask(self.port, "PING")[:1] in (b"+", b"-")
        except OSError:
            return False

    def run(self):
        self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, preexec_fn=die_with_parent)
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None and time.monotonic() < end:
            if self.is_up():
                return True
            time.sleep(0.005)
        return False

    def start(self):
        if self.port:
            return self.run()
        for _ in range(20):  # another program may take the port in between
            self.port = free_port()
            if self.run():
                return True
        return False

    def send(self, number):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            if number == signal.SIGKILL:
                self.process.wait()


def make_cluster(servers):
    share = 16384 // len(servers)
    for i, server in enumerate(servers):
        last = 16383 if i + 1 == len(servers) else (i + 1) * share - 1
        ask(server.port, "CLUSTER", "ADDSLOTSRANGE", i * share, last)
        ask(server.port, "CLUSTER", "SET-CONFIG-EPOCH", i + 1)
    for server in servers[1:]:
        bus = ask(servers[0].port, "CONFIG", "GET", "cluster-port").split()[-1].decode()
        ask(server.port, "CLUSTER", "MEET", "127.0.0.1", servers[0].port, bus)
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        infos = [ask(s.port, "CLUSTER", "INFO") for s in servers]
        known = b"cluster_known_nodes:%d\r" % len(servers)
        if all(b"cluster_state:ok" in i and known in i for i in infos):
            return True
        time.sleep(0.02)
    return False


def obey(servers):
    actions = {"stop": lambda s: s.send(signal.SIGSTOP), "cont": lambda s: s.send(signal.SIGCONT),
               "kill": lambda s: s.send(signal.SIGKILL), "start": lambda s: s.start()}
    for line in sys.stdin:
        word, number = line.split()
        worked = actions[word](servers[int(number)])
        print("ok" if worked is not False else "failed", flush=True)


def main():
    options = sys.argv[1:]
    count = 0
    if options[:1] == ["--cluster"]:
        count = int(options[1])
        options = options[2:]

    def words(server):
        if not count:
            return options
        return ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
                "--cluster-port", str(free_port())] + options

    if not shutil.which("redis-server"):
        sys.exit("keeper: no redis-server: install the Debian package of that name")
    directory = pathlib.Path(tempfile.mkdtemp(prefix="ckr."))
    servers = [Server(directory, i, words) for i in range(count or 1)]
    try:
        if not all(s.start() for s in servers) or (count and not make_cluster(servers)):
            sys.exit(f"keeper: a redis-server did not start, see the log: {read_logs(directory)}")
        ports = ",".join(str(s.port) for s in servers)
        print(f"ready dir={directory} socket={servers[0].socket} ports={ports}", flush=True)
        obey(servers)
    finally:
        for server in servers:
            server.send(signal.SIGKILL)
        shutil.rmtree(directory, ignore_errors=True)


def read_logs(directory):
    return " | ".join(p.read_text(errors="replace")[-500:] for p in directory.glob("*/log"))


if __name__ == "__main__":
    for ending in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(ending, lambda *_: sys.exit(1))
    os.setpgid(0, 0)  # a terminal's ^C is for the tests; we see that their end of the pipe is gone
    main()
