# SPDX-License-Identifier: Apache-2.0
"""Listens where a daemon would, as the user that runs it, and says what it is told: one line for each connection.

usage: impostor.py DIRECTORY"""
import os
import select
import socket
import sys

listeners = []
for name, kind in (("guest.sock", socket.SOCK_SEQPACKET), ("control.sock", socket.SOCK_STREAM),
                   ("status.sock", socket.SOCK_STREAM)):
    listeners.append(socket.socket(socket.AF_UNIX, kind))
    path = os.path.join(sys.argv[1], name)
    listeners[-1].bind(path)
    os.chmod(path, 0o666)
    listeners[-1].listen()
print("ready", flush=True)
while True:
    for ready in select.select(listeners, [], [])[0]:
        connection, _ = ready.accept()
        with connection:
            print("told", len(connection.recv(4096)), flush=True)
