# SPDX-License-Identifier: Apache-2.0
"""Steady load: domains in which verified programs follow one another until the test says stop."""
import threading


class Load:
    """`with Load(daemon, {"name": command, ...}):` keeps one program running in each domain; every one must pass.

    Programs come and go all the time, so whatever a test does meanwhile also meets arrivals and departures."""

    def __init__(self, daemon, commands):
        self._daemon = daemon
        self._stop = threading.Event()
        self._failures = []
        self.finished = {domain: 0 for domain in commands}
        self._threads = [threading.Thread(target=self._keep_running, args=item) for item in commands.items()]

    def _keep_running(self, domain, command):
        while not self._stop.is_set():
            program = self._daemon.run(command, domain=domain)
            try:
                program.ended(within=60)
                if program.passed():
                    self.finished[domain] += 1
                    continue
                self._failures.append(f"in domain {domain}: {program}")
            except AssertionError as error:
                self._failures.append(str(error))
            finally:
                program.close()
            return

    def check(self):
        if self._failures:
            raise AssertionError("a neighbour did not verify: " + "\n".join(self._failures)
                                 + f"\n{self._daemon.log}")

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        for domain in self.finished:
            self._daemon.wait_for_task(domain)
        return self

    def __exit__(self, kind, value, trace):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        if kind is None:
            self.check()
            idle = [domain for domain, count in self.finished.items() if count == 0]
            if idle:
                raise AssertionError(f"no program finished in {idle}")
