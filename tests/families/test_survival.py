"""Cox's family: ties, strata, and what it has not."""

import pickle

import numpy as np
import pytest

from sparsesolve import families
from sparsesolve.families import read_family


def test_cox_reads_ties_and_strata():
    y = ([1.0, 1.0, 2.0, 3.0], [1, 1, 0, 1])
    w = np.full(4, 0.25)
    both = families.cox(), pickle.loads(pickle.dumps(families.cox("efron")))
    breslow, efron = (family.loss(family.read(y, 4).values, w) for family in both)
    assert breslow.at(np.zeros(4))[0] > efron.at(np.zeros(4))[0]
    strata = families.cox(strata=["b", "a", "b", "a"]).read(y, 4).values
    assert strata[:, 3].tolist() == [1, 0, 1, 0]
    assert read_family("cox").read(y, 4).values[:, 3].tolist() == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="ties must be one of 'breslow', 'efron', not 'exact'"):
        families.cox("exact")
    with pytest.raises(ValueError, match="strata has 2 labels but X has 4 rows"):
        families.cox(strata=[0, 1]).read(y, 4)


def test_cox_has_no_intercept_and_the_rule_of_glmnet():
    assert not families.cox().intercept
    assert families.cox().stop == (1e-3, 4, True, 0.99)


def test_strata_are_those_of_the_call():
    strata = np.array([0, 1, 0, 1])
    family = families.cox(strata=strata)
    strata[:] = 0
    y = ([1.0, 1.0, 2.0, 3.0], [1, 1, 0, 1])
    assert family.read(y, 4).values[:, 3].tolist() == [0, 1, 0, 1]
