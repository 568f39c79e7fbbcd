/* Decimal digits, up to eight at a time. Eight characters are one word, the first of them its
 * lowest byte. A byte xor '0' is below 10 for a digit alone. After a shift that puts the
 * digits at the top of the word, missing digits are leading zeros; then neighbours are
 * combined to pairs, fours and eights. Reference: Lemire, "Number parsing at a gigabyte per
 * second" (2021), section 4. */
#ifndef SS_DIGITS_H
#define SS_DIGITS_H

#include <stdint.h>
#include <string.h>

#if (defined(__GNUC__) || defined(__clang__)) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SS_WORDS_OF_DIGITS 1
#endif

/* 10^k for k = 0 to 8 */
static const uint64_t ss_power_of_ten[9] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Read the digits at c, at most eight and only before `end`. Return their number, and append
 * them to *value. */
static inline int ss_digits(const char *c, const char *end, uint64_t *value) {
    int count = 0;
#ifdef SS_WORDS_OF_DIGITS
    if (end - c >= 8) {
        uint64_t word, other;
        memcpy(&word, c, 8);
        word ^= 0x3030303030303030u;
        other = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
        count = other ? __builtin_ctzll(other) / 8 : 8;
        if (count == 0)
            return 0;
        word <<= 64 - 8 * count;
        word = 10 * word + (word >> 8);
        word = ((word & 0x000000FF000000FFu) * 0x000F424000000064u
                + ((word >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32;
        *value = ss_power_of_ten[count] * *value + (uint32_t) word;
        return count;
    }
#endif
    for (; count < 8 && c + count < end && c[count] >= '0' && c[count] <= '9'; ++count)
        *value = 10 * *value + (uint64_t) (c[count] - '0');
    return count;
}

#endif
