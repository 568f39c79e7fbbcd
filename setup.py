"""Build the Cython extensions: find them, choose flags for the compiler at hand, probe OpenMP.

Everything that does not change from machine to machine stands in pyproject.toml. Switches, read
from the environment: SPARSESOLVE_DEBUG=1 (bounds checked, -O1 -g), SPARSESOLVE_COVERAGE=1 (lines
of Cython counted for gcov), SPARSESOLVE_NO_OPENMP=1 (serial), SPARSESOLVE_NATIVE=1 (this CPU),
SPARSESOLVE_SANITIZE=address,undefined or =thread (-O1 -g, faults reported by the sanitizer).
"""

import os
import sys
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, LinkError

SHARED = "sparsesolve._cyutility"  # Cython's memoryview code, compiled once for all extensions
SWITCHES = ("COVERAGE", "DEBUG", "NATIVE", "NO_OPENMP")
SANITIZE = os.environ.get("SPARSESOLVE_SANITIZE", "")
ON = {name for name in SWITCHES if os.environ.get(f"SPARSESOLVE_{name}", "0") not in ("", "0")}

# No -ffast-math: linking with it sets flush-to-zero for the whole process of the user.
FLAGS = {
    "unix": ["-O3", "-g0", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math",
             "-fno-signed-zeros", "-fassociative-math"],
    "msvc": ["/O2", "/std:c11"],
}
# Files whose loops do not decide how long a fit takes: methods that stand for comparison, calls of
# the user's Python, sums made once a check. They compile in 57 % of the time, to two thirds of the
# size, and no count of .ci/counts moves by more than 0.2 %; solvers/newton and two files of
# solvers/responses cost 3 to 5 % so.
LIGHT = ("solvers/baselines/", "solvers/certificate/", "losses/python", "losses/base",
         "online/whole", "results/", "penalties/elastic_net.", "linalg/kernels/pass_threads")
LIGHT_FLAGS = {"unix": ["-Os"], "msvc": ["/O1"]}
DEBUG_FLAGS = {"unix": ["-O1", "-g", "-fopenmp-simd"], "msvc": ["/Od", "/Zi", "/std:c11"]}
COVERAGE_FLAGS = ["--coverage"]
SANITIZE_FLAGS = [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-fstrict-overflow"]
NATIVE_FLAGS = {"unix": ["-march=native"], "msvc": ["/arch:AVX2"]}

# (compile flags, link flags), tried in this order; the second pair is Apple's clang with libomp.
OPENMP = {
    "unix": [(["-fopenmp"], ["-fopenmp"]), (["-Xpreprocessor", "-fopenmp"], ["-lomp"])],
    "msvc": [(["/openmp"], [])],  # its runtime may be passed on in a wheel, /openmp:llvm's may not
}
OPENMP_PROBE = """
#include <omp.h>
int main(void) {
    int i, total = 0;
    #pragma omp parallel for reduction(+:total)
    for (i = 0; i < 8; i++) total += omp_get_num_threads();
    return total < 8;
}
"""


def extensions():
    """Return one Extension for each .pyx of the package, named by its path."""
    found = [
        Extension(".".join(pyx.with_suffix("").parts), [pyx.as_posix()])
        for pyx in sorted(Path("sparsesolve").rglob("*.pyx"))
    ]
    if found:
        found.append(Extension(SHARED, [SHARED.replace(".", "/") + ".c"]))
    headers = sorted({header.parent.as_posix() for header in Path("sparsesolve").rglob("*.h")})
    for ext in found:
        ext.include_dirs = headers
    return found


def directives():
    """Return the Cython directives that hold for every file."""
    return {
        "language_level": 3,
        "boundscheck": "DEBUG" in ON,  # also stops at views never set: they have no elements
        "wraparound": False,
        "initializedcheck": False,
        "cdivision": True,
        "embedsignature": True,
        "freethreading_compatible": True,  # importing leaves the GIL off where Python has none
    }


def n_cores():
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class BuildExtensions(build_ext):
    """Cythonize, then compile with flags chosen for the compiler that was found."""

    def finalize_options(self):
        super().finalize_options()
        if self.parallel is None:
            self.parallel = n_cores()

    def run(self):
        if self.extensions:
            self.rebuild_if_switched()
            self.cythonize()
        super().run()

    def rebuild_if_switched(self):
        """Force a full build when the last one in this tree had other switches."""
        stamp = Path("build", f"switches-{sys.implementation.cache_tag}")
        switches = " ".join([*sorted(ON), SANITIZE]).strip()
        if (stamp.read_text() if stamp.exists() else "") != switches:
            self.force = True
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(switches)

    def cythonize(self):
        """Write the C files below build/ and point the extensions at them."""
        from Cython.Build import cythonize  # here, so that metadata can be read without Cython

        written = cythonize(
            self.extensions,
            nthreads=self.parallel if os.name == "posix" else 0,
            build_dir="build/cython",
            force=self.force or None,
            compiler_directives=directives(),
            shared_utility_qualified_name=SHARED,
        )
        by_name = {ext.name: ext for ext in written}
        for ext in self.extensions:
            ext.sources = by_name[ext.name].sources
            ext.depends = by_name[ext.name].depends

    def build_extensions(self):
        kind = "msvc" if self.compiler.compiler_type == "msvc" else "unix"
        slow = SANITIZE or ON & {"DEBUG", "COVERAGE"}
        observed = SANITIZE_FLAGS if SANITIZE else COVERAGE_FLAGS if "COVERAGE" in ON else []
        compile_flags = (DEBUG_FLAGS if slow else FLAGS)[kind] + observed
        if "NATIVE" in ON:
            compile_flags += NATIVE_FLAGS[kind]
        openmp_compile, openmp_link = self.openmp_flags(kind)
        for ext in self.extensions:
            light = not slow and any(part in ext.sources[0] for part in LIGHT)
            ext.extra_compile_args = compile_flags + openmp_compile + LIGHT_FLAGS[kind] * light
            ext.extra_link_args = openmp_link + observed
        super().build_extensions()

    def openmp_flags(self, kind):
        """Return the compile and link flags that build an OpenMP program here, if any do."""
        if ON & {"COVERAGE", "NO_OPENMP"}:  # gcov does not see the bodies of parallel loops
            return [], []
        for flags in OPENMP[kind]:
            if self.links_openmp(*flags):
                return flags
        self.warn("this compiler cannot build OpenMP programs: sparsesolve will run on one thread")
        return [], []

    def links_openmp(self, compile_flags, link_flags):
        """Tell whether a small OpenMP program compiles and links with these flags."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "probe.c")
            source.write_text(OPENMP_PROBE)
            try:
                objects = self.compiler.compile(
                    [str(source)], output_dir=folder, extra_postargs=compile_flags
                )
                self.compiler.link_executable(
                    objects, "probe", output_dir=folder, extra_postargs=link_flags
                )
            except (CompileError, LinkError):
                return False
        return True


if __name__ == "__main__":
    setup(ext_modules=extensions(), cmdclass={"build_ext": BuildExtensions})
