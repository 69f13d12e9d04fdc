# SPDX-License-Identifier: Apache-2.0
"""What a run could leave behind: processes of stages, file descriptors, shared memory."""

import os
import time


def stage_processes(of_parent=None):
    """Ids of all processes of stages on this machine, or only children of one process."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    is_stage = b"partita.running.stage_process" in file.read()
                with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            if is_stage and of_parent in (None, parent):
                found.append(int(entry))
    return found


def descriptors():
    """How many files this process has open."""
    return len(os.listdir("/proc/self/fd"))


def memory_files():
    """Shared memory of ours that this process has open."""
    links = []
    for entry in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink(f"/proc/self/fd/{entry}"))
        except OSError:
            continue
    return [link for link in links if "memfd:partita" in link]


def all_gone(pids, seconds=10):
    """Whether the processes end in time. (Those of a parent that is gone are no zombies: somebody reaps them.)"""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not any(_runs(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False
