"""Text of three layouts: numbers exact, rows as written, errors by line."""

import gzip
from importlib import import_module

import numpy as np
import pytest
from cases import every
from scipy import sparse
from sparsesolve.data.tables.text import TextParser, place_of

import sparsesolve as ss
from sparsesolve.online.files import Cache, TextFile


def rows(parser, text):
    labels, weights, start, columns, values, _, _ = parser.parse(text.encode())
    return labels, weights, sparse.csr_array((values, columns, start), shape=(len(labels), 2**18))


def test_svmlight():
    text = "1 1:0.5 3:-2e1 # a comment\n\n# nothing\n-1 qid:4 2:1\r\n0\n"
    labels, weights, X = rows(TextParser("svmlight"), text)
    assert labels.tolist() == [1.0, -1.0, 0.0] and weights.tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_array_equal(X[:, :3].toarray(), [[0.5, 0, -20], [0, 1, 0], [0, 0, 0]])
    assert rows(TextParser("svmlight", 0), "1 0:7")[2][0, 0] == 7.0


def test_vw():
    text = "1 |  3:0.5 7\n-1 2.5 'tag|a x:2 y |b:0.5 x:4\n"
    labels, weights, X = rows(TextParser("vw"), text)
    assert labels.tolist() == [1.0, -1.0] and weights.tolist() == [1.0, 2.5]
    assert X[0, 3] == 0.5 and X[0, 7] == 1.0
    assert sorted(X[[1]].data.tolist()) == [1.0, 2.0, 2.0]
    assert len(set(X[[1]].indices.tolist())) == 3  # a's x is not b's x
    again = rows(TextParser("vw"), "1 |b x\n1 |a x\n")[2]
    assert again.indices.tolist() == [X[[1]].indices[2], X[[1]].indices[0]]


def test_vw_every_number_before_the_bar_is_used():
    text = "1 2 0.5 'first|a x\n0 1 -2 second|b y\n-1 0.5 |a x\n'third | y\n| z\n"
    parser = TextParser("vw", labels=False)
    labels, weights, *_, bases, tags = parser.parse(text.encode())
    np.testing.assert_array_equal(labels, [1, 0, -1, np.nan, np.nan])
    assert weights.tolist() == [2, 1, 0.5, 1, 1] and bases.tolist() == [0.5, -2, 0, 0, 0]
    assert tags == ["first", "second", None, "third", None]


def test_vw_names_are_told_from_their_namespaces():
    text = "1 |f1 12\n1 |f11 2\n1 | f112\n1 |f112\n1 |f x |f y\n1 |f:2 x y\n"
    _, _, X = rows(TextParser("vw"), text)
    of = [X[[i]].indices.tolist() for i in range(6)]
    assert len({*of[0], *of[1], *of[2]}) == 3 and of[3] == []
    assert sorted(of[4]) == sorted(of[5]) and X[[5]].data.tolist() == [2.0, 2.0]
    names = [("f1", "12"), ("f11", "2"), ("", "f112")]
    for (space, name), (place,) in zip(names, of, strict=False):
        assert place_of(space, name, 18) == place == hashed(f"{space} {name}")
    old = rows(TextParser("vw", hashing=1), text)[2]  # as models of version 0.1 were made
    assert set(old[:3].indices.tolist()) == {hashed("f112")}


def hashed(text):
    """FNV-1a of 64 bits, folded to 18."""
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return (h ^ h >> 32) % 2**18


@every(
    "layout, line, match",
    [
        ("svmlight", "x 1:1", "line 3: 'x' is not a number"),
        ("svmlight", "1 1:a", "line 3: '1:a' is not index:value"),
        ("svmlight", "1 0:1", "line 3: '0:1' has an index out of 1 .*--zero-based"),
        ("svmlight", "1 3", "line 3: '3' is not index:value"),
        ("svmlight", "1 2:nan", "line 3: '2:nan' is not index:value"),
        ("svmlight", "1 2:1e999", "line 3"),
        ("svmlight", "1 99999999999:1", "line 3: '99999999999:1' has an index|is not index"),
        ("vw", "|a x", "line 3: there is no label"),
        ("vw", "1 -1 |a x", "line 3: '-1' is no weight"),
        ("vw", "1 1 1 1 |a x", "line 3: '1' is neither a label, a weight, a base nor a 'tag"),
        ("vw", "1 x |a x", "line 3: 'x' is neither a label"),
        ("vw", "1 'x 2 |a x", "line 3: '2' is neither a label"),
        ("vw", "1 'x y|a x", "line 3: 'y.a' is neither a label"),
        ("vw", "1 2|a x", "line 3: '2' touches the |, as a tag does"),
        ("vw", "1:3 |a x", "line 3: ':3' is neither a label"),
        ("vw", "1 |a x:y", "line 3: 'x:y' is not name:value"),
        ("vw", "1 |a :2", "line 3: ':2' has no name"),
    ],
)
def test_errors_name_the_line(layout, line, match):
    good = {"svmlight": "1 1:1\n", "vw": "1 |a x\n"}[layout]
    parser = TextParser(layout)
    with pytest.raises(ValueError, match=match):
        parser.parse((2 * good + line + "\n" + good).encode())


