# SPDX-License-Identifier: Apache-2.0
"""What the command-line tests share: running the programs, and small workloads made on the spot.

The programs' paths come in the environment: PARTITA and PARTITA_CHECK. PARTITA_SLACK multiplies the time allowed
where a test measures time (sanitizers slow a program down)."""

import fcntl
import json
import os
import pty
import random
import shutil
import struct
import subprocess
import tempfile
import termios
import threading
import time
import unittest

PARTITA = os.environ.get("PARTITA", "partita")
PARTITA_CHECK = os.environ.get("PARTITA_CHECK", "partita-check")
SLACK = float(os.environ.get("PARTITA_SLACK", "1"))


def node(node_id, time=1.0, **fields):
    return {"id": node_id, "fpgaLatency": time, "cpuLatency": 10 * time, "size": 1.0, "supportedOnFpga": True,
            "isBackwardNode": False} | fields


def edge(source, target, cost=0.0):
    return {"sourceId": source, "destId": target, "cost": cost}


def workload(nodes, edges, accelerators=2, memory=1e9, hosts=1, **fields):
    platform = {"maxFPGAs": accelerators, "maxSizePerFPGA": memory, "maxCPUs": hosts}
    return platform | {"nodes": nodes, "edges": edges} | fields


def chain(length=4, **fields):
    """Nodes of time 1 in a row, outputs of cost 0.1: on two accelerators, length/2 + 0.1 is optimal."""
    return workload([node(10 * i) for i in range(length)], [edge(10 * i, 10 * i + 10, 0.1) for i in range(length - 1)],
                    name="chain", **fields)


def wide_graph(layers=12, width=40, seed=7):
    """Layers of unlike nodes, each fed by three of the layer before: far more ideals than any search can visit."""
    rng = random.Random(seed)
    nodes = [node(i, rng.uniform(1, 10)) for i in range(layers * width)]
    edges = []
    for layer in range(1, layers):
        for place in range(width):
            for source in rng.sample(range(width), 3):
                edges.append(edge((layer - 1) * width + source, layer * width + place, 0))
    cost = [rng.uniform(0.5, 5) for _ in nodes]
    for e in edges:
        e["cost"] = cost[e["sourceId"]]
    return workload(nodes, edges, accelerators=6, name="wide")


class CliTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="partita-cli-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        """A file in the test's folder; what is not text or bytes is written as JSON."""
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        with open(self.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def read_json(self, name):
        return json.loads(self.read(name))

    def run_program(self, *arguments, code=0, program=PARTITA, stdin=b"", stdout=subprocess.PIPE):
        """Runs a program and expects an exit code. Returns its (stdout, stderr)."""
        done = subprocess.run([program, *arguments], input=stdin, stdout=stdout, stderr=subprocess.PIPE, timeout=300,
                              check=False)
        out = (done.stdout or b"").decode()
        err = done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{arguments}\nstdout: {out}\nstderr: {err}")
        return out, err

    def run_on_terminal(self, *arguments, columns=80, environment=None, signals=(), code=0, both=False):
        """Runs the program with a terminal as stderr, or as stdout too. `signals` are (seconds, signal) pairs to send.
        Returns (stdout, what the terminal got)."""
        terminal, program_side = pty.openpty()
        fcntl.ioctl(program_side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        seen = []

        def listen():
            while True:
                try:
                    text = os.read(terminal, 65536)
                except OSError:  # how a pseudo-terminal says that the other side has closed
                    return
                if not text:
                    return
                seen.append(text)

        process = subprocess.Popen([PARTITA, *arguments], stdout=program_side if both else subprocess.PIPE,
                                   stderr=program_side, stdin=subprocess.DEVNULL,
                                   env=os.environ | {"TERM": "xterm", "LC_ALL": "C.UTF-8"} | (environment or {}))
        os.close(program_side)
        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        for seconds, number in signals:
            time.sleep(seconds)
            process.send_signal(number)
        out, _ = process.communicate(timeout=300)
        listener.join(timeout=60)
        os.close(terminal)
        shown = b"".join(seen).decode()
        self.assertEqual(process.returncode, code, f"{arguments}\nterminal: {shown}")
        return (out or b"").decode(), shown

    def assert_refused(self, code, *arguments, mentions=(), program=PARTITA, stdin=b""):
        """The program fails with this code and one line on stderr that mentions these texts."""
        out, err = self.run_program(*arguments, code=code, program=program, stdin=stdin)
        self.assertEqual(out, "")
        self.assertTrue(err.startswith("partita") and err.endswith("\n"), err)
        self.assertEqual(err.count("\n"), 1, f"not one line: {err}")
        for text in mentions:
            self.assertIn(text, err)
        return err

    def assert_legal(self, workload_path, split_path, *options):
        for program in ([PARTITA, "check"], [PARTITA_CHECK]):
            self.run_program(*program[1:], workload_path, split_path, *options, program=program[0])


def main():
    unittest.main(verbosity=2)
