"""Do the tests see a planted fault? mutations.py [COUNT] [--seed S] [--under FOLDER] [--out FILE].

Mutation testing: COUNT faults (300) are drawn at random from the package's source, Python and
compiled, and planted one at a time in a scratch copy of this tree:

    a comparison or a sign is flipped, two terms swap (min and max, and and or, + and -, * and /),
    a number moves (0 to 1, 1 to 2, any other doubles), a `not` goes, an increment is dropped

A compiled file is built again. Then tests run until one fails: those of the file's own room first,
the laws after them, the rest of the suite only with --whole. A fault is *caught* by the first test
that fails, or *survives*. Some faults change nothing (a tolerance, an order of sums): survivors
are read by a person. Kept as JSON lines, so that a run before a change of the tests and one after
it, with the same seed, are compared by --compare:

    python benchmarks/system/mutations.py 300 --out before.jsonl
    python benchmarks/system/mutations.py 300 --out after.jsonl --compare before.jsonl

The tree must be built in place. A fault costs seconds to minutes of processor time.
"""

import argparse
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
from pathlib import Path

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


def drawn(count, seed, under):
    """Return `count` faults (file, site) drawn from the sites of all files under a folder."""
    files = sorted(p for p in (ROOT / under).rglob("*") if p.suffix in (".py", ".pyx"))
    every = [(str(file.relative_to(ROOT)), site) for file in files for site in sites(file)]
    return random.Random(seed).sample(every, min(count, len(every)))


def suites(file, whole):
    """Return the test folders and files to try for a fault in `file`, nearest first."""
    room = Path(*Path(file).parts[1:])
    near = [f"tests/{part}" for part in [room.parent, *room.parent.parents]
            if (ROOT / "tests" / part).is_dir() and str(part) != "."]  # fmt: skip
    laws = ["tests/laws", "tests/test_random_problems.py", "tests/test_generated_calls.py"]
    return [*near, *laws, *(["tests"] if whole else [])]


def run(command, tree, seconds):
    """Return (exit code, output) of a command in the tree; 124 if it takes longer."""
    settings = {**os.environ, "PYTHONPATH": str(tree), "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, cwd=tree, env=settings, text=True, timeout=seconds,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    except subprocess.TimeoutExpired:
        return 124, "takes longer"
    return done.returncode, done.stdout


def judged(tree, file, site, whole, seconds):
    """Plant one fault; return how it was caught, or "survived"."""
    row, start, end, _, new = site
    path, kept = tree / file, (tree / file).read_text()
    lines = kept.splitlines(keepends=True)
    lines[row - 1] = lines[row - 1][:start] + new + lines[row - 1][end:]
    path.write_text("".join(lines))
    build = [sys.executable, "setup.py", "build_ext", "--inplace"]
    try:
        if path.suffix == ".pyx" and run(build, tree, 900)[0] != 0:
            return "does not compile"
        for suite in suites(file, whole):
            code, output = run([sys.executable, "-m", "pytest", "-x", "-q", suite], tree, seconds)
            if code not in (0, 5):
                failed = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.M)
                return failed.group(1) if failed else f"{suite}: ends with code {code}"
        return "survived"
    finally:
        path.write_text(kept)
        if path.suffix == ".pyx":
            run(build, tree, 900)


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
    asked.add_argument("--seconds", type=float, default=900.0, help="for one suite")
    asked.add_argument("--out", default="mutations.jsonl")
    asked.add_argument("--compare", metavar="FILE")
    asked = asked.parse_args()
    tree, found = copied(), []
    with open(asked.out, "w") as out:
        for file, site in drawn(asked.count, asked.seed, asked.under):
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
