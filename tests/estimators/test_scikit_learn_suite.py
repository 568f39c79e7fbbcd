"""scikit-learn's own tests of coordinate descent, LARS and OMP, with our classes in their place.

Its files are read where it is installed, changed in memory and run in a temporary folder. All pass
but those named here, each with its reason, which docs/scikit-learn.rst tells users. Four are asked
for the kind of their errors and warnings, and not for the words.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sklearn = pytest.importorskip("sklearn")

from sparsesolve import estimators  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "scikit-learn.rst"
FILES = {
    "test_coordinate_descent.py": ("Lasso", "ElasticNet", "MultiTaskLasso", "MultiTaskElasticNet"),
    "test_least_angle.py": ("LassoLars", "Lars", "LassoLarsIC"),
    "test_omp.py": ("OrthogonalMatchingPursuit",),
}
EXPECTED = {  # name of a test: how many of its cases fail; the reasons stand in the documentation
    "test_check_input_false": 1,
    "test_enet_coordinate_descent_raises_convergence": 2,
    "test_enet_copy_X_False_check_input_False": 1,
    "test_enet_l1_ratio": 1,
    "test_enet_nonfinite_params": 1,
    "test_enet_ridge_consistency": 1,
    "test_lars_with_jitter": 2,
    "test_lassoCV_does_not_set_precompute": 3,
    "test_lasso_alpha_warning": 1,
    "test_lasso_dual_gap": 1,
    "test_lasso_lars_copyX_behaviour": 1,
    "test_lasso_lars_fit_copyX_behaviour": 1,
    "test_lasso_lars_vs_lasso_cd_ill_conditioned2": 1,
    "test_warm_start_multitask_lasso": 1,
}
WORDS = (  # tests that ask for scikit-learn's sentences; here these have words of their own
    "test_elasticnet_precompute_incorrect_gram",
    "test_lassolarsic_noise_variance",
    "test_multi_task_lasso_and_enet",
    "test_overridden_gram_matrix",
)
# sparse arrays of scipy stand for its matrices as well, which tests/laws/test_paths.py takes
WHICH = "not loky and not csc_matrix and not csr_matrix"
FIXTURES = """
import numpy, pytest
@pytest.fixture
def global_random_seed(): return 42
@pytest.fixture
def global_dtype(): return numpy.float64
"""


def with_our_classes(text, names):
    """The text of a test file with our classes under their names, from the first test on."""
    ours = [name for stem in names for name in (stem, f"{stem}CV") if hasattr(estimators, name)]
    lines = ["import types", "import sklearn.linear_model", "import sparsesolve.estimators",
             "linear_model = types.SimpleNamespace(**vars(sklearn.linear_model))"]  # fmt: skip
    for name in ours:
        lines.append(f"{name} = linear_model.{name} = sparsesolve.estimators.{name}")
    start = re.search(r"^(?:@|def |[A-Z_]+ = |class |filterwarnings)", text, re.M).start()
    return text[:start] + "\n".join(lines) + "\n" + text[start:]


def without_words(text):
    """The text, in which the tests of WORDS ask for the kind of an error or a warning alone."""
    for name in WORDS:
        start = text.find(f"def {name}(")
        if start >= 0:
            end = text.find("\n\n\n", start)
            text = text[:start] + re.sub(r", match=\w+\)", ")", text[start:end]) + text[end:]
    return text


@pytest.mark.skipif(not sklearn.__version__.startswith("1.9."), reason="the list is of 1.9")
def test_their_tests_pass_but_for_a_named_list(tmp_path):
    source = Path(sklearn.__file__).parent / "linear_model" / "tests"
    if not source.exists():
        pytest.skip("scikit-learn is installed without its tests")
    (tmp_path / "conftest.py").write_text(FIXTURES)
    for name, names in FILES.items():
        changed = with_our_classes(without_words((source / name).read_text()), names)
        (tmp_path / name).write_text(changed)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
               "--tb=no", "-rf", "-k", WHICH, *FILES]  # fmt: skip
    one = {"OPENBLAS_NUM_THREADS": "1"}  # more wait for each other on matrices this small
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, **one})  # fmt: skip
    failed = re.findall(r"^FAILED \S+?::(\w+)", done.stdout, re.M)
    assert {name: failed.count(name) for name in failed} == EXPECTED, done.stdout[-4000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 275


def test_the_page_names_each_of_them():
    text = PAGE.read_text()
    named = re.findall(r"``(test_\w+)``", text)
    assert sorted(named) == sorted([*EXPECTED, *WORDS])
