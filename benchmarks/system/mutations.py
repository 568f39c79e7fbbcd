"""Do the tests see a planted fault? mutations.py [COUNT] [--seed S] [--under FOLDER] [--kind py].

Mutation testing: COUNT faults (300) are drawn at random from the package's source, Python and
compiled, and planted one at a time in a scratch copy of this tree:

    a comparison or a sign is flipped, two terms swap (min and max, and and or, + and -, * and /),
    a number moves (0 to 1, 1 to 2, any other doubles), a `not` goes, an increment is dropped

A compiled file is built again. Then one process runs test files until a test fails: the file that
mirrors the source first, then those that name the function or the module, then the room and the
laws, up to a budget of processor seconds; the rest of the suite only with --whole. A fault is
*caught* by the first test that fails, or that takes two minutes, or it *survives*. Some faults
change nothing (a tolerance, an order of sums): survivors are read by a person. Kept as JSON lines,
so that a run before a change of the tests and one after it, with the same seed, are compared:

    python benchmarks/system/mutations.py 300 --out before.jsonl
    python benchmarks/system/mutations.py 300 --out after.jsonl --compare before.jsonl

--again FILE plants the survivors of an earlier run. The tree must be built in place.
"""

import argparse
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tokenize
from pathlib import Path

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

import pytest  # noqa: E402
import scipy.linalg  # noqa: E402, F401
import sklearn.base  # noqa: E402, F401

ROOT = Path(__file__).resolve().parents[2]
SWAPS = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "+": "-", "-": "+",
         "*": "/", "/": "*", "and": "or", "or": "and", "min": "max", "max": "min", "not": "",
         "True": "False", "False": "True"}  # fmt: skip
# Lines without a computation: declarations, imports, signatures, messages.
IDLE = re.compile(r"\s*(import|from|cimport|def|class|cdef (?!.*=)|@|raise|#|\"|')")


