/*
 * Any bytes as a table that a report is made of: rows have as many fields as
 * the header has names, columns are found by these, numbers are numbers or
 * NaN, a histogram counts what it saw, and a refusal names the file.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x))                                                              \
            abort();                                                           \
    } while (0)

static void check_head(const struct bird_report_rows *r)
{
    MUST(r->n_column > 1);
    for (int64_t i = 0; i < r->n_column; i++) {
        int64_t at = bird_report_rows_column(r, r->name[i]);

        MUST(at >= 0 && at <= i && !strchr(r->name[i], '\t'));
    }
}

/* All numbers of a row. */
static void see_row(struct bird_spread *s, const struct bird_report_rows *r,
                    int count)
{
    for (int64_t i = 0; i < r->n_column; i++) {
        int64_t place = -1;
        double v = 0;

        MUST(!strchr(r->field[i], '\t'));
        if (bird_report_rows_number(&v, r, i)) {
            MUST(!strncmp(bird_last_error(), "x.tsv: line ", 12));
            continue;
        }
        MUST(isnan(v) || isfinite(v));
        if (count)
            bird_spread_count(s, v, 1);
        else
            bird_spread_see(s, v);
        if (!bird_report_rows_place(&place, r, i))
            MUST(place >= 0);
    }
}

static int pass(struct bird_spread *s, const uint8_t *data, size_t size,
                int count)
{
    struct bird_report_rows r = {0};
    int rc = bird_report_rows_open_memory(&r, "x.tsv", data, (int64_t)size);

    if (!rc)
        check_head(&r);
    while (!rc && (rc = bird_report_rows_next(&r)) > 0) {
        see_row(s, &r, count);
        rc = 0;
    }
    if (rc && rc != BIRD_ENOMEM)
        MUST(!strncmp(bird_last_error(), "x.tsv", 5));
    bird_report_rows_close(&r);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bird_spread s = {0};
    double n = 0;
    int rc = pass(&s, data, size, 0);

    MUST(rc <= 0);
    MUST(pass(&s, data, size, 1) == rc);
    for (int i = 0; i < BIRD_SPREAD_BARS; i++) {
        MUST(!s.n || s.edge[i] <= s.edge[i + 1]);
        n += s.bar[i];
    }
    MUST(n == (double)s.n);
    return 0;
}
