"""Scanner: reads cells of one line of text: blanks, words, digits and numbers."""

from libc.stdint cimport uint64_t

cdef extern from "digits.h" nogil:
    int ss_digits(const char* c, const char* end, uint64_t* value)

cdef enum:
    MOST_DIGITS = 18    # so many digits always fit in 64 bits without sign

# A whole number of more digits counts as this, which is above every index.
cdef long long TOO_LARGE


cdef inline bint is_space(char c) noexcept nogil:
    return c == c' ' or c == c'\t' or c == c'\r'


cdef class Scanner:
    cdef const char* at                 # next character
    cdef const char* end                # end of the line
    cdef object wrong                   # sentence on what is wrong

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
        cdef int count = 0, some = 8
        while some == 8:
            some = ss_digits(self.at, self.end, value)
            self.at += some
            count += some
        return count

    cdef inline long long integer(self) noexcept:
        """Return a whole number of at least 0, or -1 if there is none."""
        cdef uint64_t found = 0
        cdef int count = self.digits(&found)
        if count > MOST_DIGITS:
            return TOO_LARGE
        return <long long> found if count > 0 else -1

    cdef bint refuse(self, const char* cell, str why) except -1
    cdef bint number(self, double* out) except -1
    cdef bint exponent(self, int* power) noexcept
