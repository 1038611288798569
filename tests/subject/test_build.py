#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Building a subject: C++11, several files, a main() of its own, a static program, the build stamp,
and what the kit refuses. Arguments: CC CXX CMAKE KIT-SOURCE KIT-LIBRARY [FLAG...]"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from subject_run import run

CC, CXX, CMAKE, SOURCE, LIBRARY = sys.argv[1:6]
FLAGS = sys.argv[6:]

# Neither a person's settings nor a hook that runs the tests may lead git elsewhere.
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
CLEAN.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")

WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror".split()
C11 = ["-std=c11", "-Wstrict-prototypes", "-Wmissing-prototypes"]

ONE_FILE = """
#include <ckbench/subject.h>
static int state;
static void *setup(void) { return &state; }
static void op(void *x) { ++*(int *)x; }
static int verify(void *x) { return *(int *)x == 0; }
static void teardown(void *x) { *(int *)x = 0; }
CKBENCH_PATH(NAME, "about it", setup, op, verify, teardown)
"""

CXX_FILE = """
#include <ckbench/subject.h>
#include <vector>
namespace {
void *setup() { return new std::vector<int>(); }
void op(void *state) { static_cast<std::vector<int> *>(state)->push_back(1); }
int verify(void *state) { return static_cast<std::vector<int> *>(state)->empty(); }
void teardown(void *state) { delete static_cast<std::vector<int> *>(state); }
uint64_t digest(void *state) { return static_cast<std::vector<int> *>(state)->size(); }
void step(void *state) { op(state); }
const char *const shapes[] = {"small", "json-1m", nullptr};
const ckbench_phase phases[] = {{"push", step}, {nullptr, nullptr}};
const ckbench_extra extra = {shapes, nullptr, phases, nullptr, digest, 1, nullptr};
}
CKBENCH_PATH(pushes, "a vector that grows", setup, op, verify, teardown)
CKBENCH_PATH_EX(pushes_more, "the same, more said", setup, op, verify, teardown, &extra)
"""

FAULTY = """
#include <ckbench/subject.h>
static void op(void *state) { (void)state; }
static void step(void *state) { (void)state; }
static const char *const words[] = {WORDS, NULL};
static const struct ckbench_phase phases[] = {{PHASE, step}, {NULL, NULL}};
static const struct ckbench_extra extra = {.shapes = words, .phases = phases};
static const void *const unused[] = {(const void *)&extra, (const void *)op, (const void *)unused};
PATHS
CKBENCH_MAIN
"""

GOOD_PATH = 'CKBENCH_PATH_EX(good, "x", NULL, op, NULL, NULL, &extra)'
OLD_PATH = """
static struct ckbench_path old = {8, "old_one", "x", NULL, op, NULL, NULL, NULL, NULL};
__attribute__((constructor)) static void enter(void) { ckbench_register(&old); }
"""

# What PATHS, WORDS and PHASE are; None where the subject is good.
REFUSALS = [
    (GOOD_PATH, '"a"', '"b"', None),
    (GOOD_PATH, ", ".join(f'"{i}"' for i in range(16)), '"b"', None),
    (f"CKBENCH_PATH({'n' * 64}, \"{'x' * 200}\", NULL, op, NULL, NULL)", '"a"', '"b"', None),
    (f"CKBENCH_PATH({'n' * 65}, \"x\", NULL, op, NULL, NULL)", '"a"', '"b"', "has a name that"),
    (f"CKBENCH_PATH(n, \"{'x' * 201}\", NULL, op, NULL, NULL)", '"a"', '"b"', "200 bytes"),
    ('CKBENCH_PATH(Upper, "x", NULL, op, NULL, NULL)', '"a"', '"b"', "'Upper' has a name that"),
    ('CKBENCH_PATH(n, "x", NULL, NULL, NULL, NULL)', '"a"', '"b"', "'n' has no op"),
    ('CKBENCH_PATH(ckbench_self_ir, "x", NULL, op, NULL, NULL)', '"a"', '"b"', "self-test"),
    (GOOD_PATH, '"a_b"', '"b"', "'good' has shapes"),
    (GOOD_PATH, ", ".join(f'"{i}"' for i in range(17)), '"b"', "at most 16"),
    (GOOD_PATH, '"a"', '"B"', "'good' has shapes"),
    (GOOD_PATH, '"a"', '""', "'good' has shapes"),
    (OLD_PATH, '"a"', '"b"', "another version of ckbench/subject.h"),
]


