"""
Text classification: docstrings of four libraries
=================================================

Documents from four classes, words as features: tf-idf, a sparse multinomial path, the accuracy on
new documents, and the words that speak most for each class. The documents are docstrings of numpy,
scipy, pandas and scikit-learn.
"""

import inspect
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy.optimize
import scipy.signal
import scipy.stats
import sklearn.cluster
import sklearn.linear_model
import sklearn.preprocessing
from sklearn.feature_extraction.text import TfidfVectorizer

import sparsesolve as ss

# %%
# The file: a class and a text in each row. Names of the libraries are taken out, or they would
# tell.
MODULES = {
    "numpy": [np, np.linalg, np.random],
    "scipy": [scipy.stats, scipy.optimize, scipy.signal],
    "pandas": [pd, pd.DataFrame, pd.Series, pd.Index],
    "sklearn": [sklearn.linear_model, sklearn.cluster, sklearn.preprocessing],
}
rows = []
for library, modules in MODULES.items():
    for module in modules:
        for name, thing in vars(module).items():
            text = inspect.getdoc(thing) if callable(thing) and name[0] != "_" else None
            if text and len(text) > 300:
                rows.append((library, text[:2000]))
folder = Path(tempfile.mkdtemp())
pd.DataFrame(rows, columns=["library", "text"]).to_csv(folder / "documents.csv", index=False)

# %%
# tf-idf keeps X sparse. Its values are comparable as they are, hence ``standardize=False``.
documents = pd.read_csv(folder / "documents.csv").drop_duplicates("text")
stop = ["numpy", "np", "scipy", "pandas", "pd", "sklearn", "scikit", "learn"]
words = TfidfVectorizer(min_df=5, stop_words=stop, token_pattern=r"[a-z]{3,}")
X = words.fit_transform(documents["text"].str.lower())
library = documents["library"].to_numpy()
train = np.random.default_rng(0).random(len(library)) < 0.7
print(X.shape[0], "documents,", X.shape[1], "words,", f"{X.nnz / np.prod(X.shape):.1%} non-zero")

cv = ss.cv_path(
    X[train], library[train], family="multinomial", standardize=False, measure="class", n_folds=3,
    n_lambdas=30, lambda_min_ratio=0.02, tol=1e-5, seed=0,
    feature_names=words.get_feature_names_out().tolist(),
)  # fmt: skip
print(cv)

# %%
# New documents:
print(ss.confusion(cv, X[~train], library[~train], s="lambda_min"))

# %%
# The words that speak most for each library.
coefs = cv.coef("lambda_min")
figure, axes = plt.subplots(1, 4, figsize=(11, 4), layout="constrained")
for ax, name, row in zip(axes, cv.path.class_names, coefs, strict=True):
    top = np.argsort(row)[-10:]
    ax.barh(cv.path.feature_names[top], row[top])
    ax.set_title(name)
plt.show()