def write(folder, name, X, y, zipped=False):
    lines = []
    for row, label in zip(X, y, strict=True):
        cells = [f"{j + 1}:{x!r}" for j, x in enumerate(row.tolist()) if x]
        if name.endswith("vw"):
            cells = ["|", *[cell.replace(f"{j + 1}:", f"{j}:") for j, cell in zip(
                np.flatnonzero(row), cells, strict=True)]]  # fmt: skip
        lines.append(" ".join([repr(float(label)), *cells]))
    if name.endswith("csv"):
        lines = [",".join(["y", *[f"x{j}" for j in range(X.shape[1])]])]
        lines += [",".join(map(repr, map(float, [t, *r]))) for r, t in zip(X, y, strict=True)]
    file = folder / (name + (".gz" if zipped else ""))
    data = ("\n".join(lines) + "\n").encode()
    file.write_bytes(gzip.compress(data) if zipped else data)
    return file


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((6000, 12)) < 0.4, rng.normal(size=(6000, 12)).round(6), 0.0)
    return X, (X[:, 0] - X[:, 1] + rng.logistic(size=6000) > 0) * 1.0


def many_blocks(monkeypatch, size=5000):
    tables = "sparsesolve.data.tables"
    monkeypatch.setattr(import_module(f"{tables}.sparse_text"), "BYTES", size)
    monkeypatch.setattr(import_module(f"{tables}.cells"), "BLOCK", size)


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("name", ["a.svm", "a.vw", "a.csv"])
def test_files_are_learned_as_arrays(tmp_path, monkeypatch, data, name, zipped):
    many_blocks(monkeypatch)
    X, y = data
    file = write(tmp_path, name, X, y, zipped)
    options = {"family": "binomial", "lam": 0.01, "passes": 2}
    found = ss.online(file, "y" if name == "a.csv" else None, **options)
    known = ss.online(X, y, **options)
    np.testing.assert_array_equal(found.coef()[:12], known.coef())
    assert found.intercept == known.intercept and found.n_rows == 12_000


@every("digits", range(1, 27))
def test_numbers_of_any_length_at_any_place_of_a_word(digits):
    """Also at the end of the text, where no whole word of eight characters is left."""
    rng, parser = np.random.default_rng(digits), TextParser("svmlight")
    number = "".join(str(d) for d in rng.integers(0, 10, digits))
    for point in range(digits + 1):
        text = f"{number[:point]}.{number[point:]}"
        for line in (f"1 1:{text}", f"1 1:{text} 12345678:-{text}", f"-{text} 3:7"):
            labels, _, _, columns, values, _, _ = parser.parse(line.encode())
            cells = [cell.split(":") for cell in line.split()[1:]]
            assert labels.tolist() == [float(line.split()[0])]
            assert values.tolist() == [float(value) for _, value in cells]
            assert columns.tolist() == [int(index) - 1 for index, _ in cells]


def test_a_cache_gives_the_same_blocks(tmp_path, data):
    """Also after a pass that was given up: the next one begins at the first row."""
    X, y = data
    cache = Cache(TextFile(str(write(tmp_path, "a.svm", X, y))))
    next(cache())
    first = list(cache())
    next(cache())
    for again in (list(cache()), list(cache())):
        for block, same in zip(first, again, strict=True):
            for a, b in zip(block[:5], same[:5], strict=True):
                np.testing.assert_array_equal(a, b)
                assert a.dtype == b.dtype