TERRAIN = """
#include <ckbench/terrain.h>
static const char *const words[] = {WORDS};
static int state;
static void *open_it(const struct ckbench_terrain_setup *setup)
{ return setup->callers == 1 ? &state : NULL; }
static int call(void *x, const struct ckbench_ask *ask) { ++*(int *)x; return ask->key > 100; }
TERRAINS
CKBENCH_MAIN
"""
GOOD_TERRAIN = 'CKBENCH_TERRAIN(good, "x", words, open_it, call, NULL, NULL)'

# What WORDS and TERRAINS are; None where the subject is good.
TERRAIN_REFUSALS = [
    ('"l1", "miss", NULL', GOOD_TERRAIN, None),
    (", ".join(f'"{i}"' for i in range(8)) + ", NULL", GOOD_TERRAIN, None),
    (", ".join(f'"{i}"' for i in range(9)) + ", NULL", GOOD_TERRAIN, "'good' has layers"),
    ("NULL", GOOD_TERRAIN, "'good' has layers"),
    ('"l1", "l1", NULL', GOOD_TERRAIN, "'good' has layers"),
    ('"unattributed", NULL', GOOD_TERRAIN, "'good' has layers"),
    ('"l_1", NULL', GOOD_TERRAIN, "'good' has layers"),
    ('"l1", NULL', GOOD_TERRAIN.replace("good", "Upper"), "'Upper' has a name that"),
    ('"l1", NULL', GOOD_TERRAIN.replace("good", "ckbench_self_null"), "self-test"),
    ('"l1", NULL', GOOD_TERRAIN.replace("call", "NULL"), "'good' has no open or no call"),
    ('"l1", NULL', GOOD_TERRAIN.replace('"x"', f"\"{'x' * 201}\""), "200 bytes"),
]


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def tool(self, *command, **more):
        done = subprocess.run(
            command, env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
        )
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
        return done.stdout

    def compile(self, compiler, name, text, *flags):
        out = self.path(name.partition(".")[0] + ".o")
        include = f"-I{SOURCE}/include"
        self.tool(compiler, *flags, *FLAGS, include, "-c", self.write(name, text), "-o", out)
        return out

    def c(self, name, text):
        return self.compile(CC, name, text, *C11, *WARNINGS)

    def link(self, compiler, *parts):
        program = self.path("subject")
        self.tool(compiler, *FLAGS, *parts, LIBRARY, "-lm", "-o", program)
        return program

    def names(self, program):
        answer = run([program, "list"])
        self.assertEqual(answer.status, 0, answer.err)
        return [line["name"] for line in answer.of("path")]


