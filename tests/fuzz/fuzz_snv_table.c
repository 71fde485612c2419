/*
 * Any bytes as a table of single-base changes, header and rows: what is taken
 * has numbers and a count of tokens, and can be written; a refusal names the
 * table. The first byte says for which run: of one feature, of two, of a
 * masked-language model, of a noise bar; and whether the line of settings,
 * which no mutation finds, is put in front.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "variant/snv_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x))                                                              \
            abort();                                                           \
    } while (0)

enum { WITH_SETTINGS = 1, TWO = 2, MASKED = 4, DRAWS = 8, SUMMED = 16 };
enum { N_BASE = 4, MOST = 1 << 16 };

static const char bases[] = "ACGT";
static struct bird_variant_context context;
static char *settings;

/* The tiny model on a contig of four bases: once. */
static void open_context(void)
{
    const char *tests = getenv("BIRD_TEST_DATA");
    bird_variant_options o;
    bird_genome *g = NULL;
    json_t *j = NULL;
    char path[4096];

    snprintf(path, sizeof(path), "%s/data/model", tests ? tests : "tests");
    bird_variant_options_default(&o);
    o.params.model = path;
    o.params.shifts = "0";
    MUST(!bird_genome_of_bases(&g, "c", bases, N_BASE));
    MUST(!bird_context_open_on(&context, &o.params, g));
    MUST(!bird_snv_settings(&j, &context));
    settings = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(15));
    MUST(settings);
    json_decref(j);
}

static void choose_shown(struct bird_selected_scores *s, int how)
{
    static bird_feature one[] = {{.name = "x"}},
                        two[] = {{.name = "x"}, {.name = "y z"}};
    static uint8_t summed[] = {1, 1};
    static int64_t feature[] = {0};
    int n = how & TWO && !(how & MASKED) ? 2 : 1;

    *s = (struct bird_selected_scores){
        .likelihood = !!(how & MASKED),
        .features = {.at = n == 2 ? two : one, .n = n},
        .summed = summed,
        .n_summed = n,
        .feature = feature,
        .n_feature = 1,
        .n_replicate = how & DRAWS ? 6 : 0};
    s->score[s->n_score++] = s->likelihood ? BIRD_SCORE_LLR : BIRD_SCORE_DIFF;
    s->score[s->n_score++] =
        s->likelihood ? BIRD_SCORE_DISTANCE : BIRD_SCORE_DEEPSEA;
}

/* Header and rows of the input, each to a NUL. */
static void split(struct bird_text *header, struct bird_text *rows,
                  const char *text, int how)
{
    const char *s = text;

    while (*s == '#' || (*s == '\n' && s > text))
        s += strcspn(s, "\n") + (strchr(s, '\n') != NULL);
    if (how & WITH_SETTINGS)
        MUST(!bird_text_printf(header, "%s%s\n", BIRD_SNV_SETTINGS, settings));
    MUST(!bird_text_put(header, text, s - text));
    MUST(!bird_text_put(rows, s, (int64_t)strlen(s)));
}

/* A number is there, or nobody reads it. */
static void check_found(const struct bird_snv_lookup *l,
                        const struct bird_allele_request *a,
                        const struct bird_selected_scores *shown)
{
    struct bird_allele_result o = {0};

    MUST(bird_variant_status_name((int)a->status));
    if (a->status != BIRD_VARIANT_OK)
        return;
    MUST(a->request.n_changed >= 0 && a->request.ref < 0 && a->request.alt < 0);
    bird_snv_lookup_take(&o, l, &a->request);
    MUST(isfinite(o.p_ref[0]) && isfinite(o.p_alt[0]));
    MUST(!shown->likelihood || isfinite(o.p_ref[BIRD_STATE_DISTANCE]));
    MUST(!shown->n_replicate == !o.known);
    for (int i = 0; i < shown->n_score; i++)
        (void)bird_allele_score(shown, &o, shown->score[i], 0);
}

static void find_all(struct bird_snv_lookup *l,
                     const struct bird_selected_scores *shown)
{
    struct bird_allele_request a = {0};

    for (int i = 0; i < N_BASE * N_BASE; i++) {
        char alt[] = {bases[i % N_BASE], '\0'};
        const struct bird_change c = {.start = i / N_BASE,
                                      .end = i / N_BASE + 1,
                                      .alt = {.s = alt, .n = 1}};
        int got = bird_snv_lookup_find(l, &a, &c);

        MUST(got >= 0 || !strncmp(bird_last_error(), "x.gz", 4));
        if (got > 0)
            check_found(l, &a, shown);
        if (i == N_BASE * N_BASE / 2)
            bird_snv_lookup_evict(l);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bird_text all = {0}, header = {0}, rows = {0};
    struct bird_snv_lookup *l = NULL;
    struct bird_selected_scores shown;
    int how = size ? data[0] : 0;

    if (!settings)
        open_context();
    if (size > MOST)
        return 0;
    MUST(!bird_text_put(&all, size ? (const char *)data + 1 : "",
                        size ? (int64_t)size - 1 : 0));
    choose_shown(&shown, how);
    split(&header, &rows, all.s, how);
    bird_text_clear(&context.notice);
    if (!bird_snv_lookup_open_memory(&l, "x.gz", header.s, rows.s, &context,
                                     &shown, !!(how & SUMMED)))
        find_all(l, &shown);
    else
        MUST(!strncmp(bird_last_error(), "x.gz", 4));
    bird_snv_lookup_free(l);
    bird_text_free(&all);
    bird_text_free(&header);
    bird_text_free(&rows);
    return 0;
}
