"""Tables of phenotypes join genotypes by ids, in any order, and a sentence says what matched."""

import gzip

import numpy as np
import pytest
from packed_genotypes import drawn, imputed
from plink_files import lines_of_samples, write_plink

import sparsesolve as ss

N, P = 40, 15


@pytest.fixture
def study(tmp_path):
    G = drawn(N, P, seed=2, missing=0.05)
    G[:, 3] = 2
    return ss.genotypes(write_plink(tmp_path, G)), G


def table(seed=0):
    """Columns by name, one row for each sample in an order of its own."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(N)
    columns = {
        "IID": np.array([f"s{i:03d}" for i in order]),
        "bmi": rng.normal(25, 3, N),
        "age": rng.integers(20, 80, N).astype(float),
        "centre": rng.choice(["a", "b", "c"], N),
    }
    return columns, order


def written(file, columns, mark="\t", pack=open):
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    lines = [mark.join(columns), *(mark.join(map(str, row)) for row in rows)]
    with pack(file, "wt") as stream:
        stream.write("\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize("form", ["dict", "tabs", "commas", "blanks", "gz", "pandas"])
def test_rows_are_found_by_id(study, tmp_path, form):
    G, values = study
    columns, order = table()
    given = {
        "dict": lambda: columns,
        "tabs": lambda: written(tmp_path / "p.tsv", {"#FID": columns["IID"], **columns}),
        "commas": lambda: written(tmp_path / "p.csv", columns, ","),
        "blanks": lambda: written(tmp_path / "p.txt", columns, " "),
        "gz": lambda: written(tmp_path / "p.tsv.gz", columns, pack=gzip.open),
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(columns),
    }[form]()
    data = G.align(given, "bmi", ["age", "centre"])
    back = np.argsort(order)
    assert data.y == pytest.approx(columns["bmi"][back])
    assert data.X.names[:4].tolist() == ["age", "centre=a", "centre=b", "centre=c"]
    assert data.X[:, [0]].ravel() == pytest.approx(columns["age"][back])
    assert data.X[:, [2]].ravel().tolist() == (columns["centre"][back] == "b").tolist()
    assert data.options["penalty_factor"].tolist() == [0.0] * 4 + [1.0] * P
    assert "40 of 40 samples have all values in" in data.sentence
    assert "1 variants do not vary" in data.sentence
    assert data.family is None  # each sample is a family of its own
    fit = ss.path(data.X, data.y, n_lambdas=10, tol=1e-10, **data.options)
    X = np.hstack([data.X[:, np.arange(4)], imputed(values, np.ones(N))[0]])
    other = ss.path(X, data.y, n_lambdas=10, tol=1e-10, **data.options)
    assert fit.coefs.toarray() == pytest.approx(other.coefs.toarray(), abs=1e-7)
    assert fit.coefs[[0], :].toarray().all()  # covariates are never penalised


def test_samples_without_a_value_are_left_out_and_counted(study):
    G, values = study
    columns, order = table()
    columns["bmi"][:3], columns["age"][3:5] = -9.0, np.nan
    columns["centre"] = columns["centre"].astype(object)
    columns["centre"][5] = "NA"
    columns = {name: np.append(column, column[:1]) for name, column in columns.items()}
    columns["IID"][-1] = "nobody"
    data = G.align(columns, "bmi", ["age", "centre"])
    kept = np.sort(order[6:])
    assert data.rows.tolist() == kept.tolist() and data.X.shape == (N - 6, P + 4)
    assert data.sentence.startswith("34 of 40 samples have all values in the table; 1 of its row "
                                    "matches no sample")  # fmt: skip
    decoded = np.where(values < 0, np.nan, values)[kept]
    assert data.X[:, 4 + np.arange(P)] == pytest.approx(decoded, nan_ok=True)
    assert data.X.samples.iid.tolist() == [f"s{i:03d}" for i in kept]


def test_rare_variants_and_those_with_gaps_are_left_out(study):
    G, values = study
    columns, _ = table()
    data = G.align(columns, "bmi", min_frequency=0.3, max_missing=0.05)
    seen = [g[g >= 0] for g in values.T]
    frequency = np.array([min(g.mean() / 2, 1 - g.mean() / 2) for g in seen])
    out = (frequency < 0.3) | ((values < 0).mean(axis=0) > 0.05)
    out[3] = False  # it does not vary, so it cannot enter
    assert np.isinf(data.options["penalty_factor"]).tolist() == out.tolist()
    with pytest.raises(ValueError, match="min_frequency and max_missing leave no variant"):
        G.align(columns, "bmi", min_frequency=0.5, max_missing=0.0)


def test_families_stay_together_in_folds(tmp_path):
    lines = lines_of_samples(N, family=lambda i: f"f{i // 4}")
    G = ss.genotypes(write_plink(tmp_path, drawn(N, P), samples=lines))
    data = G.align(table()[0], "bmi")
    assert data.family.tolist() == np.unique([f"f{i // 4}" for i in range(N)],
                                             return_inverse=True)[1].tolist()  # fmt: skip
    assert "they are of 10 families" in data.sentence
    cv = ss.cv_path(data.X, data.y, groups=data.family, n_folds=5, seed=0, n_lambdas=5)
    assert all(len(set(cv.folds[0, data.family == f])) == 1 for f in range(10))


def test_ids_that_repeat_across_families_need_both(tmp_path):
    lines = [f"f{i} s{i // 2} 0 0 0 0" for i in range(N)]
    G = ss.genotypes(write_plink(tmp_path, drawn(N, P), samples=lines))
    columns = {"IID": [f"s{i // 2}" for i in range(N)], "bmi": np.arange(N) + 1.0}
    with pytest.raises(ValueError, match="share ids, and the table has no column 'FID'"):
        G.align(columns, "bmi")
    columns["FID"] = [f"f{i}" for i in range(N)]
    order = np.random.default_rng(0).permutation(N)
    mixed = {name: np.array(column)[order] for name, column in columns.items()}
    assert G.align(mixed, "bmi").y.tolist() == (np.arange(N) + 1.0).tolist()


def test_responses_of_several_columns_and_of_labels(study):
    G, _ = study
    rng = np.random.default_rng(0)
    columns = {"IID": [f"s{i:03d}" for i in range(N)], "time": rng.exponential(size=N),
               "status": rng.integers(0, 2, N), "case": rng.choice(["yes", "no"], N)}  # fmt: skip
    data = G.align(columns, ["time", "status"])
    assert data.y == pytest.approx(np.column_stack([columns["time"], columns["status"]]))
    assert ss.path(data.X, data.y, family="cox", n_lambdas=3).family == "cox"
    labels = G.align(columns, "case")
    fit = ss.path(labels.X, labels.y, family="binomial", n_lambdas=3)
    assert fit.class_names.tolist() == ["no", "yes"]


WRONG = {
    "no sample of the genotypes is in the table: they are 's000', 's001', 's002', and column "
    "'IID' holds 'f0_s000'": {"IID": [f"f{i}_s{i:03d}" for i in range(N)]},
    "the table has two rows of sample 's001'": {"IID": ["s001"] * N},
    "the table has no column 'IID' of sample ids; it has 'bmi'": {"IID": None},
    "the table has no column 'bmi'": {"bmi": None},
    "no sample has a value of 'bmi' in the table": {"bmi": np.full(N, -9.0)},
}


@pytest.mark.parametrize("sentence", WRONG)
def test_wrong_tables(study, sentence):
    columns = {"IID": [f"s{i:03d}" for i in range(N)], "bmi": np.arange(N) + 0.5}
    columns = {k: v for k, v in (columns | WRONG[sentence]).items() if v is not None}
    with pytest.raises(ValueError, match=sentence):
        study[0].align(columns, "bmi")


def test_wrong_text_files(study, tmp_path):
    file = tmp_path / "p.tsv"
    for text, sentence in (
        ("IID\tbmi\n", "p.tsv has no rows"),
        ("IID\tbmi\ns001\t1\t2\n", "p.tsv, line 2: 3 cells under 2 names"),
    ):
        file.write_text(text)
        with pytest.raises(ValueError, match=sentence):
            study[0].align(file, "bmi")
    with pytest.raises(TypeError, match="table is 7; give the name of a text file"):
        study[0].align(7, "bmi")
    with pytest.raises(TypeError, match="did you mean 'min_frequency'"):
        study[0].align({}, "bmi", min_freq=0.1)


def test_samples_without_genotypes_are_refused_and_sex_chromosomes_are_named(tmp_path):
    values = drawn(N, 300, seed=3, missing=0.1)
    lines = [f"{'X' if j < 7 else 'chrM' if j == 7 else 3} rs{j} 0 {j} A C" for j in range(300)]
    G = ss.genotypes(write_plink(tmp_path, values, variants=lines))
    columns, _ = table()
    sentence = G.align(columns, "bmi").sentence
    assert "8 variants are of X, Y or MT, where one copy may count 2" in sentence
    values[[4, 9]] = -1
    G = ss.genotypes(write_plink(tmp_path, values, variants=lines))
    with pytest.raises(ValueError, match="'s004' has no genotype at any of 100 .* 1 other"):
        G.align(columns, "bmi")
    known = {name: column[columns["IID"] != "s004"] for name, column in columns.items()}
    known = {name: column[known["IID"] != "s009"] for name, column in known.items()}
    assert len(G.align(known, "bmi").rows) == N - 2


def test_variants_without_any_genotype_never_enter(tmp_path):
    values = drawn(N, 20, seed=3)
    values[:, 5] = -1
    G = ss.genotypes(write_plink(tmp_path, values))
    columns, _ = table()
    data = G.align(columns, "bmi")
    assert "1 variants do not vary" in data.sentence
    fit = ss.path(data.X, data.y, n_lambdas=5, lambda_min_ratio=1e-3, **data.options)
    assert not fit.coefs[[5], :].toarray().any() and np.isfinite(fit.coefs.data).all()
    with pytest.raises(ValueError, match="no variant varies among the samples"):
        ss.genotypes(write_plink(tmp_path, np.ones((N, 3)))).align(columns, "bmi")