class Programs(Folder):
    def test_several_files_make_one_subject(self):
        first = self.c("first.c", ONE_FILE.replace("NAME", "zeta") + "CKBENCH_MAIN\n")
        second = self.c("second.c", ONE_FILE.replace("NAME", "alpha"))
        self.assertEqual(self.names(self.link(CC, first, second)), ["alpha", "zeta"])

    def test_a_file_in_a_library_that_nothing_refers_to_is_not_there(self):
        first = self.c("first.c", ONE_FILE.replace("NAME", "zeta") + "CKBENCH_MAIN\n")
        second = self.c("second.c", ONE_FILE.replace("NAME", "alpha"))
        archive = self.path("libpaths.a")
        self.tool("ar", "rcs", archive, second)
        self.assertEqual(self.names(self.link(CC, first, archive)), ["zeta"])
        whole = [first, "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive"]
        self.assertEqual(self.names(self.link(CC, *whole)), ["alpha", "zeta"])

    def test_paths_in_a_shared_library_are_there(self):
        first = self.c("first.c", ONE_FILE.replace("NAME", "zeta") + "CKBENCH_MAIN\n")
        text = ONE_FILE.replace("NAME", "alpha")
        second = self.compile(CC, "second.c", text, *C11, *WARNINGS, "-fPIC")
        shared = self.path("libpaths.so")
        self.tool(CC, *FLAGS, "-shared", second, "-o", shared)
        parts = [first, "-Wl,--no-as-needed", shared, f"-Wl,-rpath,{self.folder}"]
        self.assertEqual(self.names(self.link(CC, *parts)), ["alpha", "zeta"])

    def test_a_name_that_the_compiler_defines_is_taken_as_written(self):
        text = "#define alpha 1\n" + ONE_FILE.replace("NAME", "alpha") + "CKBENCH_MAIN\n"
        self.assertEqual(self.names(self.link(CC, self.c("first.c", text))), ["alpha"])

    def test_cxx_compiles_it_without_a_word(self):
        for standard in ("c++11", "c++20"):
            flags = [f"-std={standard}", *WARNINGS]
            if standard == "c++11":
                text = CXX_FILE + "CKBENCH_MAIN\n"
            else:
                text = CXX_FILE + (
                    "int main(int argc, char **argv)\n"
                    "{ return ckbench_main(argc, argv, CKBENCH_COMPILER); }\n"
                )
            program = self.link(CXX, self.compile(CXX, "paths.cc", text, *flags))
            self.assertEqual(self.names(program), ["pushes", "pushes_more"])
            more = run([program, "list"]).of("path")[1]
            self.assertEqual(more["shapes"], ["small", "json-1m"])
            self.assertEqual((more["phases"], more["threads"]), (["push"], True))
            answer = run([program, "count", "pushes_more,2,3,4,5"])
            (line,) = answer.of("counted")
            self.assertEqual(line["digest"], "000000000000000c")

    @unittest.skipIf(FLAGS, "sanitizers do not link statically")
    def test_a_static_program_is_a_subject_too(self):
        text = ONE_FILE.replace("NAME", "alone") + "CKBENCH_MAIN\n"
        program = self.link(CC, "-static", self.c("alone.c", text))
        self.assertEqual(self.names(program), ["alone"])
        answer = run([program, "count", "alone,1,1,1,1"])
        self.assertEqual(len(answer.of("counted")), 1, answer.raw)

    def test_a_faulty_subject_names_its_fault(self):
        for paths, words, phase, fault in REFUSALS:
            with self.subTest(paths=paths[:60], words=words[:30], phase=phase):
                text = FAULTY.replace("PATHS", paths).replace("WORDS", words)
                text = text.replace("PHASE", phase)
                program = self.link(CC, self.compile(CC, "faulty.c", text, *C11))
                answer = run([program, "list"])
                if fault is None:
                    self.assertEqual(answer.status, 0, answer.err)
                else:
                    self.assertEqual((answer.status, answer.raw), (2, b""))
                    self.assertIn(fault, answer.err)

    def test_a_faulty_terrain_names_its_fault(self):
        for words, terrains, fault in TERRAIN_REFUSALS:
            with self.subTest(words=words[:30], terrains=terrains[:60]):
                text = TERRAIN.replace("WORDS", words).replace("TERRAINS", terrains)
                answer = run([self.link(CC, self.compile(CC, "t.c", text, *C11)), "list"])
                if fault is None:
                    self.assertEqual([x["name"] for x in answer.of("terrain")], ["good"])
                else:
                    self.assertEqual((answer.status, answer.raw), (2, b""))
                    self.assertIn(fault, answer.err)

    def test_a_terrain_of_cxx_runs(self):
        text = TERRAIN.replace("WORDS", '"l1", "l2", NULL').replace("TERRAINS", GOOD_TERRAIN)
        program = self.link(CXX, self.compile(CXX, "t.cc", text, "-std=c++11", *WARNINGS))
        answer = run([program, "terrain", "good", "clock=virtual", "calls=1000"])
        self.assertEqual(answer.status, 0, answer.err)
        self.assertEqual(answer.of("terrain_end")[0]["calls"], 1000)

    def test_odd_text_stays_one_line_of_json(self):
        table = (
            (r'quote \" back \\ tab \t bell \a', 'quote " back \\ tab \ufffd bell \ufffd'),
            (r"\303\251 \342\202\254 \360\237\230\200", "\u00e9 \u20ac \U0001f600"),
            (r"\377\200 \300\200 \340\200\200 \355\240\200 \364\220\200\200", None),
        )
        for written, read in table:
            about = f'"{written}"'
            text = ONE_FILE.replace('"about it"', about).replace("NAME", "odd") + "CKBENCH_MAIN\n"
            answer = run([self.link(CC, self.c("odd.c", text)), "list"])
            about = answer.of("path")[0]["about"]
            if read is None:
                self.assertRegex(about, "\\A[\ufffd ]+\\Z")
            else:
                self.assertEqual(re.sub("[\t\a]", "\ufffd", about), read)

    def test_a_path_twice_is_refused(self):
        first = self.c("first.c", ONE_FILE.replace("NAME", "alpha") + "CKBENCH_MAIN\n")
        second = self.c("second.c", ONE_FILE.replace("NAME", "alpha"))
        answer = run([self.link(CC, first, second), "list"])
        self.assertEqual((answer.status, answer.raw), (2, b""))
        self.assertIn("path 'alpha' is there twice", answer.err)


