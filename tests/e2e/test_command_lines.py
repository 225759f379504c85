# SPDX-License-Identifier: Apache-2.0
"""The command lines of our programs: one dialect of errors, help within the terminal, versions."""
import re
import subprocess
import unittest

from support import BUILD, EndToEndTest, HERE

# Their commands, as words of the command line; the empty one is the program.
PROGRAMS = {
    "pegasus-sim": [""],
    "nested-scheduler": [""],
    "pegasusd": [""],
    "pegasusctl": ["", "policies", "policy", "domains", "set", "remove", "attach", "detach", "accelerators", "top", "log", "record",
                   "describe", "freeze", "thaw", "reset", "version"],
    "pegasus": ["", "run", "doctor", "demo"],
}
# A mistyped option and the one that was meant; the command that takes it is in front.
MISTYPED = {
    "pegasus-sim": [(["--polciy", "rr"], "--policy"), (["fig5.2", "--reprot", "x"], "--report")],
    "nested-scheduler": [(["--shwo"], "--show")],
    "pegasusd": [(["--polcy", "rr"], "--policy"), (["--host-memroy=1G"], "--host-memory"), (["--accel", "cuda"], "--accelerator")],
    "pegasusctl": [(["--daemno", "x", "policies"], "--daemon"), (["domains", "--wied"], "--wide"), (["log", "--entires=3"], "--entries")],
    "pegasus": [(["run", "--polcy", "rr", "--", "x"], "--policy"), (["demo", "--polices", "rr"], "--policies"),
                (["doctor", "--verbos", "x"], "--verbose")],
}
# A value that is none, and what the sentence must say besides the option's name.
WRONG_VALUES = {
    "pegasus-sim": [(["--seeds", "0", "x"], "--seeds", "1 to 10000"), ([], "name a scenario"), (["--json", "--csv", "-", "x"], "--csv")],
    "nested-scheduler": [(["--lag", "1"], "--lag", "100us to 1s, such as 2ms"), (["heavy=0"], "heavy=0", "0.001 to 1000")],
    "pegasusd": [(["--tick", "5"], "--tick", "10ms"), (["--runaway", "soon"], "--runaway", "10s"), (["--software-switch", "9s"],
                 "--software-switch", "up to 100ms"), (["--memory", "1"], "--memory", "16M to 1T"), (["--gpu", "0,x"], "--gpu", "0 to 63"),
                 (["--admission", "wiat"], "--admission", "refuse, wait; did you mean wait?"), (["--policy", "none:x=1"], "--policy", "x")],
    "pegasusctl": [(["top", "--interval", "1"], "--interval", "1s"), (["log", "-n", "-1"], "--entries", "whole number")],
    "pegasus": [(["demo", "--duration", "soon"], "--duration", "6s"), (["run", "--credits", "0", "--", "x"], "--credits", "65535"),
                (["doctor", "--time", "5", "x"], "--time", "1s to 3600s")],
}
# An option of a time whose name once had the unit: (words in front, today's name, the unit).
ONCE_WITH_UNIT = {
    "nested-scheduler": [([], "--lag", "ms")],
    "pegasusd": [([], "--tick", "ms"), ([], "--runaway", "ms"), ([], "--module-load", "ms"), ([], "--slice", "us"),
                 ([], "--software-switch", "us")],
    "pegasusctl": [(["record", "x.toml"], "--duration", "seconds")],
    "pegasus": [(["demo"], "--duration", "seconds")],
}
VERSION = re.search(r"project\(pegasus VERSION (\S+)", (HERE.parents[1] / "CMakeLists.txt").read_text())[1]


