"""A path in words: glmnet's table, one line, a notebook's."""

import dataclasses
import warnings

import numpy as np
from soft_paths import X, fit, soft_path, y

from sparsesolve.results.status import Status


def test_print_is_glmnets_table_with_the_certificate():
    lines = str(soft_path(X, y, lambdas=[3.0, 2.0, 0.25])).splitlines()
    assert lines[0] == "gaussian path: 3 lambdas, 3 features; all lambdas solved."
    assert lines[2].split() == ["Df", "%Dev", "Lambda", "Gap"]
    assert lines[4].split() == [
        "1",
        "1",
        f"{100 * (1 - (4 + 4 + 0.25) / 13.25):.2f}",
        "2.0000",
        "1.0e-12",
    ]
    assert [line.split()[3] for line in lines[3:]] == ["3.0000", "2.0000", "0.2500"]
    assert len({len(line) for line in lines[2:]}) == 1


def test_print_marks_the_lambdas_that_missed_the_tolerance():
    path = dataclasses.replace(fit, status=[0, 1, 2], gaps=np.array([1e-9, 2e-3, 1e-5]))
    lines = str(path).splitlines()
    assert lines[4].endswith("2.0e-03*") and lines[5].endswith("1.0e-05*")
    assert lines[6:] == [f"* 1 lambda: {Status(k).sentence}" for k in (1, 2)]
    assert "1.0e-05*" in path._repr_html_()


def test_tiny_and_wide_ranges_of_lambda_stay_readable():
    tiny = dataclasses.replace(fit, lambdas=np.array([3e-11, 2e-11, 1e-12]))
    assert [line.split()[3] for line in str(tiny).splitlines()[3:]] == [
        "3.000e-11",
        "2.000e-11",
        "1.000e-12",
    ]
    zero = dataclasses.replace(fit, lambdas=np.array([123456.0, 12.0, 0.0]))
    assert [line.split()[3] for line in str(zero).splitlines()[3:]] == [
        "123500.00",
        "12.00",
        "0.00",
    ]


def test_repr_is_one_line():
    assert repr(fit) == (
        "<Path gaussian: 3 lambdas from 3 to 1, 2 of 3 features at the end, "
        f"{100 * fit.dev_ratio[-1]:.1f}% deviance explained, worst gap 1.0e-12>"
    )


def test_html_holds_the_table_and_escapes():
    path = dataclasses.replace(fit, stop_reason="dev < 1")
    page = path._repr_html_()
    assert page.count("<tr>") == 4 and "<th>Lambda</th>" in page
    assert "dev &lt; 1" in page


def test_nothing_is_printed_or_warned():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit.coef([0.5, 2.2]), fit.predict(X), fit.nonzero(), str(fit)