def tokens(text):
    """Return (kind, string, line, start, end) of the tokens of a Python or Cython text."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            found.append((token.type, token.string, token.start[0], token.start[1], token.end[1]))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        pass  # what tokenize cannot read of Cython ends the list; the lines before it serve
    return found


def mutated(kind, word, line):
    """Return what stands in place of a token, or None if nothing does."""
    if kind == tokenize.NUMBER and re.fullmatch(r"\d+(\.\d*)?(e-?\d+)?|\.\d+", word):
        return {"0": "1", "1": "2", "0.0": "1.0"}.get(word, f"({word} * 2)")
    if word in ("+=", "-="):
        return f"{word} 0 *"
    if word in ("*", "-") and re.search(r"[(,=\[]\s*$", line):  # unpacking, or a sign
        return "+" if word == "-" else None
    return SWAPS.get(word)


def sites(file):
    """Return the faults that can be planted in a file: (line, start, end, old, new)."""
    text = file.read_text()
    lines, found = text.splitlines(), []
    for kind, word, row, start, end in tokens(text):
        if kind not in (tokenize.OP, tokenize.NUMBER, tokenize.NAME):
            continue
        line = lines[row - 1]
        if IDLE.match(line):
            continue
        new = mutated(kind, word, line[:start])
        if new is not None:
            found.append((row, start, end, word, new))
    return found


def drawn(count, seed, under, kind):
    """Return `count` faults (file, site) drawn from the sites of all files under a folder."""
    files = sorted(p for p in (ROOT / under).rglob("*") if p.suffix in (".py", ".pyx"))
    files = [file for file in files if kind in ("", file.suffix[1:])]
    every = [(str(file.relative_to(ROOT)), site) for file in files for site in sites(file)]
    return random.Random(seed).sample(every, min(count, len(every)))


def enclosing(tree, file, row):
    """Return the names of the functions and classes around a line of a file."""
    found, depth = [], 1000
    for line in reversed((tree / file).read_text().splitlines()[:row]):
        head = re.match(r"(\s*)(?:def|class|cp?def .*?|cdef class)\s*\b(\w+)\s*[(:]", line)
        if head and len(head[1]) < depth:
            found, depth = [*found, head[2]], len(head[1])
    return [name for name in found if not name.startswith("__")]


def suites(tree, file, row, whole):
    """Return the test files to try for a fault in `file`, the likeliest to see it first."""
    room, stem = Path(*Path(file).parts[1:]).parent, Path(file).stem
    names = [re.compile(rf"\b{re.escape(name)}\b") for name in enclosing(tree, file, row)]
    module = ".".join(Path(file).with_suffix("").parts)
    scores = {}
    for test in sorted((tree / "tests").rglob("test_*.py")):
        text, place = test.read_text(), test.relative_to(tree / "tests").parent
        score = 8 * (test.stem == f"test_{stem}") + 4 * sum(bool(n.search(text)) for n in names)
        score += 2 * (module in text) + (place == room) + (str(place) == "laws") / 2
        score += (str(room) + "/").startswith(f"{place}/") / 4
        if score or whole:
            scores[str(test.relative_to(tree))] = (-score, len(text))
    return sorted(scores, key=scores.get)


class Budget:
    """Plugin of pytest: ends with 98 once `seconds` of processor time are spent, and by a signal
    where one test takes two minutes, which compiled loops get too.
    """

    def __init__(self, seconds):
        self.seconds = seconds

    def pytest_runtest_logstart(self, nodeid, location):
        if time.process_time() > self.seconds:
            pytest.exit("the budget is spent", returncode=98)
        print("at", nodeid, flush=True)
        signal.setitimer(signal.ITIMER_PROF, 120.0)


def run_tests(tree, tests, seconds):
    """Run test files, two at a time as collecting them costs, until one fails; return the code."""
    os.chdir(tree)
    os.environ["PYTHONPATH"] = str(tree)
    sys.path.insert(0, str(tree))
    sys.dont_write_bytecode, sys.pycache_prefix, code = False, str(tree.parent / "pyc"), 0
    while tests and code in (0, 5):
        now, tests = tests[:2], tests[2:]
        code = pytest.main(["-x", "-q", "-s", "--tb=no", "-p", "no:cacheprovider", *now],
                           plugins=[Budget(seconds)])  # fmt: skip
    return int(code)


def tested(tree, tests, seconds):
    """Return (exit code, output) of the tests, run in a fork, which has slow imports already."""
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            try:
                code = run_tests(tree, tests, seconds)
                sys.stdout.flush()
            finally:
                os._exit(code if "code" in locals() else 1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        return code, out.read().decode(errors="replace")


def judged(tree, file, site, whole, seconds):
    """Plant one fault; return how it was caught, or "survived"."""
    row, start, end, _, new = site
    path, compiled = tree / file, Path(file).suffix == ".pyx"
    kept = keep(tree, file)
    lines = path.read_text().splitlines(keepends=True)
    lines[row - 1] = lines[row - 1][:start] + new + lines[row - 1][end:]
    try:
        path.write_text("".join(lines))
        build = [sys.executable, "setup.py", "build_ext", "--inplace"]
        if compiled and subprocess.run(build, cwd=tree, capture_output=True).returncode:
            return "does not compile"
        tests = suites(tree, file, row, whole)
        code, output = tested(tree, tests, seconds)
        if code in (0, 98):
            return "survived"
        at = re.findall(r"^at (\S.*)$", output, re.M)
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.M)
        how = "" if failed else " (takes longer)" if code < 0 else f" (code {code})"
        return failed[1] if failed else f"{at[-1] if at else 'collection'}{how}"
    finally:
        for place, (bytes_, times) in kept.items():  # as they were, so that nothing is built again
            place.write_bytes(bytes_)
            os.utime(place, ns=times)


def keep(tree, file):
    """Return the bytes and times of a source file and of what was built from it."""
    path = tree / file  # the build in place is a copy of the one in build/lib
    built = [*path.parent.glob(f"{path.stem}.*.so"), *tree.glob(f"build/lib*/{file[:-4]}.*.so"),
             tree / "build/cython" / f"{file[:-4]}.c"]  # fmt: skip
    places = [path, *built] if path.suffix == ".pyx" else [path]
    return {p: (p.read_bytes(), (p.stat().st_atime_ns, p.stat().st_mtime_ns))
            for p in places if p.exists()}  # fmt: skip


def copied():
    """Return a scratch copy of this tree with what is built in it."""
    tree = Path(tempfile.mkdtemp(prefix="mutations_")) / "tree"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", "_build", "*.pyc"))
    return tree


def compared(before, found):
    """Print the faults that were caught in an earlier run and survive now."""
    known = {(r["file"], *r["site"]): r["by"] for r in map(json.loads, open(before))}
    lost = [r for r in found if r["by"] == "survived"
            and known.get((r["file"], *r["site"]), "survived") != "survived"]  # fmt: skip
    for r in lost:
        print("no longer caught:", r["file"], *r["site"], "by", known[(r["file"], *r["site"])])
    print(f"{len(lost)} of {len(found)} faults are no longer caught")


def main():
    """Draw, plant, judge, print."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("count", type=int, nargs="?", default=300)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--under", default="sparsesolve")
    asked.add_argument("--whole", action="store_true", help="survivors meet the whole suite, too")
    asked.add_argument("--kind", default="", choices=["", "py", "pyx"])
    asked.add_argument("--again", metavar="FILE", help="the survivors of an earlier run")
    asked.add_argument("--seconds", type=float, default=200.0, help="of processor, for one fault")
    asked.add_argument("--out", default="mutations.jsonl")
    asked.add_argument("--compare", metavar="FILE")
    asked = asked.parse_args()
    faults = drawn(asked.count, asked.seed, asked.under, asked.kind)
    if asked.again:
        old = [json.loads(line) for line in open(asked.again)]
        faults = [(r["file"], r["site"]) for r in old if r["by"] == "survived"]
    tree, found = copied(), []
    with open(asked.out, "w") as out:
        for file, site in faults:
            began = time.perf_counter()
            by = judged(tree, file, site, asked.whole, asked.seconds)
            found.append({"file": file, "site": list(site), "by": by})
            out.write(json.dumps(found[-1]) + "\n")
            out.flush()
            took = time.perf_counter() - began
            print(f"{file}:{site[0]}: {site[3]!r} -> {site[4]!r}: {by} ({took:.0f} s)", flush=True)
    shutil.rmtree(tree.parent)
    caught = sum(r["by"] != "survived" for r in found)
    print(f"{caught} of {len(found)} faults were caught")
    if asked.compare:
        compared(asked.compare, found)


if __name__ == "__main__":
    main()
