"""Settings for the whole test run: repeatable examples, figures without a display."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from scipy import sparse

import sparsesolve

os.environ["MPLBACKEND"] = "Agg"  # before matplotlib is imported, also in subprocesses

# A slow machine is no failure; under CI the same examples run every time.
settings.register_profile(
    "sparsesolve",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("sparsesolve")


@pytest.fixture
def fresh_python():
    """A function that runs a script in a new Python, with this sparsesolve; returns its output."""
    home = str(Path(sparsesolve.__file__).parents[1])

    def run(script):
        done = subprocess.run(
            [sys.executable, "-P", "-c", script],
            env={**os.environ, "PYTHONPATH": home},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


@pytest.fixture
def cluster():
    """Two workers of dask in this process, and a client that sends them all that is computed."""
    distributed = pytest.importorskip("distributed")
    made = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False,
                                    dashboard_address=None)  # fmt: skip
    with made, distributed.Client(made):
        yield made


@pytest.fixture(autouse=True)
def no_figures_left():
    """Close what a test has drawn."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(params=["dense", "sparse"])
def store(request):
    """A function that stores a dense X by columns, or as a sparse array."""
    return np.asfortranarray if request.param == "dense" else sparse.csc_array
