"""The scanner of one line of text: numbers are the nearest doubles, and ends of cells are seen."""

import numpy as np
import pytest
from sparsesolve.data.tables.text import TextParser


def read(label):
    """The number of a label, as the first cell of a line."""
    return TextParser("svmlight").parse(f"{label} 1:1\n".encode())[0][0]


def test_numbers_are_the_nearest_doubles():
    rng = np.random.default_rng(0)
    texts = [repr(float(x)) for x in rng.normal(size=300) * 10.0 ** rng.integers(-300, 300, 300)]
    texts += [f"{x:.{k}g}" for x in rng.random(50) * 1e3 for k in (1, 5, 12, 15, 16, 19, 25)]
    texts += ["0", "-0.0", "1e22", "1e23", "9007199254740993", "123456789012345678901234567890",
              "0.000000000000000000000000000001", "1.7976931348623157e308", "5e-324", ".5", "5."]
    parser = TextParser("svmlight")
    found = parser.parse("".join(f"{text} 1:1\n" for text in texts).encode())[0]
    np.testing.assert_array_equal(found, [float(text) for text in texts])


def test_exponents_and_signs():
    for text in ("+1", "-1", "1e5", "1E5", "1e+05", "1.25e-3", "-.5e1", "00012", "1e-400"):
        assert read(text) == float(text)


@pytest.mark.parametrize("text", ["-", ".", "e5", "1e", "1e+", "1.2.3", "1x", "--1", "inf", "nan"])
def test_what_is_no_number_is_named(text):
    with pytest.raises(ValueError, match="line 1"):
        read(text)


def test_a_number_beyond_doubles_is_refused():
    with pytest.raises(ValueError, match="line 1"):
        read("1e400")


def test_indices_are_read_up_to_the_largest():
    parser = TextParser("svmlight")
    assert parser.parse(b"1 2147483646:1\n")[3].tolist() == [2147483645]
    with pytest.raises(ValueError, match="has an index out of 1 to 2147483647"):
        parser.parse(b"1 99999999999999999999:1\n")  # beyond 64 bits
