"""
Cross-validation curve: diabetes
================================

Ten folds of the diabetes data of Efron et al. (2004), with squares and products of the features,
are held out in turn. Dotted lines mark the λ of the least mean error and the largest λ within one
standard error of it; `coef` and `predict` take the second unless told otherwise.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import PolynomialFeatures

import sparsesolve as ss

X, y = load_diabetes(return_X_y=True, as_frame=True)
X = PolynomialFeatures(2, include_bias=False).set_output(transform="pandas").fit_transform(X)
cv = ss.cv_path(X, y, n_folds=10, seed=0)
print(cv)
cv.plot()
plt.show()

# %%
# What was chosen, by name:
for j in cv.nonzero():
    print(f"{cv.path.feature_names[j]:12s} {cv.coef()[j]:9.1f}")
