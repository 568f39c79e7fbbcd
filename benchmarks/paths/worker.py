"""A process that holds one problem and one package, so that any attempt can be cut off."""

import select
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

HERE = Path(__file__).resolve().parent


class Absent(Exception):
    """The package cannot be started here."""


class Worker:
    """Starts on first use and again after an attempt was cut off.

    `rest` keeps its process for the next problem: a package is imported and compiled once.
    """

    idle = {}  # name: process

    def __init__(self, name, folder, shape):
        self.name, self.folder, self.shape, self.process = name, folder, shape, None
        self.version = ""

    def start(self, budget=300):
        """Load the problem, import and warm up; not timed."""
        self.log = open(self.folder / f"{self.name}.log", "w+")
        self.process = Worker.idle.pop(self.name, None)
        if self.process is None:
            self.process = self.launched()
        else:
            self.process.stdin.write(f"{self.folder}\n")
            self.process.stdin.flush()
        answer = self.answer(budget)
        if not answer or not answer.startswith("ready"):
            self.stop()
            lines = (self.folder / f"{self.name}.log").read_text().strip().splitlines()
            reason = lines[-1] if lines else "no answer while starting"
            raise Absent(f"{self.name} does not start: {reason}")
        self.version = answer.split()[1]

    def launched(self):
        """A process of the package, which says that it is ready."""
        script = [sys.executable, HERE / "peers.py", self.name, self.folder]
        if self.name == "glmnet":
            script = ["Rscript", "--vanilla", HERE / "glmnet.R", self.folder]
        try:
            return subprocess.Popen(script, text=True, stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=self.log)  # fmt: skip
        except FileNotFoundError as error:
            raise Absent(f"{script[0]} is not installed") from error

    def rest(self):
        """Keep our process for the next problem, if it runs."""
        if self.process is not None:
            Worker.idle[self.name], self.process = self.process, None

    def answer(self, budget):
        """The next line of the process; None when the budget has passed; "" when it died."""
        ready, _, _ = select.select([self.process.stdout], [], [], budget)
        return self.process.stdout.readline() if ready else None

    def run(self, tol, n_lambdas, budget):
        """(wall seconds, cpu seconds, csc (p, L)), or None when cut off or not complete."""
        if self.process is None:
            self.start()
        out = self.folder / "answer"
        self.process.stdin.write(f"{tol!r}\t{n_lambdas}\t{out}\n")
        self.process.stdin.flush()
        begun = time.perf_counter()
        answer = self.answer(budget + 5)
        if not answer:
            self.stop()
            return None
        wall, cpu = map(float, answer.split())
        parts = {k: np.fromfile(f"{out}.{k}", d) for k, d in
                 (("data", float), ("indices", np.int32), ("indptr", np.int32))}
        complete = parts["indptr"].size == n_lambdas + 1
        if not complete or min(wall, time.perf_counter() - begun) > budget:
            return None
        B = sparse.csc_matrix((parts["data"], parts["indices"], parts["indptr"]),
                              (self.shape[1], n_lambdas))
        return wall, cpu, B

    def stop(self):
        """End our own process, if it runs."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