def test_hashing_shares_places(tmp_path):
    file = tmp_path / "a.svm"
    file.write_text("1 1:1 900000001:2\n0 5:1\n")
    (block,) = TextFile(str(file), hash_bits=4)()
    assert block[3].max() < 16 and block[4].sum() == 4.0
    fit = ss.online(TextFile(str(file), hash_bits=4), family="binomial", lam=0.0, step=1.0)
    assert fit.n_features == 16


@pytest.mark.parametrize(
    "name, text, change, match",
    [
        ("a.svm", "1 1:1 1:2\n", {}, "row 1 has two entries"),
        ("a.svm", "", {}, "has no rows"),
        ("a.foo", "1 1:1\n", {}, "the ending of the name is none of .* in Python layout="),
        ("a.csv", "a,b\n1,2\n", {}, "give the name of the response's as y"),
        ("a.csv", "a,b\n1,2\n", {"response": "c"}, "no column is named 'c'"),
        ("a.csv", "a,a\n1,2\n", {"response": "a"}, "two columns are named 'a'"),
        ("a.csv", "a,b\n1,2\n", {"features": ["c"]}, "no column is named 'c'"),
        ("a.svm", "1 1:1\n", {"response": "c"}, "no columns by name"),
        ("a.svm", "1 1:1\n", {"hash_bits": 31}, "hash_bits must be"),
    ],
)
def test_bad_files(tmp_path, name, text, change, match):
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(ValueError, match=match):
        list(TextFile(str(file), **change)())


def test_a_file_that_is_cut_off(tmp_path, data):
    file = write(tmp_path, "a.svm", *data, zipped=True)
    file.write_bytes(file.read_bytes()[:2000])
    with pytest.raises(ValueError, match="cut off"):
        list(TextFile(str(file))())


@pytest.mark.parametrize("step", ["auto", 1.0])
@pytest.mark.parametrize("method", ["ftrl", "rda", "fobos"])
@pytest.mark.parametrize("n", [100, 5000])
def test_saved_fits_go_on(tmp_path, data, n, method, step):
    X, y = data
    options = {"family": "binomial", "lam": 0.01, "method": method, "step": step, "batch": 3,
               "alpha": 0.9}  # fmt: skip
    fit = ss.online(X[:n], y[:n], **options)
    ss.save(fit, tmp_path / "fit.npz")
    read = ss.load(tmp_path / "fit.npz")
    np.testing.assert_array_equal(read.coef(), fit.coef())
    read.more(X[n:], y[n:])
    whole = ss.online(X, y, **options)
    np.testing.assert_array_equal(read.coef(), whole.coef())
    np.testing.assert_array_equal(read.losses, whole.losses)
    assert read.classes.tolist() == [0.0, 1.0]


def test_what_cannot_be_saved(tmp_path, data):
    X, y = data
    options = {"family": "binomial", "lam": 0.01, "step": 1.0}
    for fit in (
        ss.online(X, y, penalty=ss.penalties.GroupL2(np.arange(12)), **options),
        ss.online(X, y, method="rda", **{**options, "step": lambda t: 1.0}),
    ):
        with pytest.raises(ValueError, match="cannot be saved"):
            ss.save(fit, tmp_path / "fit.npz")
    assert not (tmp_path / "fit.npz").exists()


def test_columns_of_csv_files_and_frames_are_found_by_name(tmp_path):
    """A file or frame whose columns stand in another order means the same rows."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(300, 3)), columns=["a", "b", "c"])
    y = table["a"] - 2 * table["b"]
    other = table[["c", "b", "a"]].assign(more=1.0)
    table[:200].assign(y=y).to_csv(tmp_path / "first.csv", index=False)
    other[200:].drop(columns="more").assign(y=y).to_csv(tmp_path / "second.csv", index=False)
    options = {"lam": 0.01, "step": 0.5}
    once = ss.online(table.to_numpy(), y.to_numpy(), **options)
    of_files = ss.online(tmp_path / "first.csv", "y", **options)
    assert of_files.feature_names == ["a", "b", "c"]
    of_files.more(tmp_path / "second.csv", "y")
    of_frames = ss.online(table[:200], y[:200], **options).more(other[200:], y[200:])
    for fit in (of_files, of_frames):
        np.testing.assert_array_equal(fit.coef(), once.coef())
        np.testing.assert_array_equal(fit.predict(other), once.predict(table.to_numpy()))
        assert fit.certify(other, y) == once.certify(table.to_numpy(), y.to_numpy())
    with pytest.raises(ValueError, match="X has no column 'a', which the fit has learned"):
        of_files.predict(table[["b", "c"]])
