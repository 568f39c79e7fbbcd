"""Tables with text, gaps and labels as streams: as a model of the table made by hand."""

import numpy as np
import pytest
from sparsesolve.data.tables.text import place_of

import sparsesolve as ss
from sparsesolve.data.tables import cells
from sparsesolve.online.files import TextFile

RNG = np.random.default_rng(0)
N = 300
AGE, WARD = RNG.normal(size=N).round(3), RNG.choice(["east", "north", "south", ""], N)
WARD[200:] = RNG.choice(["west", "east"], 100)  # a level that comes late
GAPS = RNG.random(N) < 0.1
STATE = np.where(AGE + (WARD == "east") + RNG.logistic(size=N) > 0, "well", "ill")
OPTIONS = {"family": "binomial", "lam": 0.01, "step": 0.5}


def by_hand():
    """The features: age with the mean so far in gaps, then levels as they come."""
    levels = [level for level in dict.fromkeys(WARD.tolist()) if level]
    X, seen, count = np.zeros((N, 1 + len(levels))), 0.0, 0
    for i in range(N):
        X[i, 0] = (seen / count if count else 0.0) if GAPS[i] else AGE[i]
        seen, count = seen + (0.0 if GAPS[i] else AGE[i]), count + (not GAPS[i])
        if WARD[i]:
            X[i, 1 + levels.index(WARD[i])] = 1.0
    return X, ["age", *[f"ward={level}" for level in levels]], seen / count


def lines(rows):
    return [f"{'NA' if GAPS[i] else AGE[i]};\"{WARD[i]}\";p{i};{STATE[i]}" for i in rows]


@pytest.fixture
def write(tmp_path):
    def made(rows=range(N), name="t.csv"):
        (tmp_path / name).write_text("\n".join(["age;ward;id;state", *lines(rows), ""]))
        return str(tmp_path / name)

    return made


def source(file, **options):
    return TextFile(file, response="state", drop=["id"], **options)


@pytest.mark.parametrize("size", [200, 1 << 20])
@pytest.mark.parametrize("passes", [1, 2])
def test_text_gaps_and_labels_however_the_file_is_cut(write, monkeypatch, size, passes):
    monkeypatch.setattr(cells, "BLOCK", size)
    monkeypatch.setattr(cells, "LINES", 1)
    X, names, mean = by_hand()
    known = ss.online(X, STATE, passes=passes, **OPTIONS)
    fit = ss.online(source(write()), passes=passes, **OPTIONS)
    np.testing.assert_array_equal(fit.coef(), known.coef())
    assert fit.feature_names == names and fit.classes.tolist() == ["ill", "well"]
    assert fit.columns.sums[0] / fit.columns.counts[0] == mean


def test_a_saved_fit_goes_on_with_another_file(write, tmp_path):
    """As if there were one file, also where its columns stand in another order."""
    whole = ss.online(source(write()), **OPTIONS)
    fit = ss.online(source(write(range(120))), **OPTIONS)
    ss.save(fit, tmp_path / "m.npz")
    fit = ss.load(tmp_path / "m.npz")
    rest = [";".join(line.split(";")[::-1]) for line in lines(range(120, N))]
    (tmp_path / "rest.csv").write_text("\n".join(["state;id;ward;age", *rest]))
    fit.more(str(tmp_path / "rest.csv"), "state")
    np.testing.assert_array_equal(fit.coef(), whole.coef())
    assert fit.feature_names == whole.feature_names


def test_predictions_fill_gaps_and_leave_out_unknown_levels(write, tmp_path):
    pd = pytest.importorskip("pandas")
    fit = ss.online(source(write()), **OPTIONS)
    _, names, mean = by_hand()
    frame = pd.DataFrame({"ward": ["east", "new", None], "age": [1.0, 2.0, np.nan], "z": "x"})
    X = np.zeros((3, len(names)))
    X[:, 0], X[0, names.index("ward=east")] = [1.0, 2.0, mean], 1.0
    np.testing.assert_allclose(fit.predict(frame), fit.predict(X))
    assert fit.feature_names == names  # nothing is learned


def test_hashed_columns_are_those_of_vw(write, tmp_path):
    fit = ss.online(source(write(), hash_bits=12), **OPTIONS)
    X, names, _ = by_hand()
    (tmp_path / "t.vw").write_text("".join(
        f"{int(y == 'well')} | age:{row[0]!r}" + "".join(
            f" |ward {name[5:]}" for name, x in zip(names[1:], row[1:], strict=True) if x) + "\n"
        for y, row in zip(STATE, X.tolist(), strict=True)))  # fmt: skip
    known = ss.online(str(tmp_path / "t.vw"), hash_bits=12, **OPTIONS)
    np.testing.assert_array_equal(fit.coef(), known.coef())
    assert set(fit.nonzero()) <= {place_of("", "age", 12), *(
        place_of("ward", name[5:], 12) for name in names[1:])}  # fmt: skip


def test_parquet_is_read_by_row_groups(write, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.table({"age": [None if g else a for g, a in zip(GAPS, AGE, strict=True)],
                      "ward": [w or None for w in WARD.tolist()], "state": STATE})  # fmt: skip
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=70)
    fit = ss.online(str(tmp_path / "t.parquet"), "state", **OPTIONS)
    known = ss.online(source(write()), **OPTIONS)
    np.testing.assert_array_equal(fit.coef(), known.coef())


@pytest.mark.parametrize("change, options, words", [
    (("NA;", "x;"), {}, r"line \d+ .row \d+., column 'age': 'x' is not a number, as the rows"),
    (("p7;ill", "p7;"), {}, r"line 9 .row 8., column 'state': the cell holds no value; fill"),
    (("p7;ill", "p7;?"), {}, r"line 9 .row 8., column 'state': the cell holds no value .'\?'.; .*"
     r"; if '\?' is a label"),
    (("NA;", "NA;"), {"missing": "error"}, r"column 'age': the cell holds no value .'NA'."),
    (("", ""), {"weights": "ward"}, r"column 'ward': 'east' is not a number"),
])  # fmt: skip
def test_what_is_wrong_is_named(write, monkeypatch, change, options, words):
    monkeypatch.setattr(cells, "BLOCK", 200)
    monkeypatch.setattr(cells, "LINES", 1)
    file = write()
    with open(file) as stream:
        text = stream.read().replace("p7;well", "p7;ill")
    rows = text.split("\n")
    rows[1:9] = [row.replace("NA;", "1;") for row in rows[1:9]]
    with open(file, "w") as stream:
        stream.write("\n".join(row.replace(*change) for row in rows))
    with pytest.raises(ValueError, match=words):
        ss.online(source(file, **options), **OPTIONS)
