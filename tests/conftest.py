"""Settings for the whole test run: repeatable examples, figures without a display."""

import os

from hypothesis import settings

os.environ["MPLBACKEND"] = "Agg"  # before matplotlib is imported, also in subprocesses

# A slow machine is no failure; under CI the same examples run every time.
settings.register_profile(
    "sparsesolve", deadline=None, derandomize=bool(os.environ.get("CI")), print_blob=True
)
settings.load_profile("sparsesolve")
