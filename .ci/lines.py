"""Tell which lines of the Cython files were run, by what gcov counted in the C made of them.

python .ci/lines.py, in a tree built with SPARSESOLVE_COVERAGE=1, after the tests have run there.
Cython notes above each piece of C code the line it was made of.
"""

import json
import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

ORIGIN = re.compile(r'/\* "(sparsesolve/[\w/]+\.p(?:yx|xd))":(\d+)$')


def c_counts(data):
    """How often each line of the C file was run whose counts are in that .gcda."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", data],
                          capture_output=True, text=True, check=True)
    return {
        (file["file"], line["line_number"]): line["count"]
        for file in json.loads(done.stdout)["files"]
        for line in file["lines"]
    }


def origins(c_file):
    """Yield each line number in functions of a C file with the (file, line) it was made of."""
    origin = None
    for number, text in enumerate(Path(c_file).read_text().splitlines(), 1):
        if found := ORIGIN.search(text):
            origin = found[1], int(found[2])
        elif text.startswith("}"):
            origin = None
        if origin:
            yield number, origin


def stretches(lines):
    """Sorted numbers as text: 3, 5-8."""
    parts = []
    for line in lines:
        if parts and line == parts[-1][1] + 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def main():
    runs = defaultdict(int)  # of each (file, line): C code made of a line is run if any of it is
    for data in Path("build").rglob("*.gcda"):
        c_file = f"build/cython/{data.as_posix().split('/build/cython/')[1][:-5]}.c"
        counts = c_counts(data)
        for number, origin in origins(c_file):
            if (c_file, number) in counts:
                runs[origin] = max(runs[origin], counts[c_file, number])
    missed = defaultdict(list)
    for file, line in sorted(origin for origin in runs if not runs[origin]):
        missed[file].append(line)
    for file, lines in missed.items():
        print(f"{file}: {stretches(lines)}")
    lines, run = Counter(), Counter()
    for (file, _), count in runs.items():
        for package in (file.rsplit("/", 1)[0], "all of it"):
            lines[package] += 1
            run[package] += count > 0
    for package in sorted(lines, key=lambda package: (package == "all of it", package)):
        print(f"Cython of {package}: {run[package]} of {lines[package]} lines run, "
              f"{run[package] / lines[package]:.1%}")  # fmt: skip


if __name__ == "__main__":
    main()
