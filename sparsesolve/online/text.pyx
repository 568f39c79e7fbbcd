"""TextParser: parses rows of SVMlight, Vowpal Wabbit and CSV text as they are read.

    svmlight    label index:value index:value ... # comment      (qid:... is left out)
    vw          label [weight] ['tag]|namespace name[:value] name ... |namespace ...
    csv         number,number,...                                 (after a line of column names)

Given: bytes that hold whole lines. Returned: labels, weights, and entries in the form of CSR.
Numbers whose digits are an integer up to 2^53, with powers of ten up to 22, are exact after one
multiplication or division of doubles. Others are read by Python's own reader, so that every
number is the nearest double. Names of vw are hashed (FNV-1a, 64 bits) into 2^bits features; whole
numbers are features themselves.
Reference: Clinger, "How to read floating point numbers accurately" (1990), for the exact case.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport INFINITY
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp

import numpy as np

cdef extern from "digits.h" nogil:
    int ss_digits(const char* c, const char* end, uint64_t* value)

FORMATS = ("svmlight", "vw", "csv")

cpdef enum Role:                    # of columns of csv without a feature
    RESPONSE = -1
    WEIGHT = -2
    IGNORED = -3

cdef double[23] POWERS
cdef int _power
POWERS[0] = 1.0
for _power in range(1, 23):
    POWERS[_power] = POWERS[_power - 1] * 10.0

cdef uint64_t BASIS = 0xcbf29ce484222325, PRIME = 0x100000001b3     # constants of FNV-1a
cdef long long MOST = 2147483646        # largest index
cdef int MOST_DIGITS = 18               # digits that always fit in 64 bits without sign
cdef uint64_t EXACT = 1 << 53           # all integers up to this are doubles


cdef inline bint is_space(char c) noexcept nogil:
    return c == c' ' or c == c'\t' or c == c'\r'


cdef class TextParser:
    """Parses blocks of whole lines.

    Parameters
    ----------
    format : {"svmlight", "vw", "csv"}
    first : int
        svmlight: number of the first feature.
    bits : int
        vw: names are hashed into 2^bits features.
    roles : (columns,) intc
        csv: the feature of a column, or RESPONSE, WEIGHT or IGNORED.
    separator : str
        csv: the character between cells.
    """
    cdef readonly str format
    cdef readonly Py_ssize_t lines      # lines read so far
    cdef int first, bits
    cdef int[::1] roles
    cdef char separator
    cdef double[::1] labels, weights, values
    cdef Py_ssize_t[::1] starts
    cdef int[::1] columns
    cdef Py_ssize_t n, nnz
    cdef const char* at
    cdef const char* end                # end of the line
    cdef object wrong                   # sentence on what is wrong

    def __init__(self, format, first=1, bits=18, roles=(), separator=","):
        self.format, self.first, self.bits = format, first, bits
        self.roles = np.array(roles, dtype=np.intc)
        self.separator = ord(separator)
        self.labels, self.weights, self.starts = np.empty(64), np.empty(64), np.zeros(65, np.intp)
        self.values, self.columns = np.empty(1024), np.empty(1024, np.intc)

    def skip_line(self):
        """Count a line that another reader has read."""
        self.lines += 1

    def parse(self, bytes text):
        """Return labels (n,), weights (n,), start (n + 1,), columns and values of the lines of
        `text`.

        ValueError names the line, counted from the first line of the first text.
        """
        cdef const char* here = text
        cdef const char* stop = here + len(text)
        cdef const char* line
        self.n = self.nnz = 0
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
                np.array(self.columns[:nnz]), np.array(self.values[:nnz]))

    cdef int make_room(self, Py_ssize_t length) except -1:
        """Allocate memory for one more row, with at most as many entries as characters."""
        if self.n + 1 >= self.labels.shape[0]:
            size = 2 * self.labels.shape[0]
            self.labels, self.weights = np.resize(self.labels, size), np.resize(self.weights, size)
            self.starts = np.resize(self.starts, size + 1)
        if self.nnz + length > self.values.shape[0]:
            size = 2 * (self.nnz + length)
            self.values = np.resize(self.values, size)
            self.columns = np.resize(self.columns, size)
        return 0

    cdef bint parse_line(self) except -1:
        """Add the row of a line, if it has one; on False, `wrong` holds a sentence."""
        cdef Py_ssize_t before = self.nnz
        if self.format == "csv":
            done = self.parse_csv()
        else:
            self.skip()
            if self.at == self.end or (self.format == "svmlight" and self.at[0] == c'#'):
                return True
            self.weights[self.n] = 1.0
            done = self.parse_svmlight() if self.format == "svmlight" else self.parse_vw()
        if not done:
            return False
        if self.n == 0:
            self.starts[0] = 0
        self.n += 1
        self.starts[self.n] = self.nnz
        return before <= self.nnz

    cdef bint parse_svmlight(self) except -1:
        cdef long long index
        cdef const char* cell
        if not self.number(&self.labels[self.n]):
            return self.refuse(self.at, "is not a number")
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
                return self.refuse(cell, f"has an index out of {self.first} to {MOST}")
            self.columns[self.nnz] = <int> (index - self.first)
            self.nnz += 1

    cdef bint parse_vw(self) except -1:
        cdef uint64_t space = BASIS
        cdef double scale = 1.0, value
        cdef const char* cell
        cdef Py_ssize_t numbers = 0
        # Label, weight and tag.
        while True:
            self.skip()
            if self.at == self.end or self.at[0] == c'|':
                break
            cell = self.at
            if cell[0] == c'\'':
                self.skip_name()
                continue
            if numbers > 2 or not self.number(&value):
                return self.refuse(cell, "is neither a label, a weight nor a 'tag")
            if numbers == 0:
                self.labels[self.n] = value
            elif numbers == 1:
                if not 0.0 <= value < INFINITY:
                    return self.refuse(cell, "is no weight; weights are at least 0")
                self.weights[self.n] = value
            numbers += 1
        if numbers == 0:
            self.wrong = "there is no label before the first |"
            return False
        while self.at < self.end:
            if self.at[0] == c'|':
                self.at += 1
                space, scale, cell = BASIS, 1.0, self.at
                while self.at < self.end and not is_space(self.at[0]) and self.at[0] != c':':
                    space = (space ^ <unsigned char> self.at[0]) * PRIME
                    self.at += 1
                if self.at < self.end and self.at[0] == c':':
                    self.at += 1
                    if not self.number(&scale):
                        return self.refuse(cell, "is not namespace:scale")
                self.skip()
                continue
            if not self.vw_feature(space, scale):
                return False
            self.skip()
        return True

    cdef bint vw_feature(self, uint64_t space, double scale) except -1:
        """Read name or name:value."""
        cdef const char* cell = self.at
        cdef uint64_t h = space
        cdef long long number = self.integer()
        cdef bint whole = space == BASIS and 0 <= number <= MOST and self._name_ends()
        if not whole:
            self.at = cell
            while not self._name_ends():
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

    cdef bint parse_csv(self) except -1:
        cdef int column = 0, role, n_columns = <int> self.roles.shape[0]
        cdef double value
        cdef const char* cell
        self.weights[self.n], self.labels[self.n] = 1.0, 0.0
        self.skip()
        if self.at == self.end:
            self.wrong = "the line is empty"
            return False
        while True:
            self.skip()
            cell, role = self.at, self.roles[column] if column < n_columns else IGNORED
            if role == IGNORED:
                while self.at < self.end and self.at[0] != self.separator:
                    self.at += 1
            elif not self.number(&value):
                return self.refuse(cell, f"in column {column + 1} is not a number")
            self.skip()
            if role == RESPONSE:
                self.labels[self.n] = value
            elif role == WEIGHT:
                if not 0.0 <= value < INFINITY:
                    return self.refuse(cell, "is no weight; weights are at least 0")
                self.weights[self.n] = value
            elif role >= 0 and value != 0.0:
                self.values[self.nnz], self.columns[self.nnz] = value, role
                self.nnz += 1
            column += 1
            if self.at == self.end:
                break
            if self.at[0] != self.separator:
                return self.refuse(cell, f"in column {column} is not a number")
            self.at += 1
        if column != n_columns:
            self.wrong = f"the line has {column} cells for {n_columns} columns"
            return False
        return True

    cdef inline void skip(self) noexcept:
        while self.at < self.end and is_space(self.at[0]) and self.at[0] != self.separator:
            self.at += 1

    cdef inline void skip_word(self) noexcept:
        while self.at < self.end and not is_space(self.at[0]):
            self.at += 1

    cdef inline void skip_name(self) noexcept:
        while self.at < self.end and not is_space(self.at[0]) and self.at[0] != c'|':
            self.at += 1

    cdef bint refuse(self, const char* cell, str why) except -1:
        """Set the sentence on what is wrong with the cell that begins there."""
        cdef const char* last = cell
        while last < self.end and not is_space(last[0]) and last[0] != self.separator \
                and last - cell < 40:
            last += 1
        text = PyBytes_FromStringAndSize(cell, last - cell).decode("utf-8", "replace")
        self.wrong = f"{text!r} {why}"
        return False

    cdef inline bint _name_ends(self) noexcept:
        return self.at == self.end or is_space(self.at[0]) or self.at[0] == c':'

    cdef inline int digits(self, uint64_t* value) noexcept:
        """Append digits to `value`, and return their number. With too many digits `value` is
        wrong.
        """
        cdef int count = 0, some = 8
        while some == 8:
            some = ss_digits(self.at, self.end, value)
            self.at += some
            count += some
        return count

    cdef inline long long integer(self) noexcept:
        """Return a whole number of at least 0, -1 if there is none, more than MOST if it is
        larger.
        """
        cdef uint64_t found = 0
        cdef int count = self.digits(&found)
        if count > MOST_DIGITS:
            return MOST + 1
        return <long long> found if count > 0 else -1

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
                and self.at[0] != self.separator and self.at[0] != c'#' and self.at[0] != c':':
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
