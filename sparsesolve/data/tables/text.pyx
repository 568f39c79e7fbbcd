"""TextParser: parses rows of SVMlight and Vowpal Wabbit text as they are read.

    svmlight    label index:value index:value ... # comment      (qid:... is left out)
    vw          [label [weight [base]]] ['tag] |namespace[:scale] name[:value] name ... |...

Given: bytes that hold whole lines. Returned: labels, weights, bases, tags, and entries in the form
of CSR. A base is a known part of the linear predictor, an offset. A tag names its row; it starts
with ' or touches the first |. Names of vw are hashed (FNV-1a, 64 bits) after their namespace and a
blank, which no name contains, into 2^bits features; whole numbers without a namespace are features
themselves. Models of sparsesolve 0.1 hashed without the blank: `hashing` 1.

Numbers whose digits are an integer up to 2^53, with powers of ten up to 22, are exact after one
multiplication or division of doubles. Others are read by Python's own reader, so that every number
is the nearest double.
Reference: Clinger, "How to read floating point numbers accurately" (1990), for the exact case.
"""
cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport INFINITY, NAN
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp

import numpy as np

HASHING = 2                         # how names are hashed now

cdef enum:
    MOST_DIGITS = 18    # so many digits always fit in 64 bits without sign

# A whole number of more digits counts as this, which is above every index.
cdef long long TOO_LARGE = <long long> 1 << 62
# All integers up to this are doubles.
cdef uint64_t EXACT = 1 << 53
cdef double[23] POWERS
cdef int _power
POWERS[0] = 1.0
for _power in range(1, 23):
    POWERS[_power] = POWERS[_power - 1] * 10.0

# The largest index.
cdef long long MOST = 2147483646
# These are the constants of FNV-1a.
cdef uint64_t BASIS = 0xcbf29ce484222325, PRIME = 0x100000001b3


cdef inline bint is_space(char c) noexcept nogil:
    return c == c' ' or c == c'\t' or c == c'\r'


