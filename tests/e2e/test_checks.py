# SPDX-License-Identifier: Apache-2.0
"""The static checks of ci/ fail where they are to: on trees made for each test."""
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CI = Path(__file__).parents[2] / "ci"


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "ci").mkdir()
        shutil.copy(CI / "tree.py", self.root / "ci")

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_code(self, *lines):
        code = "\n".join(["import sys", f"sys.path.insert(0, {str(self.root / 'ci')!r})", "import tree", *lines])
        return subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True)

    def check(self, name):
        shutil.copy(CI / name, self.root / "ci")
        return subprocess.run([sys.executable, "-B", self.root / "ci" / name], capture_output=True, text=True)


class PathsTest(Tree):
    REPORT = "sys.exit(tree.Report('check').end('done'))"

    def test_folders_and_globs_select(self):
        self.write("gate/gate.h")
        answer = self.run_code("paths = tree.Paths('owner', 'gate/', '*.py')",
                               "print([name in paths for name in ('gate/gate.h', 'gates/a.h', 'ci/tree.py')])", self.REPORT)
        self.assertEqual((answer.returncode, answer.stdout), (0, "[True, False, True]\ncheck: ok (done)\n"))

    def test_a_pattern_that_selects_no_file_is_a_finding(self):
        answer = self.run_code("tree.Paths('ci/owner', 'ci/', 'moved/', 'ci/no_*.py')", self.REPORT)
        self.assertEqual(answer.returncode, 1)
        self.assertEqual(answer.stdout.splitlines()[:-1], ["ci/owner:1: 'moved/' selects no file of the tree",
                                                           "ci/owner:1: 'ci/no_*.py' selects no file of the tree"])

    def test_the_checks_use_them(self):
        for check, folder in (("check-purity", "domA/ring/"), ("check-words", "LICENSES/"), ("check-spdx", "xen-patches/abi/"),
                              ("check-includes", "domA/guests/xen/")):
            answer = self.check(check)
            self.assertEqual(answer.returncode, 1, check)
            self.assertIn(f"'{folder}' selects no file of the tree", answer.stdout)


class Sizes(Tree):
    def check_with(self, exceptions):
        source = (CI / "check-sizes").read_text()
        begin, end = source.index("EXCEPTIONS = {"), source.index("\n}\n") + 3
        self.write("ci/check-sizes", source[:begin] + f"EXCEPTIONS = {exceptions}\n" + source[end:])
        return subprocess.run([sys.executable, "-B", self.root / "ci" / "check-sizes"], capture_output=True, text=True)

    def test_a_file_and_a_function_at_the_limit_are_right(self):
        self.write("a.cpp", "namespace n {\nint f() {\n" + "  g();\n" * 58 + "}\n}\n" + "\n" * 237)
        self.assertEqual(self.check_with({}).returncode, 0)

    def test_longer_ones_are_findings(self):
        self.write("a.cpp", "struct S {\n  void f(int a = {}) const {\n    if (a) {\n    }\n" + "    g();\n" * 57 + "  }\n};\n" + "\n" * 240)
        answer = self.check_with({})
        self.assertEqual(answer.returncode, 1)
        self.assertEqual(answer.stdout.splitlines()[:-1], ["a.cpp:1: the file has 303 lines; at most 300",
                                                           "a.cpp:1: f has 61 lines; at most 60"])
        self.assertEqual(self.check_with({"a.cpp": "a table", "a.cpp f": "a table"}).returncode, 0)

    def test_an_exception_that_is_not_needed_is_a_finding(self):
        self.write("a.cpp", "int f() { return 1; }\n")
        answer = self.check_with({"a.cpp f": "a table"})
        self.assertEqual(answer.returncode, 1)
        self.assertIn("'a.cpp f' is not too long", answer.stdout)


class Torn(Tree):
    def test_a_comment_that_tears_a_declaration_is_a_finding(self):
        shutil.copy(CI / "torn.py", self.root / "ci")
        self.write("torn.h", "struct S {\n  std::vector<int>\n      wake; // those that are asleep\n};\n")
        self.write("right.h", "struct S {\n  // those that are asleep\n  std::vector<int> wake;\n  int a = f(1,\n            2); // more\n};\n")
        command = [sys.executable, "-B", self.root / "ci" / "torn.py", "right.h"]
        self.assertEqual(subprocess.run(command).returncode, 0)
        answer = subprocess.run([*command, "torn.h"], capture_output=True, text=True)
        self.assertEqual(answer.returncode, 1)
        self.assertEqual(answer.stdout, "torn.h:2: the comment tears what it explains: it stands better above\n")


