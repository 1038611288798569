// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <locale.h>
#include <stdint.h>

#include "render/figure.h"
#include "same.h"

Test(figure, groups_by_thousands_up_to_the_ends_of_the_range)
{
    static const struct {
        int64_t value;
        const char *grouped, *with_sign;
    } cases[] = {{0, "0", "0"},
                 {7, "7", "+7"},
                 {999, "999", "+999"},
                 {1000, "1,000", "+1,000"},
                 {-1000, "-1,000", "-1,000"},
                 {1220541, "1,220,541", "+1,220,541"},
                 {INT64_MAX, "9,223,372,036,854,775,807", "+9,223,372,036,854,775,807"},
                 {INT64_MIN, "-9,223,372,036,854,775,808", "-9,223,372,036,854,775,808"}};
    char out[FIGURE_SIZE];
    (void)setlocale(LC_ALL, "");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SAME(figure_grouped(out, cases[i].value), cases[i].grouped);
        SAME(figure_signed(out, cases[i].value), cases[i].with_sign);
    }
}

Test(figure, shows_scaled_numbers_with_their_decimals)
{
    static const struct {
        int64_t scaled;
        unsigned decimals;
        const char *text;
    } cases[] = {{0, 2, "0.00"},
                 {125, 2, "+1.25"},
                 {-5, 2, "-0.05"},
                 {1, 3, "+0.001"},
                 {1234567, 2, "+12,345.67"},
                 {-7, 0, "-7"},
                 {INT64_MIN, 9, "-9,223,372,036.854775808"}};
    char out[FIGURE_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SAME(figure_fixed(out, cases[i].scaled, cases[i].decimals), cases[i].text);
    }
}

Test(figure, a_ratio_is_whole_or_has_one_rounded_decimal)
{
    static const struct {
        int64_t numerator, denominator;
        const char *text;
    } cases[] = {{7732000, 1000, "7,732"},
                 {7732500, 1000, "7,732.5"},
                 {1, 3, "0.3"},
                 {2, 3, "0.7"},
                 {1, 20, "0.1"},
                 {1, 21, "0.0"},
                 {-1, 2, "-0.5"},
                 {0, 5, "0"},
                 {5, 0, "-"},
                 {5, -1, "-"},
                 {1999, 1000, "2.0"},
                 {-1999, 1000, "-2.0"},
                 {INT64_MAX, 1, "9,223,372,036,854,775,807"},
                 {INT64_MAX - 1, INT64_MAX, "1.0"}};
    char out[FIGURE_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SAME(figure_per(out, cases[i].numerator, cases[i].denominator), cases[i].text);
    }
}
