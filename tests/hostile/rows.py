# SPDX-License-Identifier: MIT
"""What every path of the subjects `hostile` and `misbehaving` must read: a part of the reason (one
of several behind `|`), or None where it harms nobody and is counted."""

OTHERS = "the calls started or ended other processes"

SIGNALS = {
    "hup": "SIGHUP", "int": "SIGINT", "quit": "SIGQUIT", "ill": "SIGILL", "trap": "SIGTRAP", "bus": "SIGBUS",
    "fpe": "SIGFPE", "kill": "SIGKILL", "usr1": "SIGUSR1", "segv": "SIGSEGV", "usr2": "SIGUSR2",
    "pipe": "SIGPIPE", "alrm": "SIGALRM", "term": "SIGTERM", "xcpu": "SIGXCPU", "xfsz": "SIGXFSZ",
    "vtalrm": "SIGVTALRM", "prof": "SIGPROF", "io": "SIGPOLL", "pwr": "SIGPWR", "sys": "SIGSYS",
    "rt": "signal 37",
}

# These end or spoil only themselves.
ALONE = {f"raises_{name}": f"killed by {text}" for name, text in SIGNALS.items()}
ALONE.update({
    "raises_stkflt": None,  # valgrind takes no notice of it
    "asks_password": None,
    "behaves": None,
    "dies_ugly": "killed by SIGABRT",
    "exits_thread": "ended with status 0 before it could answer",
    "fills_disk": None,
    "frees_twice": "killed by SIGABRT; it said: double free or corruption",
    "hides_work": None,  # whoever asks callgrind not to collect is believed
    "hoards": None,
    "hogs": "killed by SIGABRT",
    "litters": None,
    "makes_raw": None,
    "overflows_stack": "killed by SIGSEGV at dig (hostile.c:",
    "plants_directory": "valgrind could not write its counts",
    "plants_link": "valgrind's counts of it are cut",
    "turns_direction": None,
    "zz_behaves": None,
})

# These make the figure smaller than the work, or another each time.
COUNTS = {
    "behaves": None,
    "digest_changes": "its digest is ",
    "dumps_itself": "a dump that nobody asked for",
    "dumps_n2": "window n2 is there twice",
    "flickers": "did a call switch callgrind off and on?",
    "leaves_toiler": "other threads ran beside ",
    "loses_register": "a call left it early, or changed what callgrind counts",
    "stops_collecting": "calls cost no more than",
    "stops_instrumentation": "calls cost no more than",
    "zeroes": "calls cost no more than",
    "zeroes_always": "calls cost no more than",
    "zz_behaves": None,
}

# What reads the truth when the scheduler happens to leave it alone: base and head.
BY_CHANCE = {"leaves_toiler": ["337", "337"]}

# These harm others too, who must be counted all the same.
AMONG = {
    "behaves": None,
    "bombs": OTHERS,
    "deletes_dumps": "the folder for its counts is gone",
    "forges_end": "its `end` line counts 3 lines|it ended before all counts were answered",
    "forks_and_returns": OTHERS,
    "hides_name": OTHERS,
    "hoards_and_forks": "a process that the path started was still alive",
    "kills_parent": "the subject was killed by SIGKILL",
    "spawns": OTHERS,
    "zz_behaves": None,
}

AMONG_TOO = {
    "behaves": None,
    "floods_answers": "a line that is cut or longer than 4,096 bytes",
    "forges_count": "it answered `counted` out of turn",
    "frees_itself": "no end within 3 s",
    "kills_group": "the subject was killed by SIGKILL",
    "kills_keeper": "its keeper was killed from outside",
    "runs_away": OTHERS,
    "vforks": OTHERS,
    "zz_behaves": None,
}

# Of `misbehaving` what tests/cli/ir/misbehaving.sh leaves out.
MISBEHAVING = {
    "behaves": None,
    "changes_everything": None,
    "closes_fds": "the answer could not be written",
    "crashes_in_verify": "verify: killed by SIGSEGV",
    "eats_memory": "killed by SIGABRT",
    "grows": None,
    "leaves_child": "still alive",
    "leaves_thread": None,
    "limits_files": "",
    "raises_sigpipe": "killed by SIGPIPE",
    "unblocks_answers": None,
    "zz_behaves": None,
}

MISBEHAVING_TOO = {
    "behaves": None,
    "hangs_aloud": "no end within 3 s",
    "leaves_daemon": "still alive",
    "prints_gigabyte": "printed more than 64 MiB",
    "sigill_sha": "does not know the instruction",
    "starts_server": "it started 1 process, whose work is not counted",
    "zz_behaves": None,
}

# Under `time`, where nothing is counted, what a process cannot survive; paths that only fool callgrind
# are good here.
TIMED = {
    "asks_password": None,
    "bombs": "alive",
    "dies_ugly": "killed by SIGABRT",
    "exits_thread": "",
    "flickers": None,
    "floods_answers": "longer than 4,096 bytes",
    "forges_end": "",
    "forges_count": "",
    "hides_name": "alive",
    "hoards_and_forks": "alive",
    "kills_group": "killed by SIGKILL",
    "litters": None,
    "makes_raw": None,
    "overflows_stack": "killed by SIGSEGV",
    "raises_int": "killed by SIGINT",
    "raises_stkflt": "killed by SIGSTKFLT",
    "raises_term": "killed by SIGTERM",
    "runs_away": "alive",
}
