"""Check that an sdist and a wheel hold what they should and nothing else.

python .ci/archives.py SOURCE DIST, a clean checkout and the folder of the two archives.
"""

import sys
import tarfile
import zipfile
from pathlib import Path

METADATA = (
    "METADATA", "WHEEL", "RECORD", "entry_points.txt", "top_level.txt", "licenses/LICENSE",
)  # fmt: skip
CYTHON_SHARED = "sparsesolve/_cyutility"  # written by the build, see setup.py


def sdist_files(archive):
    """Return the files of an sdist, without those that setuptools writes into it."""
    with tarfile.open(archive) as tar:
        names = {m.name.split("/", 1)[1] for m in tar.getmembers() if m.isfile()}
    return {n for n in names if n not in ("PKG-INFO", "setup.cfg") and ".egg-info/" not in n}


def wheel_files(archive):
    """Return the files of a wheel, compiled modules without their platform's ending."""
    with zipfile.ZipFile(archive) as wheel:
        names = wheel.namelist()
    return {n.split(".")[0] + " (compiled)" if n.endswith((".so", ".pyd")) else n for n in names}


def wanted_in_wheel(source_files, stem):
    package = {n for n in source_files if n.startswith("sparsesolve/")}
    compiled = {n[:-4] for n in package if n.endswith(".pyx")} | {CYTHON_SHARED}
    return (
        {n for n in package if n.endswith((".py", ".js", "py.typed"))}
        | {f"{n} (compiled)" for n in compiled}
        | {f"{stem}.dist-info/{n}" for n in METADATA}
    )


def differences(title, found, wanted):
    missing = [f"{title}: {name} is missing" for name in sorted(wanted - found)]
    return missing + [f"{title}: {name} does not belong there" for name in sorted(found - wanted)]


def main(source, dist):
    source_files = {p.relative_to(source).as_posix() for p in source.rglob("*") if p.is_file()}
    (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
    stem = "-".join(wheel.name.split("-")[:2])
    in_sdist, in_wheel = sdist_files(sdist), wheel_files(wheel)
    wrong = differences("sdist", in_sdist, source_files)
    wrong += differences("wheel", in_wheel, wanted_in_wheel(source_files, stem))
    print(f"sdist: {len(in_sdist)} files, wheel: {len(in_wheel)} files", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
