"""A terminal for tests of the program."""

import fcntl
import os
import pty
import struct
import termios

import pytest


def open_terminal():
    """A terminal's two ends; skips where the system has none to give, as some containers do not."""
    try:
        return pty.openpty()
    except OSError as error:
        pytest.skip(str(error))


def read_terminal(terminal):
    """All that is written to a terminal until the other end is closed."""
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the program has closed its side
            piece = b""
        if not piece:
            os.close(terminal)
            return seen
        seen += piece


def resize(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