@cython.final
cdef class TextParser:
    """Parses blocks of whole lines.

    Parameters
    ----------
    format : {"svmlight", "vw"}
    first : int
        svmlight: number of the first feature.
    bits : int
        vw: names are hashed into 2^bits features.
    labels : bool
        Whether each row must have a label; without one it is NaN.
    hashing : {1, 2}
    """
    cdef readonly str format
    cdef readonly Py_ssize_t lines      # lines read so far
    cdef int first, bits, hashing
    cdef bint labelled
    cdef double[::1] labels, weights, bases, values
    cdef Py_ssize_t[::1] starts
    cdef int[::1] columns
    cdef list tags
    cdef Py_ssize_t n, nnz
    cdef const char* at                 # next character
    cdef const char* end                # end of the line
    cdef object wrong                   # sentence on what is wrong

    def __init__(self, format, first=1, bits=18, labels=True, hashing=HASHING):
        self.format, self.first, self.bits = format, first, bits
        self.labelled, self.hashing = labels, hashing
        self.labels, self.weights, self.bases = np.empty(64), np.empty(64), np.empty(64)
        self.starts = np.zeros(65, np.intp)
        self.values, self.columns = np.empty(1024), np.empty(1024, np.intc)

    def parse(self, bytes text):
        """Return labels (n,), weights (n,), start (n + 1,), columns, values, bases (n,) and tags,
        a list, of the lines of `text`.

        ValueError names the line, counted from the first line of the first text.
        """
        cdef const char* here = text
        cdef const char* stop = here + len(text)
        cdef const char* line
        self.n = self.nnz = 0
        self.tags = []
        while here < stop:
            line = here
            here = <const char*> memchr(line, c'\n', stop - line)
            here = here if here != NULL else stop
            self.lines += 1
            self.at, self.end = line, here
            self.make_room(here - line)
            if not self.parse_line():
                raise ValueError(f"line {self.lines}: {self.wrong}")
            here += 1
        n, nnz = self.n, self.nnz
        return (np.array(self.labels[:n]), np.array(self.weights[:n]),
                np.array(self.starts[:n + 1]),
                np.array(self.columns[:nnz]), np.array(self.values[:nnz]),
                np.array(self.bases[:n]), self.tags)

    cdef int make_room(self, Py_ssize_t length) except -1:
        """Allocate memory for one more row, with at most as many entries as characters."""
        if self.n + 1 >= self.labels.shape[0]:
            size = 2 * self.labels.shape[0]
            self.labels, self.weights = np.resize(self.labels, size), np.resize(self.weights, size)
            self.bases, self.starts = np.resize(self.bases, size), np.resize(self.starts, size + 1)
        if self.nnz + length > self.values.shape[0]:
            size = 2 * (self.nnz + length)
            self.values = np.resize(self.values, size)
            self.columns = np.resize(self.columns, size)
        return 0

    cdef bint parse_line(self) except -1:
        """Add the row of a line, if it has one; on False, `wrong` holds a sentence."""
        self.skip()
        if self.at == self.end or (self.format == "svmlight" and self.at[0] == c'#'):
            return True
        self.labels[self.n], self.weights[self.n], self.bases[self.n] = NAN, 1.0, 0.0
        if not (self.parse_svmlight() if self.format == "svmlight" else self.parse_vw()):
            return False
        if self.n == 0:
            self.starts[0] = 0
        self.n += 1
        self.starts[self.n] = self.nnz
        return True

    cdef bint parse_svmlight(self) except -1:
        cdef long long index
        cdef const char* cell
        cell = self.at
        if not self.number(&self.labels[self.n]) or (self.at < self.end and self.at[0] == c':'):
            if self.labelled or self.at == cell:
                return self.refuse(cell, "is not a number, where the label stands")
            self.at, self.labels[self.n] = cell, NAN
        while True:
            self.skip()
            if self.at == self.end or self.at[0] == c'#':
                return True
            cell = self.at
            if self.end - cell > 4 and memcmp(cell, <const char*> b"qid:", 4) == 0:
                self.skip_word()
                continue
            index = self.integer()
            if index < 0 or self.at == self.end or self.at[0] != c':':
                return self.refuse(cell, "is not index:value")
            self.at += 1
            if not self.number(&self.values[self.nnz]):
                return self.refuse(cell, "is not index:value")
            if index < self.first or index - self.first > MOST:
                hint = "; features numbered from 0 need --zero-based" if index == 0 else ""
                return self.refuse(
                    cell, f"has an index out of {self.first} to {self.first + MOST}{hint}")
            self.columns[self.nnz] = <int> (index - self.first)
            self.nnz += 1

    cdef bint parse_vw(self) except -1:
        cdef uint64_t space = BASIS
        cdef double scale = 1.0
        cdef bint named = False
        cdef const char* cell
        if not self.parse_head():
            return False
        while self.at < self.end:
            if self.at[0] == c'|':
                self.at += 1
                space, scale, cell = BASIS, 1.0, self.at
                while not self.name_ends():
                    space = (space ^ <unsigned char> self.at[0]) * PRIME
                    self.at += 1
                named = self.at > cell
                if self.hashing > 1:
                    space = (space ^ <unsigned char> c' ') * PRIME
                if self.at < self.end and self.at[0] == c':':
                    self.at += 1
                    if not self.number(&scale):
                        return self.refuse(cell, "is not namespace:scale")
                self.skip()
                continue
            if not self.vw_feature(space, named, scale):
                return False
            self.skip()
        return True

    cdef bint parse_head(self) except -1:
        """Read label, weight, base and tag."""
        cdef double value
        cdef const char* cell
        cdef Py_ssize_t numbers = 0
        tag = None
        while True:
            self.skip()
            if self.at == self.end or self.at[0] == c'|':
                break
            cell = self.at
            found = cell[0] != c'\'' and self.number(&value)
            if found and self.at < self.end and self.at[0] == c'|':
                return self.refuse(cell, "touches the |, as a tag does; put a blank between them")
            if not found:
                self.skip_name()
                if tag is not None or (cell[0] != c'\'' and (
                        self.at == self.end or self.at[0] != c'|')):
                    return self.refuse(cell, "is neither a label, a weight, a base nor a 'tag")
                cell += cell[0] == c'\''
                tag = PyBytes_FromStringAndSize(cell, self.at - cell).decode("utf-8", "replace")
                continue
            if numbers > 2 or tag is not None:
                return self.refuse(cell, "is neither a label, a weight, a base nor a 'tag")
            if numbers == 0:
                self.labels[self.n] = value
            elif numbers == 1:
                if not 0.0 <= value < INFINITY:
                    return self.refuse(cell, "is no weight; weights are at least 0")
                self.weights[self.n] = value
            else:
                self.bases[self.n] = value
            numbers += 1
        if numbers == 0 and self.labelled:
            self.wrong = "there is no label before the first |"
            return False
        self.tags.append(tag)
        return True

    cdef bint vw_feature(self, uint64_t space, bint named, double scale) except -1:
        """Read name or name:value."""
        cdef const char* cell = self.at
        cdef uint64_t h = space
        cdef long long number = self.integer()
        cdef bint whole = not named and 0 <= number <= MOST and self.name_ends()
        if not whole:
            self.at = cell
            while not self.name_ends():
                h = (h ^ <unsigned char> self.at[0]) * PRIME
                self.at += 1
        if self.at == cell:
            return self.refuse(cell, "has no name")
        self.values[self.nnz] = 1.0
        if self.at < self.end and self.at[0] == c':':
            self.at += 1
            if not self.number(&self.values[self.nnz]):
                return self.refuse(cell, "is not name:value")
        self.values[self.nnz] *= scale
        h = <uint64_t> number if whole else h ^ (h >> 32)
        self.columns[self.nnz] = <int> (h & ((<uint64_t> 1 << self.bits) - 1))
        self.nnz += 1
        return True

    cdef inline void skip(self) noexcept:
        while self.at < self.end and is_space(self.at[0]):
            self.at += 1

    cdef inline void skip_word(self) noexcept:
        while self.at < self.end and not is_space(self.at[0]):
            self.at += 1

    cdef inline void skip_name(self) noexcept:
        while self.at < self.end and not is_space(self.at[0]) and self.at[0] != c'|':
            self.at += 1

    cdef inline bint name_ends(self) noexcept:
        return (self.at == self.end or is_space(self.at[0]) or self.at[0] == c':'
                or self.at[0] == c'|')

    cdef inline int digits(self, uint64_t* value) noexcept:
        """Append digits to `value`, and return their number. With too many digits `value` is
        wrong.
        """
        cdef const char* here = self.at
        cdef const char* end = self.end
        cdef uint64_t found = value[0]
        while here < end and c'0' <= here[0] <= c'9':
            found = 10 * found + <uint64_t> (here[0] - c'0')
            here += 1
        value[0] = found
        cdef int count = <int> (here - self.at)
        self.at = here
        return count

    cdef inline long long integer(self) noexcept:
        """Return a whole number of at least 0, or -1 if there is none."""
        cdef uint64_t found = 0
        cdef int count = self.digits(&found)
        if count > MOST_DIGITS:
            return TOO_LARGE
        return <long long> found if count > 0 else -1

    cdef bint refuse(self, const char* cell, str why) except -1:
        """Set the sentence on what is wrong with the cell that begins there."""
        cdef const char* last = cell
        while last < self.end and not is_space(last[0]) and last - cell < 40:
            last += 1
        text = PyBytes_FromStringAndSize(cell, last - cell).decode("utf-8", "replace")
        self.wrong = f"{text!r} {why}"
        return False

    cdef bint number(self, double* out) except -1:
        """Read a finite number at `at`, which moves behind it; return False if there is none."""
        cdef const char* begun = self.at
        cdef const char* end = self.end
        cdef bint minus = False
        cdef uint64_t digits = 0
        cdef int count, power = 0
        if self.at < end and (self.at[0] == c'-' or self.at[0] == c'+'):
            minus = self.at[0] == c'-'
            self.at += 1
        count = self.digits(&digits)
        if self.at < end and self.at[0] == c'.':
            self.at += 1
            power = -self.digits(&digits)
            count -= power
        if count == 0 or (self.at < end and self.at[0] | 32 == c'e' and not self.exponent(&power)):
            self.at = begun
            return False
        if self.at < end and not is_space(self.at[0]) and self.at[0] != c'|' \
                and self.at[0] != c'#' and self.at[0] != c':':
            self.at = begun
            return False
        if count <= MOST_DIGITS and digits <= EXACT and -22 <= power <= 22:
            out[0] = <double> digits / POWERS[-power] if power < 0 else digits * POWERS[power]
            if minus:
                out[0] = -out[0]
            return True
        out[0] = float(PyBytes_FromStringAndSize(begun, self.at - begun))
        return -INFINITY < out[0] < INFINITY

    cdef bint exponent(self, int* power) noexcept:
        """Add e, sign and digits to the power of ten; return False if digits are missing."""
        cdef int sign = 1, found = 0
        self.at += 1
        if self.at < self.end and (self.at[0] == c'-' or self.at[0] == c'+'):
            sign = -1 if self.at[0] == c'-' else 1
            self.at += 1
        if self.at == self.end or not c'0' <= self.at[0] <= c'9':
            return False
        while self.at < self.end and c'0' <= self.at[0] <= c'9':
            found = min(10 * found + (self.at[0] - c'0'), 99999)
            self.at += 1
        power[0] += sign * found
        return True


def place_of(str namespace, str name, int bits):
    """Return the place among 2^bits of a name of vw."""
    cdef uint64_t h = BASIS
    cdef unsigned char c
    if not namespace and name.isdecimal() and name.isascii() and int(name) <= MOST:
        return int(name) & ((1 << bits) - 1)
    for c in f"{namespace} {name}".encode():
        h = (h ^ c) * PRIME
    return (h ^ (h >> 32)) & ((<uint64_t> 1 << bits) - 1)
