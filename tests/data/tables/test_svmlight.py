"""SVMlight files: read as scikit-learn does, with a sentence where it is none."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from random_sparse import random_csc
from scipy import sparse
from sparsesolve.data.tables.text import place_of

from sparsesolve.data.tables import read_blocks, read_table


def test_svmlight(written):
    text = "# made by hand\n1 1:0.5 3:2 # first\n-1\n\n+2.5 qid:7 2:1e-3\n"
    table = read_table(written(text, "data.svm"))
    assert sparse.issparse(table.X)
    assert_array_equal(table.X.toarray(), [[0.5, 0, 2], [0, 0, 0], [0, 1e-3, 0]])
    assert_array_equal(table.y, [1, -1, 2.5])
    assert table.feature_names.tolist() == ["1", "2", "3"]


def test_svmlight_from_zero_and_dropped(written, refused):
    path = written("1 0:5 2:6\n2 1:7\n", "data.libsvm")
    table = read_table(path)
    assert_array_equal(table.X.toarray(), [[5, 0, 6], [0, 7, 0]])
    assert table.feature_names.tolist() == ["0", "1", "2"]
    assert_array_equal(read_table(path, drop=["1"]).X.toarray(), [[5, 6], [0, 0]])
    refused(path, "no feature has the number '9'", drop=["9"])


def test_svmlight_agrees_with_scikit_learn(tmp_path):
    datasets = pytest.importorskip("sklearn.datasets")
    rng = np.random.default_rng(0)
    X = random_csc((50, 30), 0.2, rng).tocsr()
    datasets.dump_svmlight_file(X, rng.normal(size=50), str(tmp_path / "d.svm"), zero_based=False)
    theirs, y = datasets.load_svmlight_file(str(tmp_path / "d.svm"))
    table = read_table(tmp_path / "d.svm")
    assert_array_equal(table.X.toarray(), theirs.toarray())
    assert_array_equal(table.y, y)


@pytest.mark.parametrize(
    "text, words",
    [
        ("1 2:1\n1 3:2 1:1 3:4\n", "row 2 has two entries of feature 3"),
        ("1 1:2\nx 1:2\n", "line 2: 'x' is not a number"),
        ("1 1:2 3\n", "line 1: '3' is not index:value"),
        ("1 1:2\n1 a:2\n", "line 2: 'a:2' is not index:value"),
        ("1 1:2:3\n", "':3' is not index:value"),
        ("1 1:\n", "'1:' is not index:value"),
        ("1 99999999999999999999999:1\n", "has an index out of 0 to 2147483646"),
        ("1 1:1\n1 99999999999:1\n", "line 2: '99999999999:1' has an index out of 0"),
        ("1 -1:1\n", "line 1: '-1:1' is not index:value"),
        ("1 1:1\n\n1 2:nan\n", "line 3: '2:nan' is not index:value"),
        ("inf 1:1\n", "line 1: 'inf' is not a number, where the label stands"),
        ("1\n2\n", "no columns"),
        ("# nothing\n", "no rows"),
    ],
)
def test_svmlight_that_is_wrong(written, refused, text, words):
    refused(written(text, "data.svmlight"), words)


def test_svmlight_of_these_features_alone(written):
    path = written("1 1:0.5 3:2\n-1\n2 2:4 3:5\n", "data.svm")
    table = read_table(path, features=["3", "9", "1"])
    assert_array_equal(table.X.toarray(), [[2, 0, 0.5], [0, 0, 0], [5, 0, 0]])
    assert table.feature_names.tolist() == ["3", "9", "1"]
    none = read_table(path, features=["7"])
    assert none.X.shape == (3, 1) and none.X.nnz == 0


def test_svmlight_has_no_feature_of_a_name(written, refused):
    refused(written("1 1:0.5 3:2\n", "data.svm"), "an SVMlight file numbers its features, so none "
            "is named 'age'; give a file whose columns have names$", features=["1", "age"])


@pytest.mark.parametrize("option, options", [
    ("response", {"response": "y"}),
    ("weights", {"weights": "w"}),
    ("offset", {"offset": "o"}),
    ("fold-groups", {"marks": {"fold_groups": "g"}}),
])  # fmt: skip
def test_svmlight_has_no_column_for_any_part(written, refused, option, options):
    refused(written("1 1:1\n", "data.svm"),
            f"an SVMlight file has no columns by name; leave out --{option}$", **options)


def test_svmlight_of_a_number_that_is_a_slip(written, refused):
    text = "1 1:1\n\n-1 2:1\n1 2147483646:1\n-1 3:1\n"
    refused(written(text, "data.svm"), "row 3 has a feature 2147483646, so X would have 21474836")


def test_vw(written, refused):
    """A column for each place that occurs; weights and bases are those of the file."""
    path = written("1 2 0.5 'a| x:2 y\n0 |f x\n1 1 -1 |f x | y:3\n", "data.vw")
    table = read_table(path)
    assert_array_equal(table.y, [1, 0, 1])
    assert_array_equal(table.weights, [2, 1, 1])
    assert_array_equal(table.offset, [0.5, 0, -1])
    names = [place_of(*name, 18) for name in (("", "x"), ("", "y"), ("f", "x"))]
    order = np.argsort(names)
    assert table.feature_names.tolist() == [str(names[k]) for k in order]
    assert_array_equal(table.X.toarray(), np.array([[2, 1, 0], [0, 0, 1], [0, 3, 1]])[:, order])
    blocks = list(read_blocks(path, features=table.feature_names, marks={"tag": "tag"}))
    assert_array_equal(blocks[0].X.toarray(), table.X.toarray())
    assert blocks[0].marks["tag"].tolist() == ["a", "", ""]
    small = read_table(path, hash_bits=1)
    assert small.X.shape[1] <= 2 and small.X.sum() == 8
    refused(path, "a vw file has no columns by name; leave out --offset", offset="o")
    refused(written("| a\n", "none.vw"), "line 1: there is no label")


@pytest.mark.parametrize("name, text", [("a.svm", "1 1:2\n0 2:3\n"), ("a.vw", "1 | b\n0 | c:3\n")])
def test_marks_of_encodings(written, name, text):
    known = read_table(written(text, name))
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        table = read_table(written(text, name, encoding))
        assert_array_equal(table.X.toarray(), known.X.toarray())
        assert_array_equal(table.y, known.y)
