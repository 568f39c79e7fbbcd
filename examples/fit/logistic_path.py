"""
Logistic lasso path: breast cancer
==================================

Which measurements of a cell tell a benign tumour from a malignant one? The lasso path of logistic
regression answers for every λ at once: features enter from the left, the strongest first.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import sparsesolve as ss

data = load_breast_cancer(as_frame=True)
y = data.target_names[data.target]
fit = ss.path(data.data, y, family="binomial", n_lambdas=15, lambda_min_ratio=1e-3)
print(fit)

# %%
# Every line has its certificate: the duality gap, relative to the loss of the model without
# features. The objective is at most that far above its minimum.

# %%
# Against λ, with names for the largest coefficients; the count of features stands on top. The
# columns have very different units, so they are scaled first, for coefficients that compare. The
# class whose probability is modelled is the last in sorted order.
scaled = (data.data - data.data.mean()) / data.data.std(ddof=0)
fit = ss.path(scaled, y, family="binomial", lambda_min_ratio=1e-3)
ax = fit.plot("lambda", label=8)
ax.set_title("Log odds of a malignant tumour", loc="left")
plt.show()