class Titles(Tree):
    def git(self, *words):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, capture_output=True)

    def commit(self, title):
        self.git("commit", "-q", "--allow-empty", "-m", title)

    def test_without_history_nothing_is_checked(self):
        answer = self.check("check-titles")
        self.assertEqual(answer.returncode, 0)
        self.assertIn("checked nothing", answer.stdout)

    def test_titles_since_the_check_are_judged(self):
        shutil.copy(CI / "check-titles", self.root / "ci")
        self.git("init", "-q")
        self.commit("gate: old titles are as they are, keeps them")
        self.git("add", "ci/check-titles")
        self.commit("adds the check")
        self.commit("gate: keep a lease for 2 s")
        self.commit("Stop where a test has failed")
        self.assertEqual(self.check("check-titles").returncode, 0)
        for title, fault in (("gate: keeps a lease", "'keeps': say"), ("Stopped early", "'stopped': say"),
                             ("ring: splitting of requests", "'splitting': say"), ("keep it", "neither a capital"),
                             ("gate: " + "k" * 67, "73 columns")):
            self.commit(title)
            answer = self.check("check-titles")
            self.assertEqual(answer.returncode, 1, title)
            self.assertIn(fault, answer.stdout)


class Abi(Tree):
    """What a release may not change of the protocol of the one before."""
    PROTOCOL = "frontend/protocol/"

    def setUp(self):
        super().setUp()
        for folder in (self.PROTOCOL, "tests/abi", "domA/ring"):
            shutil.copytree(CI.parent / folder, self.root / folder, ignore=shutil.ignore_patterns("*.md"))
        shutil.copy(CI / "abi_release.py", self.root / "ci")
        shutil.copy(CI / "check-abi", self.root / "ci")

    def run_check(self, *options):
        return subprocess.run([sys.executable, "-B", self.root / "ci/check-abi", *options], capture_output=True, text=True)

    def replace(self, name, *changes):
        text = (CI.parent / self.PROTOCOL / name).read_text()
        for before, after in changes:
            self.assertIn(before, text)
            text = text.replace(before, after, 1)
        self.write(self.PROTOCOL + name, text)

    def update_after(self, name, *changes):
        """Changes a header, and what tests/abi/layout.c says with it: only the comparison with the release is left to fail."""
        self.replace(name, *changes)
        answer = self.run_check("--update")
        shutil.copy(CI.parent / self.PROTOCOL / name, self.root / self.PROTOCOL)
        return answer

    def assertFinding(self, answer, *faults):
        self.assertEqual(answer.returncode, 1, answer.stdout + answer.stderr)
        for fault in faults:
            self.assertIn(fault, answer.stdout)

    def test_the_tree_is_right(self):
        answer = self.run_check()
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)

    def test_a_field_that_moves_shrinks_or_is_renamed_is_a_finding(self):
        for before, after, fault in (
                ("uint64_t image_bytes; uint32_t image_kind; uint32_t reserved;",
                 "uint32_t image_kind; uint32_t reserved; uint64_t image_bytes;", "pegasus_module_begin_request.image_bytes was at 0"),
                ("struct pegasus_memory_free_request { uint64_t address; };",
                 "struct pegasus_memory_free_request { uint32_t address; uint32_t more; };",
                 "pegasus_memory_free_request.address was at 0, 8 bytes"),
                ("struct pegasus_memory_info_reply { uint64_t free_bytes; uint64_t total_bytes; };",
                 "struct pegasus_memory_info_reply { uint64_t free_bytes; uint64_t all_bytes; };",
                 "pegasus_memory_info_reply.total_bytes was at 8"),
                ("struct pegasus_memory_info_reply { uint64_t free_bytes; uint64_t total_bytes; };",
                 "struct pegasus_memory_info_reply { uint64_t free_bytes; };", "had 16 bytes in release 1, and has 8")):
            with self.subTest(fault):
                self.assertFinding(self.update_after("calls.h", (before, after)), fault)

    def test_reserved_bytes_may_get_names(self):
        answer = self.update_after("channel.h", ("uint8_t reserved3[48];", "uint32_t news; uint8_t reserved3[44];"))
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        self.assertFinding(self.update_after("channel.h", ("uint32_t poll_ns;", "uint32_t news;")), "poll_ns was at 204")

    def test_calls_and_the_handshake_may_grow_at_their_end(self):
        answer = self.update_after("calls.h", ("struct pegasus_memory_free_request { uint64_t address; };",
                                               "struct pegasus_memory_free_request { uint64_t address; uint64_t flags; };"))
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        answer = self.update_after("handshake.h", ("uint64_t host_window_bytes;",
                                                   "uint64_t host_window_bytes;\n  uint64_t more;"))
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)

    def test_what_grows_beyond_its_place_is_a_finding(self):
        for before, after, fault in (
                ("struct pegasus_memory_free_request { uint64_t address; };",
                 "struct pegasus_memory_free_request { uint64_t address; uint64_t more[14]; };", "has 120 and may have 112 at most"),
                ("struct pegasus_memory_allocate_reply { uint64_t address; };",
                 "struct pegasus_memory_allocate_reply { uint64_t address; uint64_t more[6]; };", "has 56 and may have 48 at most"),
                ("uint8_t fill;\n  uint8_t mode;\n};", "uint8_t fill;\n  uint8_t mode;\n  uint64_t more;\n};",
                 "struct pegasus_tensor_map had 288 bytes in release 1, has 296 and may not grow"),
                # its parameters follow it in the slot
                ("struct pegasus_graph_add_request { uint64_t graph; uint32_t call; uint32_t reserved; };",
                 "struct pegasus_graph_add_request { uint64_t graph; uint32_t call; uint32_t reserved; uint64_t more; };",
                 "struct pegasus_graph_add_request had 16 bytes in release 1, has 24 and may not grow")):
            with self.subTest(fault):
                self.assertFinding(self.update_after("calls.h", (before, after)), fault)

    def test_calls_keep_their_rows(self):
        row = "CALL(12,  MEMORY_INFO,            memory_info,            SYNC,   OWN,   NO_HANDLE)"
        for after in (row.replace("12, ", "99, "), row.replace("SYNC", "POSTED"), row.replace("OWN", "ALL"),
                      row.replace("MEMORY_INFO", "MEMORY_FACTS"), row.replace("NO_HANDLE", "HANDLE(STREAM, reserved)"), ""):
            with self.subTest(after):
                self.assertFinding(self.update_after("calls.h", (row, after)), "call MEMORY_INFO was [12, 'memory_info', 'SYNC'")

    def test_new_calls_are_the_last_ones(self):
        calls = (self.root / "frontend/protocol/calls.h").read_text()
        last, newest = re.search(r"^  CALL\((\d+),[^\\\n]*$", calls, re.M).group(0, 1)  # no row continues this one
        for number, right in ((int(newest) + 1, True), (0, False), (256, True)):
            answer = self.update_after("calls.h", (last, last + f" \\\n CALL({number}, NEWS, memory_info, SYNC, OWN, NO_HANDLE)"))
            if right:
                self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
            else:
                self.assertFinding(answer, "call NEWS has the number 0")
        self.assertFinding(self.update_after("calls.h", (last, last + " \\\n CALL(12, NEWS, memory_info, SYNC, OWN, NO_HANDLE)")),
                           "call NEWS has the number 12", "two calls have one number")

    def test_what_version_1_wrote_stays_as_it_was(self):
        table = (self.root / "domA/ring/version_1.h").read_text()
        self.assertIn("ROW(12, 8)", table)
        self.write("domA/ring/version_1.h", table.replace("ROW(12, 8)", "ROW(12, 16)"))
        self.assertFinding(self.run_check(), "the requests of version 1 differ from tests/abi/releases/1.json: calls [12]")

    def test_an_enumerator_keeps_its_value(self):
        self.assertFinding(self.update_after("handshake.h", ("PEGASUS_CLOSE_WORKER = 3", "PEGASUS_CLOSE_WORKER = 5")),
                           "PEGASUS_CLOSE_WORKER was 3 in release 1")

    def test_a_change_raises_the_version_by_one(self):
        more = ("#define PEGASUS_PROTOCOL_VERSION 2u", "#define PEGASUS_PROTOCOL_VERSION 3u")
        self.assertFinding(self.update_after("channel.h", more), "PEGASUS_PROTOCOL_VERSION is 3: the last release's is 1")
        less = ("#define PEGASUS_PROTOCOL_VERSION 2u", "#define PEGASUS_PROTOCOL_VERSION 1u")
        self.assertFinding(self.update_after("channel.h", less), "PEGASUS_PROTOCOL_VERSION becomes 2")

    def test_a_release_is_described_once_its_version_is(self):
        answer = self.run_check("--release", "7")
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("PEGASUS_PROTOCOL_VERSION is 2, not 7", answer.stderr)
        for words in (["init", "-q"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a"]):
            subprocess.run(["git", "-C", self.root, *words], check=True, capture_output=True)
        answer = self.run_check("--release", "2")
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        self.assertFinding(self.update_after("channel.h", ("uint32_t poll_ns;", "uint32_t news;")), "in release 2")
        (self.root / "tests/abi/releases/1.json").unlink()
        self.assertFinding(self.run_check(), "tests/abi/releases/1.json:1: it is missing, and PEGASUS_PROTOCOL_OLDEST is 1")
        (self.root / "tests/abi/releases/2.json").unlink()
        self.assertFinding(self.run_check(), "no release is described here")


@unittest.skipUnless(platform.machine() == "x86_64" and shutil.which("hardening-check"),
                     "hardening-check (Debian's devscripts) is missing, or this is not an x86-64")
class Hardening(Tree):
    WHOLE = ("-O2", "-fPIE", "-pie", "-fstack-protector-strong", "-fstack-clash-protection", "-fcf-protection",
             "-D_FORTIFY_SOURCE=3", "-Wl,-z,relro", "-Wl,-z,now")
    PROGRAM = """#include <stdio.h>
#include <string.h>
int main(int count, char** words) { char text[20000]; strcpy(text, words[0]); puts(text); return count; }"""

    def check_built_with(self, *options, name="program"):
        (self.root / "build").mkdir(exist_ok=True)
        program = self.root / "build" / name
        subprocess.run(["cc", *self.WHOLE, *options, "-x", "c", "-", "-o", program], input=self.PROGRAM, text=True, check=True)
        self.write("build/cmake_install.cmake",
                   f'file(INSTALL DESTINATION "${{CMAKE_INSTALL_PREFIX}}/bin" TYPE PROGRAM FILES "{program}")\n')
        return self.check("check-hardening")

    def test_whole(self):
        answer = self.check_built_with()
        self.assertEqual((answer.returncode, answer.stdout), (0, "check-hardening: ok (1 programs and libraries)\n"))

    def test_an_exception_that_is_not_needed(self):
        answer = self.check_built_with("-shared", "-fPIC", name="libnvrtc.so.13")
        self.assertEqual(answer.returncode, 1, answer.stdout + answer.stderr)
        self.assertIn("the exception of libnvrtc.so.13, Fortify Source functions, is not needed", answer.stdout)
        self.assertIn("1 finding(s)", answer.stdout)

    def test_an_option_is_taken_out(self):
        for lacks, *options in (("Position Independent Executable", "-fno-pie", "-no-pie"),
                                ("Stack protected", "-fno-stack-protector"),
                                ("Fortify Source functions", "-U_FORTIFY_SOURCE"),
                                ("Read-only relocations", "-Wl,-z,norelro"),
                                ("Immediate binding", "-Wl,-z,lazy"),
                                ("Stack clash protection", "-fno-stack-clash-protection"),
                                ("Control flow integrity", "-fcf-protection=none")):
            with self.subTest(lacks):
                answer = self.check_built_with(*options)
                self.assertEqual(answer.returncode, 1, answer.stdout + answer.stderr)
                self.assertIn(f"bin/program: {lacks}: ", answer.stdout)
                self.assertIn("1 finding(s)", answer.stdout)


if __name__ == "__main__":
    unittest.main()
