/* Metrics and thresholds of a scan as tables. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "dnabird/evaluate.h"
#include "eval/metrics.h"
#include "seq/input.h"

const char *bird_scan_mode_name(int mode)
{
    static const char *const name[] = {"stranded", "unstranded"};

    return mode >= 0 && mode < BIRD_SCAN_N_MODE ? name[mode] : NULL;
}

int bird_scan_thresholds_write(const char *path, const bird_scan_result *r)
{
    struct bird_text t = {0};
    int mode, i;
    int rc = bird_text_printf(&t, "#mode\ttarget\tthreshold\n");

    /* 17 digits: reading gives the same value. */
    for (mode = 0; mode < BIRD_SCAN_N_MODE; mode++)
        for (i = 0; !rc && i < r->n_target; i++)
            rc = bird_text_printf(
                &t, "%s\t%g\t%.17g\n", bird_scan_mode_name(mode),
                r->point[mode][i].target, r->point[mode][i].threshold);
    if (!rc)
        rc = bird_file_write(path, t.s, (size_t)t.n);
    bird_text_free(&t);
    return rc;
}

/* "inf" is accepted here, unlike elsewhere. */
static int parse_number(double *out, const char *s)
{
    if (strcmp(s, "inf") != 0)
        return bird_parse_double(out, s);
    *out = (double)INFINITY;
    return 0;
}

static int parse_line(bird_evaluate_scan_options *o, int n[BIRD_SCAN_N_MODE],
                      char *line)
{
    double target, threshold;
    char *f[3];
    int mode;

    if (bird_split_tabs(f, 3, line) < 3 || parse_number(&target, f[1]) ||
        parse_number(&threshold, f[2]) || !(target >= 0))
        return BIRD_EFORMAT;
    for (mode = 0; mode < BIRD_SCAN_N_MODE; mode++)
        if (!strcmp(f[0], bird_scan_mode_name(mode)))
            break;
    if (mode == BIRD_SCAN_N_MODE || n[mode] == BIRD_SCAN_MAX_TARGET)
        return BIRD_EFORMAT;
    /* Both modes have the same targets in the same order. */
    if (mode && (n[mode] >= n[0] || o->target[n[mode]] < target ||
                 o->target[n[mode]] > target))
        return BIRD_EFORMAT;
    o->target[n[mode]] = target;
    o->threshold[mode][n[mode]++] = threshold;
    return 0;
}

int bird_scan_thresholds_read(bird_evaluate_scan_options *o, const char *path)
{
    bird_evaluate_scan_options new = *o;
    struct bird_text t = {0};
    int n[BIRD_SCAN_N_MODE] = {0}, rc = bird_read_file(&t, path);
    char *rest, *line;
    int64_t i;

    rest = rc ? NULL : t.s;
    for (i = 1; !rc && (line = bird_next_line(&rest)); i++)
        if (*line && *line != '#' && parse_line(&new, n, line))
            rc = bird_fail(BIRD_EFORMAT,
                           "%s: line %lld: expected mode, target and "
                           "threshold between tabs, first all of stranded, "
                           "then the same of unstranded",
                           path, (long long)i);
    bird_text_free(&t);
    if (!rc && (!n[0] || n[0] != n[1]))
        rc = bird_fail(BIRD_EFORMAT, "%s: thresholds for both modes are needed",
                       path);
    if (rc)
        return rc;
    *o = new;
    o->n_target = n[0];
    o->given = 1;
    return 0;
}

static void put_count(FILE *f, const char *where, const char *name, int64_t n)
{
    fprintf(f, "%s\t%s\t%" PRId64 "\t.\t.\n", where, name, n);
}

static void put_estimate(FILE *f, const char *where, const char *name,
                         const bird_estimate *x)
{
    if (isnan(x->value))
        fprintf(f, "%s\t%s\t.\t", where, name);
    else
        fprintf(f, "%s\t%s\t%.4f\t", where, name, x->value);
    if (isnan(x->lo))
        fputs(".\t.\n", f);
    else
        fprintf(f, "%.4f\t%.4f\n", x->lo, x->hi);
}

/* NaN is written as ".". */
static void put_value(FILE *f, const char *where, const char *name, double x)
{
    if (isnan(x))
        fprintf(f, "%s\t%s\t.\t.\t.\n", where, name);
    else
        fprintf(f, "%s\t%s\t%.6g\t.\t.\n", where, name, x);
}

/* Reliability table of the windows. */
static void put_reliability(FILE *f, const char *set,
                            const bird_reliability_table *t)
{
    char where[256];

    snprintf(where, sizeof(where), "%s\t.\t.", set);
    put_value(f, where, "calibration_error", bird_reliability_error(t));
    put_value(f, where, "brier", bird_reliability_brier(t));
    for (int k = 0; k < BIRD_RELIABILITY_BINS; k++) {
        const bird_reliability *b = &t->bin[k];

        if (!b->n)
            continue;
        snprintf(where, sizeof(where), "%s\treliability\t%g-%g", set, b->lo,
                 b->hi);
        put_count(f, where, "windows", b->n);
        put_value(f, where, "probability", b->mean_probability / (double)b->n);
        put_value(f, where, "observed", b->observed / (double)b->n);
    }
}

static void put_point(FILE *f, const char *where, const bird_scan_point *p,
                      int is_probability)
{
    fprintf(f, "%s\tthreshold\t%.9g\t.\t.\n", where, p->threshold);
    if (is_probability) {
        put_value(f, where, "threshold_probability", p->threshold_probability);
        put_value(f, where, "call_probability", p->call_probability);
        put_value(f, where, "call_true",
                  1 - (double)p->n_false / (double)p->n_call);
    }
    put_estimate(f, where, "recall", &p->recall);
    put_estimate(f, where, "recall_all", &p->recall_all);
    put_estimate(f, where, "false_per_mb", &p->false_per_mb);
    put_count(f, where, "calls", p->n_call);
    put_count(f, where, "false_calls", p->n_false);
    put_count(f, where, "antisense_calls", p->n_antisense);
    put_count(f, where, "found", p->n_found);
}

int bird_scan_print(FILE *f, const char *set, const bird_scan_result *r)
{
    char where[256];
    int mode, i;

    fputs("#set\tmode\ttarget\tfigure\tvalue\tlo\thi\n", f);
    snprintf(where, sizeof(where), "%s\t.\t.", set);
    put_count(f, where, "windows", r->n_window);
    put_count(f, where, "unscored", r->n_unscored);
    put_count(f, where, "too_short", r->n_short);
    put_count(f, where, "scanned_bp", r->scanned_bp);
    put_count(f, where, "tss", r->n_tss);
    put_count(f, where, "tss_scanned", r->n_tss_scanned);
    put_count(f, where, "positive_windows", r->n_positive);
    put_count(f, where, "negative_windows", r->n_negative);
    put_estimate(f, where, "auroc", &r->auroc);
    put_estimate(f, where, "auprc", &r->auprc);
    if (r->is_probability)
        put_reliability(f, set, &r->reliability);
    for (mode = 0; mode < BIRD_SCAN_N_MODE; mode++)
        for (i = 0; i < r->n_target; i++) {
            snprintf(where, sizeof(where), "%s\t%s\t%g", set,
                     bird_scan_mode_name(mode), r->point[mode][i].target);
            put_point(f, where, &r->point[mode][i], r->is_probability);
        }
    return bird_put_check(f);
}
