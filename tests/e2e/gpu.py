# SPDX-License-Identifier: Apache-2.0
"""The GPU backend (domA/device/cuda), without a GPU: the CUDA driver that it loads is our own libcuda.so.1, whose
device is another pegasusd's software accelerator, behind a library that needs of its host what NVIDIA's driver does.
What passes here passes through the driver API."""
import os

from support import BUILD, EndToEndTest, workload
from waiting import wait_until

NEIGHBOURS = {"good1": [workload("throttle"), "--seconds", "1"], "good2": [workload("histogram")]}

OUR_DRIVER = BUILD / "lib" / "libcuda.so.1"
WRAPPED_DRIVER = BUILD / "lib" / "wrapped_driver" / "libwrapped_driver.so"


class Gpu(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.device = self.start_daemon(name="device", policy="none", options=["--accelerator", "software"])
        self.device.serve_everybody()

    def on_the_device(self, **more):
        """The environment of a process that uses the device below."""
        return dict(self.environment, PEGASUS_SOCKET=os.path.join(self.device.directory, "guest.sock"),
                    PEGASUS_DOMAIN="gpu", **more)

    def start_gpu_daemon(self, name="daemon", policy="accc", options=(), wrapped={}, under=(), driver=WRAPPED_DRIVER):
        """`wrapped`: how the driver misbehaves (tests/support/wrapped_driver)."""
        return self.start_daemon(name=name, policy=policy, under=under,
                                 environment=self.on_the_device(CUDA_WRAPPED_DRIVER=str(OUR_DRIVER), **wrapped),
                                 options=["--accelerator", "cuda", "--cuda-driver", driver, "--driver-files",
                                          f"{BUILD / 'lib'}:{self.device.directory}", *options])

    def check_all_is_given_back(self, daemon):
        daemon.wait_until_clean()
        wait_until(lambda: not self.device.tasks("gpu"), 10, "no context is left on the device")