class CommandLines(EndToEndTest):
    def ended(self, program, *words, status, columns=80):
        process = self.start([BUILD / "bin" / program, *words], environment={**self.environment, "COLUMNS": str(columns)})
        self.assertStatus(process, status, within=20)
        return process

    def refused(self, program, *words):
        """What the program says is wrong, and the lines between it and the last."""
        process = self.ended(program, *words, status=2)
        self.assertEqual(process.out, "")
        first, *middle, last = process.err.splitlines()
        self.assertTrue(first.startswith(f"{program}: "), first)
        self.assertRegex(last, rf"^`{program}( [a-z]+)? --help` says more\.$")
        return first, middle

    def test_unknown_options(self):
        for program in PROGRAMS:
            with self.subTest(program=program):
                first, _ = self.refused(program, "--frobnicate")
                self.assertEqual(first, f'{program}: there is no option "--frobnicate"')
            for words, meant in MISTYPED[program]:
                with self.subTest(program=program, words=words):
                    first, _ = self.refused(program, *words)
                    self.assertRegex(first, rf'there is no option "--[a-z-]+"; did you mean {meant}\?$')

    def test_wrong_values(self):
        for program, cases in WRONG_VALUES.items():
            for words, *expected in cases:
                with self.subTest(program=program, words=words):
                    first, _ = self.refused(program, *words)
                    for text in expected:
                        self.assertIn(text, first)

    def test_options_that_had_a_unit(self):
        for program, cases in ONCE_WITH_UNIT.items():
            for words, today, unit in cases:
                old = f"--{unit}" if unit == "seconds" else f"{today}-{unit}"
                with self.subTest(program=program, old=old):
                    first, middle = self.refused(program, *words, old, "5")
                    self.assertEqual(first, f'{program}: there is no option "{old}"; did you mean {today}?')
                    self.assertRegex(middle[-1], rf"^For example: {today} [0-9.]+(s|ms|us)$")
                    # What it gives as an example is valid.
                    example = middle[-1].removeprefix("For example: ").split()
                    self.assertNotIn(today, self.refused(program, *words, *example, "--frobnicate")[0])

    def test_commands(self):
        first, middle = self.refused("pegasusctl", "domians")
        self.assertEqual(first, 'pegasusctl: there is no command "domians"; did you mean domains?')
        self.assertEqual(middle, [f"The commands are: {', '.join(PROGRAMS['pegasusctl'][1:])}."])
        self.assertEqual(self.refused("pegasus")[0], "pegasus: which command?")
        self.assertEqual(self.refused("pegasusctl", "set")[0], "pegasusctl: DOMAIN is missing")
        self.assertEqual(self.refused("pegasus", "run")[0], "pegasus: there is nothing to run")

    def test_a_file_that_cannot_be_read(self):
        for file in ("/tmp", "/nonexistent"):
            self.assertEqual(self.ended("pegasusctl", "attach", "guest", file, status=2).err, f"pegasusctl: cannot read {file}\n")

    def test_help_fits(self):
        for program, commands in PROGRAMS.items():
            for command in commands:
                words = set()
                for columns in (60, 80, 200):
                    with self.subTest(program=program, command=command, columns=columns):
                        process = self.ended(program, *command.split(), "--help", status=0, columns=columns)
                        self.assertEqual(process.err, "")
                        lines = process.out.splitlines()
                        self.assertTrue(lines[0].startswith(" ".join(f"Usage: {program} {command}".split())), lines[0])
                        self.assertLessEqual(max(map(len, lines)), min(columns, 100))
                        self.assertNotRegex(process.out, r"\b(UINT|INT|TEXT|FLOAT|BOOLEAN)\b|\{|:REQUIRED")
                        words.add(tuple(process.out.split()))
                self.assertEqual(len(words), 1, "the words must not depend on the width")

    def test_versions(self):
        for program in PROGRAMS:
            self.assertEqual(self.ended(program, "--version", status=0).out, f"{program} {VERSION}\n")

    def test_output_that_cannot_be_written(self):
        for program in PROGRAMS:
            for word in ("--help", "--version"):
                with self.subTest(program=program, word=word), open("/dev/full", "w") as full:
                    process = subprocess.run([BUILD / "bin" / program, word], stdout=full, stderr=subprocess.PIPE, text=True)
                    self.assertEqual(process.returncode, 1)
                    self.assertIn(f"{program}: cannot write to standard output", process.stderr)


if __name__ == "__main__":
    unittest.main()