STAMPED = """
cmake_minimum_required(VERSION 3.25)
project(stamped LANGUAGES C)
include({source}/stamp.cmake)
add_executable(stamped lib/stamped.c)
target_include_directories(stamped PRIVATE {source}/include)
target_compile_options(stamped PRIVATE {flags})
target_link_options(stamped PRIVATE {flags})
target_link_libraries(stamped PRIVATE {library} m)
ckbench_stamp(stamped)
"""


class Stamp(Folder):
    def git(self, *arguments):
        person = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.org"]
        return self.tool("git", *person, *arguments, cwd=self.folder).strip()

    def build(self, *options):
        self.tool(CMAKE, "-G", "Ninja", "-S", self.folder, "-B", self.path("build"), *options)
        return self.rebuild()

    def rebuild(self):
        self.tool(CMAKE, "--build", self.path("build"))
        return run([self.path("build/stamped"), "list"]).of("subject")[0]

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("lib"))
        text = STAMPED.format(source=SOURCE, library=LIBRARY, flags=" ".join(FLAGS))
        self.write("CMakeLists.txt", text)
        self.write("lib/stamped.c", ONE_FILE.replace("NAME", "stamped") + "CKBENCH_MAIN\n")
        self.write(".gitignore", "build/\n")

    def test_commit_and_differences_are_of_the_moment_of_the_build(self):
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-qm", "one")
        flags = '-DQ="a??/b"'
        options = [f"-DCMAKE_C_COMPILER={CC}", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_C_FLAGS={flags}"]
        subject = self.build(*options)
        self.assertEqual(subject["commit"], self.git("rev-parse", "HEAD"))
        self.assertEqual(subject["dirty"], [])
        self.assertEqual(subject["flags"], f"{flags} -O3 -DNDEBUG")
        self.assertRegex(subject["compiler"], r"^(gcc|clang) \d+\.\d+\.\d+$")
        odd = 'lib/a "b"; [c] \\d é.c'
        self.write(odd, "")
        self.write("lib/plain;$x.c", "")
        self.write("beside.txt", "")
        subject = self.rebuild()
        self.assertEqual(len(subject["dirty"]), 2, subject)
        self.assertEqual(sorted(subject["dirty"]), sorted([odd, "lib/plain;$x.c"]))
        self.git("add", ".")
        self.git("commit", "-qm", "two")
        subject = self.rebuild()
        self.assertEqual(subject["commit"], self.git("rev-parse", "HEAD"))
        self.assertEqual(subject["dirty"], [])

    def test_a_build_without_a_change_builds_nothing(self):
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-qm", "one")
        self.build(f"-DCMAKE_C_COMPILER={CC}")
        before = os.stat(self.path("build/stamped")).st_mtime_ns
        self.rebuild()
        self.assertEqual(os.stat(self.path("build/stamped")).st_mtime_ns, before)

    def test_outside_a_repository_the_commit_is_unknown(self):
        subject = self.build(f"-DCMAKE_C_COMPILER={CC}")
        self.assertIsNone(subject["commit"])
        self.assertEqual(subject["dirty"], [])

    def test_a_tree_in_somebody_elses_repository_has_no_commit_of_its_own(self):
        self.git("init", "-q")
        self.write("other", "")
        self.git("add", "other")
        self.git("commit", "-qm", "not this tree")
        self.assertIsNone(self.build(f"-DCMAKE_C_COMPILER={CC}")["commit"])

    def test_without_git_the_commit_is_unknown(self):
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-qm", "one")
        subject = self.build(f"-DCMAKE_C_COMPILER={CC}", "-DCKBENCH_GIT=/nowhere/git")
        self.assertIsNone(subject["commit"])

    def test_more_differences_than_fit_are_counted(self):
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-qm", "one")
        for i in range(100):
            self.write(f"lib/{'n' * 40}{i}.c", "")
        subject = self.build(f"-DCMAKE_C_COMPILER={CC}")
        self.assertGreater(len(subject["dirty"]), 10)
        self.assertEqual(len(subject["dirty"]) + subject["dirty_more"], 100)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
