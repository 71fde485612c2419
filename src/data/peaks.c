/*
 * Reading peak files into the sort, each peak with its profile's number.
 *
 * A profile is that of the file, or the one whose id column 4 has.
 * SPDX-License-Identifier: MIT
 */
#include "data/peaks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

/* Names to numbers; the last answer is kept, for files are in order. */
struct lookup {
    const struct bird_peak_source **by_id; /* (n) in the order of ids */
    int64_t n;
    char contig_name[256];
    int32_t contig;
    const struct bird_peak_source *last;
};

void bird_peaks_in_free(struct bird_peaks_in *p)
{
    free(p->n_peak);
    p->n_peak = NULL;
}

static int by_id(const void *a, const void *b)
{
    const struct bird_peak_source *const *x = a, *const *y = b;

    return strcmp((*x)->id, (*y)->id);
}

/* Index the ids; one id must not mean two profiles. */
static int lookup_new(struct lookup *k, const struct bird_profile_list *l)
{
    int rc = bird_array_new(&k->by_id, l->n_source, sizeof(*k->by_id));

    if (rc)
        return rc;
    for (int64_t i = 0; i < l->n_source; i++)
        if (l->source[i].id)
            k->by_id[k->n++] = &l->source[i];
    qsort(k->by_id, (size_t)k->n, sizeof(*k->by_id), by_id);
    for (int64_t i = 1; i < k->n; i++)
        if (!by_id(&k->by_id[i - 1], &k->by_id[i]) &&
            k->by_id[i - 1]->profile != k->by_id[i]->profile)
            return bird_fail(BIRD_EINVAL, "two profiles have the id '%s'",
                             k->by_id[i]->id);
    return 0;
}

static int32_t find_profile(struct lookup *k, const char *id)
{
    const struct bird_peak_source key = {.id = (char *)(uintptr_t)id};
    const struct bird_peak_source *at = &key, **found;

    if (k->last && !strcmp(k->last->id, id))
        return k->last->profile;
    found = k->n
                ? bsearch(&at, k->by_id, (size_t)k->n, sizeof(*k->by_id), by_id)
                : NULL;
    if (!found)
        return -1;
    k->last = *found;
    return k->last->profile;
}

static int32_t find_contig(struct lookup *k, const struct bird_peaks_in *p,
                           const char *name)
{
    if (!*k->contig_name || strcmp(k->contig_name, name) != 0) {
        k->contig = bird_contigs_find(&p->ref->contigs, name);
        snprintf(k->contig_name, sizeof(k->contig_name), "%s", name);
        if (strcmp(k->contig_name, name) != 0)
            k->contig_name[0] = '\0'; /* too long to keep */
    }
    return k->contig;
}

static int add_peak(struct bird_peaks_in *p, struct lookup *k,
                    const struct bird_bed_line *line, int32_t profile)
{
    struct bird_peak x = {.start = line->start,
                          .end = line->end,
                          .contig = find_contig(k, p, line->contig),
                          .profile = profile};
    int64_t length;

    p->n_line++;
    if (x.contig < 0) {
        if (!p->n_contig++)
            snprintf(p->example, sizeof(p->example), "%s", line->contig);
        return 0;
    }
    length = p->ref->contig[x.contig].length;
    if (x.start >= length) {
        p->n_behind++;
        return 0;
    }
    if (x.end > length) {
        p->n_clipped++;
        x.end = length;
    }
    p->n_peak[profile * p->ref->n + x.contig]++;
    return bird_peak_sort_add(p->sort, &x);
}

/* One file is one profile, but its column 4 may name several. */
static void note_guess(struct bird_peaks_in *p, const char *path, int64_t n)
{
    if (!n || p->guess[0])
        return;
    snprintf(p->guess, sizeof(p->guess),
             "%.120s is one profile, but its column 4 has %lld names, each "
             "several times: if they are profiles, give --name-column",
             path, (long long)n);
}

/* @param profile the profile of all peaks in the file; -1: column 4 names the
 * profile */
static int read_file(struct bird_peaks_in *p, struct lookup *k,
                     const char *path, int32_t profile)
{
    struct bird_lines bed;
    struct bird_bed_line line;
    struct bird_column_guess guess = {.no = profile < 0 || p->list->has_id};
    int rc = bird_lines_open(&bed, path);

    if (rc)
        return rc;
    while ((rc = bird_bed_next(&bed, &line)) > 0) {
        int32_t whose = profile;

        if (whose < 0 && !line.name)
            rc = bird_fail(BIRD_EFORMAT,
                           "%s: line %lld: no column 4, which names the "
                           "profile",
                           path, (long long)line.line);
        else if (whose < 0)
            whose = find_profile(k, line.name);
        if (rc > 0 && whose < 0)
            p->n_other_id++;
        else if (rc > 0)
            rc = add_peak(p, k, &line, whose);
        if (rc >= 0)
            rc = bird_column_guess_add(&guess, &line);
        if (rc < 0)
            break;
    }
    note_guess(p, path, bird_column_guess_end(&guess));
    bird_lines_close(&bed);
    return rc;
}

static int check_any(const struct bird_peaks_in *p)
{
    if (!p->n_line && !p->n_other_id)
        return bird_fail(BIRD_EFORMAT, "the peak files contain no peaks");
    if (!p->n_line)
        return bird_fail(BIRD_EINVAL,
                         "none of the %lld peaks has, in column 4, an id of "
                         "the list of profiles",
                         (long long)p->n_other_id);
    if (p->n_line == p->n_contig + p->n_behind)
        return bird_fail(
            BIRD_EINVAL,
            "no peak lies on the reference: %lld peaks are on contigs that the "
            "reference lacks (such as '%s'), %lld beyond the end of a contig: "
            "is this another genome build?",
            (long long)p->n_contig, p->example, (long long)p->n_behind);
    return 0;
}

int bird_peaks_read(struct bird_peaks_in *p, const bird_profile_files *f)
{
    const struct bird_profile_list *l = p->list;
    int64_t n_common = f->profiles || f->name_column ? f->n_peaks : 0;
    struct lookup k = {0};
    int rc = bird_array_new(&p->n_peak, l->features.n * p->ref->n,
                            sizeof(*p->n_peak));

    if (!rc && n_common)
        rc = lookup_new(&k, l);
    for (int64_t i = 0; !rc && i < n_common; i++)
        rc = read_file(p, &k, f->peaks[i], -1);
    for (int64_t i = 0; !rc && !n_common && i < l->n_source; i++)
        if (l->source[i].path)
            rc = read_file(p, &k, l->source[i].path, l->source[i].profile);
    if (!rc)
        rc = check_any(p);
    if (!rc)
        rc = bird_peak_sort_finish(p->sort);
    free(k.by_id);
    return rc;
}
