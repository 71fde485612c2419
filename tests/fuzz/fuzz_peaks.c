/*
 * Any bytes as a file of peaks (BED, narrowPeak, broadPeak; plain, gzip, bgzip
 * or zstd), sorted in little memory and swept over bins: labels must be those
 * of a map of single bases, in the order of places.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/peaks.h"
#include "seq/annotation.h"

/* Contigs and profiles by the first letters of their names, a short genome. */
enum { CONTIGS = 2, PROFILES = 3, LENGTH = 640, BIN = 20, BINS = LENGTH / BIN };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x))                                                              \
            abort();                                                           \
    } while (0)

static uint8_t map[CONTIGS][PROFILES][LENGTH];

/* What can be had of the line; 0: it lies behind the end. */
static int peak_of(struct bird_peak *p, const struct bird_bed_line *l)
{
    *p = (struct bird_peak){.start = l->start,
                            .end = l->end > LENGTH ? LENGTH : l->end,
                            .contig = (uint8_t)l->contig[0] % CONTIGS,
                            .profile =
                                (l->name ? (uint8_t)l->name[0] : 0) % PROFILES};
    return p->start < LENGTH;
}

/* Peaks into the sort and the map; the status of the file. */
static int read_peaks(struct bird_peak_sort *sort, const uint8_t *data,
                      size_t size)
{
    struct bird_bed_line line;
    struct bird_peak p;
    struct bird_lines bed;
    int rc;

    memset(map, 0, sizeof(map));
    rc = bird_lines_open_memory(&bed, "x.bed", data, (int64_t)size);
    if (rc)
        return rc;
    while ((rc = bird_bed_next(&bed, &line)) > 0) {
        MUST(line.start >= 0 && line.start < line.end);
        if (!peak_of(&p, &line))
            continue;
        MUST(!bird_peak_sort_add(sort, &p));
        memset(map[p.contig][p.profile] + p.start, 1,
               (size_t)(p.end - p.start));
    }
    bird_lines_close(&bed);
    return rc;
}

static int has_label(int64_t contig, int64_t profile, int64_t bin,
                     const struct bird_overlap_rule *rule)
{
    const uint8_t *at = map[contig][profile] + bin * BIN;
    int64_t n = 0;

    for (int64_t i = rule->lo; i < rule->hi; i++)
        n += at[i];
    return n >= rule->least;
}

static void check(struct bird_peak_sort *sort, const char *text)
{
    struct bird_overlap_rule rule;
    struct bird_labelled_bin b;
    struct bird_bin_sweep *s;
    int64_t at = 0;
    int more;

    MUST(!bird_overlap_parse(&rule, text, BIN));
    MUST(!bird_bin_sweep_new(&s, sort, BIN, PROFILES, &rule));
    do {
        int64_t here = CONTIGS * BINS;

        more = bird_bin_sweep_next(s, &b);
        MUST(more >= 0);
        if (more)
            here = (int64_t)b.contig * BINS + b.number;
        MUST(here >= at && (!more || b.n > 0));
        for (; at < here; at++) /* bins passed over have no label */
            for (int64_t k = 0; k < PROFILES; k++)
                MUST(!has_label(at / BINS, k, at % BINS, &rule));
        for (int64_t k = 0, i = 0; more && k < PROFILES; k++) {
            int given = i < b.n && b.label[i] == k;

            MUST(given == has_label(b.contig, k, b.number, &rule));
            i += given;
        }
        at++;
    } while (more);
    bird_bin_sweep_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const rules[] = {"half", "any", "centre", "0.5"};
    struct bird_peak_sort *sort;

    MUST(!bird_peak_sort_new(&sort, 1 << 16, "/tmp"));
    if (read_peaks(sort, data, size)) {
        MUST(!strncmp(bird_last_error(), "x.bed: ", 7));
    } else {
        MUST(!bird_peak_sort_finish(sort));
        check(sort, rules[size % 4]);
    }
    bird_peak_sort_free(sort);
    return 0;
}
