# SPDX-License-Identifier: Apache-2.0
"""Python programs that call the driver API by ctypes, as tinygrad does."""
import unittest

from support import BUILD, EndToEndTest, python


class PythonClient(EndToEndTest):
    def check(self, program):
        self.assertStatus(program, 0)
        self.assertEqual(program.out.splitlines(), ["capability 7.5", "PASS"], str(program))
        self.assertEqual(program.err, "")

    def test_under_pegasus_run(self):
        self.check(self.run_privately(*python("client_saxpy.py")))

    def test_large_copies_and_many_launches(self):
        # 3 MiB: more than the call buffer's arena holds at once.
        self.check(self.run_privately(*python("client_saxpy.py", "786432", "20")))

    def test_by_library_path_alone(self):
        daemon = self.start_daemon()
        self.check(self.start(python("client_saxpy.py"), environment=daemon.environment_of_guest("py")))
        self.assertIn("py", daemon.domains())
        daemon.wait_until_clean()

    def test_without_a_daemon(self):
        environment = dict(self.environment, LD_LIBRARY_PATH=str(BUILD / "lib"))
        program = self.start(python("client_saxpy.py"), environment=environment)
        self.assertStatus(program, 1, within=10)
        self.assertIn("cuInit: CUDA error 100", program.err)  # CUDA_ERROR_NO_DEVICE
        self.assertIn("start pegasusd", program.err)


if __name__ == "__main__":
    unittest.main()
