# SPDX-License-Identifier: Apache-2.0
"""Loads a shared object as a module and calls its main(): MODULE [ARGUMENT...]"""
import ctypes
import os
import sys

arguments = [os.fsencode(word) for word in sys.argv[1:]]
module = ctypes.CDLL(sys.argv[1])
sys.exit(module.main(len(arguments), (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None)))
