/* Golden alleles: the scores of `variant --shifts 0 --tokens anchored` for a
 * few changes of a few sequences, kept in selftest.tsv after the golden
 * sequences.
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "dnabird/variant.h"
#include "folder/folder.h"
#include "session/selftest.h"
#include "variant/allele.h"
#include "variant/context.h"

enum {
    N_SEQ = 4, /* sequences that are written */
    MARGIN_BP =
        64, /* bases on either side of a window, so that the contig's end
               does not */
            /* move it */
    MOST_BP = 1 << 14, /* of a sequence */
    APART_BP = 24      /* between changes */
};

/* The changes of a sequence: bases replaced or deleted, and bases inserted. */
static const struct {
    int64_t n_ref, n_alt;
} kind[] = {{1, 1}, {1, 1}, {2, 2}, {0, 3}, {2, 0}};
enum { N_KIND = sizeof(kind) / sizeof(*kind) };

/* A sequence as a genome of one contig, and the effects of its changes. */
struct gold {
    struct bird_variant_params params;
    struct bird_variant_context context;
    struct bird_change change;
    bird_genome *g;
    struct bird_text ref, alt;
    float *scaled; /* (n_value) statistics of the current change */
    double *value; /* (n_value) */
    int64_t n_value, cap_scaled, cap_value;
};

static void close_sequence(struct gold *t)
{
    bird_context_close(&t->context);
    t->g = NULL; /* the context freed it */
}

static void gold_free(struct gold *t)
{
    close_sequence(t);
    bird_change_free(&t->change);
    bird_text_free(&t->ref);
    bird_text_free(&t->alt);
    free(t->scaled);
    free(t->value);
}

/* As `dnabird variant` scores with --shifts 0 --tokens anchored. */
static void start(struct gold *t, const char *folder, enum bird_precision p)
{
    bird_variant_options o;

    bird_variant_options_default(&o);
    t->params = o.params;
    t->params.model = folder;
    t->params.precision = p;
    t->params.shifts = "0";
    t->params.tokens = BIRD_TOKENS_ANCHORED;
}

static int open_sequence(struct gold *t, const char *bases, int64_t n)
{
    bird_genome *g = NULL;
    int rc;

    close_sequence(t);
    if ((rc = bird_genome_of_bases(&g, "selftest", bases, n)))
        return rc;
    t->g = g;
    t->context.fresh = 1; /* golden alleles have no e-values */
    return bird_context_open_on(&t->context, &t->params, g);
}

/* Score the change of t->ref at base `at` into t->alt. @return 1; 0: the model
 * cannot score it */
static int score(struct gold *t, int64_t at)
{
    struct bird_effect *e = t->context.effect;
    enum bird_variant_status status;
    struct bird_request request;
    int rc;

    t->change.contig = 0;
    t->change.start = at;
    rc = bird_change_normal(&t->change, bird_effect_cache(e), t->g, t->ref.s,
                            t->alt.s);
    if (rc <= 0)
        return rc;
    rc = bird_effect_submit(e, &request, &status, &t->change);
    if (rc || status != BIRD_VARIANT_OK)
        return rc;
    t->n_value = bird_effect_n_statistic(e);
    if ((rc = bird_effect_flush(e)) ||
        (rc = bird_array_grow(&t->scaled, &t->cap_scaled, t->n_value,
                              sizeof(*t->scaled))) ||
        (rc = bird_array_grow(&t->value, &t->cap_value, t->n_value,
                              sizeof(*t->value))))
        return rc;
    bird_effect_statistics(t->scaled, e, &request);
    for (int64_t i = 0; i < t->n_value; i++)
        t->value[i] = (double)t->scaled[i];
    bird_effect_evict(e);
    return 1;
}

/* --- writing ------------------------------------------------------------- */

/* Choose the k-th change of a sequence, with a base before it if REF or ALT
 * would be empty. @return 1; 0: not all bases there are known */
static int choose(struct gold *t, int64_t *at, const char *bases, int64_t n,
                  int64_t k)
{
    static const char acgt[] = "ACGT";
    int64_t lead = !kind[k].n_ref || !kind[k].n_alt, rc;

    *at = n / 2 + APART_BP * (k - N_KIND / 2);
    if (*at < 1 || *at + kind[k].n_ref > n)
        return 0;
    *at -= lead;
    for (int64_t i = 0; i < lead + kind[k].n_ref; i++)
        if (!strchr(acgt, bases[*at + i]))
            return 0;
    bird_text_clear(&t->ref);
    bird_text_clear(&t->alt);
    rc = bird_text_put(&t->ref, bases + *at, lead + kind[k].n_ref);
    if (!rc)
        rc = bird_text_put(&t->alt, bases + *at, lead);
    /* a base becomes the one 1 + k % 3 further in the alphabet, never itself */
    for (int64_t i = 0; i < kind[k].n_alt && !rc; i++) {
        const char *old = strchr(acgt, bases[*at + lead + i]);
        int64_t code = old ? old - acgt : 0;

        rc = bird_text_put(&t->alt, acgt + (code + 1 + k % 3) % 4, 1);
    }
    return rc ? (int)rc : 1;
}

static int put_sequence(struct bird_text *out, struct gold *t,
                        const char *bases, int64_t n, int64_t i)
{
    const char *named = bases; /* the sequence once, then "." */
    int64_t at, len = n;
    int rc = open_sequence(t, bases, n);

    for (int64_t k = 0; k < N_KIND && rc >= 0; k++) {
        if ((rc = choose(t, &at, bases, n, k)) <= 0 || (rc = score(t, at)) <= 0)
            continue;
        rc = bird_text_put(out, named, len);
        if (!rc)
            rc = bird_text_printf(out, "\t%lld:%s>%s", (long long)at + 1,
                                  t->ref.s, t->alt.s);
        if (!rc)
            rc = bird_golden_put(out, t->value, t->n_value, i, t->params.model);
        named = ".";
        len = 1;
    }
    return rc < 0 ? rc : 0;
}

/* Length of the sequences for this model; 0: it does not score changes. */
static int length_for(int64_t *n, struct gold *t)
{
    char some[] = "ACGT";
    int rc = open_sequence(t, some, 4);

    *n = 0;
    if (rc == BIRD_EINVAL || rc == BIRD_EUNSUPPORTED)
        return 0;
    if (!rc)
        *n = t->context.how.layout.context_bp + 2 * MARGIN_BP;
    if (*n > MOST_BP)
        *n = MOST_BP;
    return rc;
}

static int put_all(struct bird_text *out, struct gold *t, const char *fasta)
{
    struct bird_golden_pieces p = {0};
    int64_t want = 0;
    int rc = length_for(&want, t);

    if (rc || !want)
        return rc;
    rc = bird_golden_pieces_open(&p, fasta, N_SEQ, want);
    for (int64_t i = 0; i < N_SEQ && !rc; i++) {
        rc = bird_golden_piece(&p, i, want);
        if (!rc)
            rc = put_sequence(out, t, p.bases, p.n, i);
    }
    bird_golden_pieces_close(&p);
    return rc;
}

int bird_variant_selftest_write(const char *folder, const char *fasta)
{
    struct gold t = {.n_value = 0};
    struct bird_text out = {0};
    char *path = NULL;
    int rc = bird_path_join(&path, folder, BIRD_SELFTEST_NAME);

    start(&t, folder, BIRD_FLOAT32);
    if (!rc)
        rc = bird_file_read(&out, path);
    if (!rc)
        rc = put_all(&out, &t, fasta);
    if (!rc)
        rc = bird_file_write(path, out.s, (size_t)out.n);
    free(path);
    bird_text_free(&out);
    gold_free(&t);
    return rc;
}

/* --- comparing ----------------------------------------------------------- */

/* Largest difference that passes, relative to the value or to 1, whichever is
 * larger; docs/model-folder.md has the measurements. */
static double tolerance_of(enum bird_precision p)
{
    return p == BIRD_INT8 ? 0.05 : p == BIRD_BFLOAT16 ? 0.02 : 1e-5;
}

/* Parse "POSITION:REF>ALT" into t->ref and t->alt. */
static int parse_change(struct gold *t, int64_t *at, char *change)
{
    char *end, *alt = strchr(change, '>');
    int rc;

    errno = 0;
    *at = strtoll(change, &end, 10) - 1;
    if (!isdigit((unsigned char)*change) || errno || *end != ':' || !alt)
        return bird_fail(BIRD_EFORMAT, "'%s': a change is PLACE:REF>ALT",
                         change);
    *alt++ = '\0';
    if (!end[1] || !*alt)
        return bird_fail(BIRD_EFORMAT, "a change without REF or ALT");
    bird_text_clear(&t->ref);
    bird_text_clear(&t->alt);
    if ((rc = bird_text_put(&t->ref, end + 1, (int64_t)strlen(end + 1))) ||
        (rc = bird_text_put(&t->alt, alt, (int64_t)strlen(alt))))
        return rc;
    return 0;
}

/* Check that the sequence has REF at its position. */
static int check_change(struct gold *t, int64_t at)
{
    int64_t length = bird_genome_length(t->g, 0);
    const char *there;
    int rc;

    if (at < 0 || t->ref.n > length - at)
        return bird_fail(BIRD_EFORMAT, "a change outside of its sequence");
    rc = bird_contig_cache_get(&there, bird_effect_cache(t->context.effect),
                               t->g, 0, at, at + t->ref.n);
    if (!rc && (bird_allele_check(t->ref.s, there) != BIRD_VARIANT_OK ||
                bird_allele_kind(t->alt.s) != BIRD_VARIANT_OK))
        rc = bird_fail(BIRD_EFORMAT,
                       "%lld:%s>%s: REF must equal the sequence, and both "
                       "must be A, C, G or T",
                       (long long)at + 1, t->ref.s, t->alt.s);
    return rc;
}

static int compare(bird_selftest *out, void *context, char *sequence,
                   char *change, char *answers)
{
    struct gold *t = context;
    int64_t at = 0;
    int rc = 0;

    if (!change)
        return 0;
    if (strcmp(sequence, ".") != 0)
        rc = open_sequence(t, sequence, (int64_t)strlen(sequence));
    else if (!t->g)
        rc = bird_fail(BIRD_EFORMAT, "there is no sequence before");
    if (!rc)
        rc = parse_change(t, &at, change);
    if (!rc)
        rc = check_change(t, at);
    if (!rc)
        rc = score(t, at);
    if (rc < 0)
        return rc;
    if (!rc)
        return bird_fail(BIRD_EFORMAT, "a change that the model does not "
                                       "score");
    return bird_golden_compare(out, t->value, t->n_value, answers);
}

int bird_variant_selftest(bird_selftest *out, const char *folder,
                          enum bird_precision precision)
{
    struct gold t = {.n_value = 0};
    bird_selftest found = {.tolerance = tolerance_of(precision)};
    int rc;

    start(&t, folder, precision);
    rc = bird_golden_read(&found, folder, compare, &t);
    if (!rc)
        *out = found;
    gold_free(&t);
    return rc;
}
