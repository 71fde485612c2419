/*
 * Progress of a run on standard error; no other file writes it.
 *
 * A run has parts ("training", "validating"); each has a rate of its own, from
 * the moment it began, and the time left follows from that. --progress, -q and
 * DNABIRD_PROGRESS choose between a bar, a line now and then, and nothing.
 * SPDX-License-Identifier: MIT
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "dnabird/train.h"

enum { BAR = 24, BAR_HZ = 5, FIRST_LINE_S = 5, LINE_S = 30 };

static enum cli_progress_mode chosen;

void cli_progress_choose(enum cli_progress_mode mode)
{
    chosen = mode;
}

/* How it is written: NONE, a BAR on a terminal's line, or LINES. */
enum form { NONE, BARS, LINES };

static enum form form_of(void)
{
    const char *s = getenv("DNABIRD_PROGRESS");

    if (chosen != CLI_PROGRESS_AUTO)
        return chosen == CLI_PROGRESS_NEVER ? NONE : BARS;
    if (s && *s)
        return strcmp(s, "0") != 0 ? BARS : NONE;
    return isatty(STDERR_FILENO) ? BARS : LINES;
}

/* Seconds from one line to the next. */
static double line_s(void)
{
    const char *s = getenv("DNABIRD_PROGRESS_EVERY");
    char *end;
    double v = s ? strtod(s, &end) : 0;

    return s && end != s && !*end && v > 0 ? v : LINE_S;
}

/* A part of a run ("training", "validating"), in the order in which they begin. */
struct part {
    char what[24];
    double start_s, first; /* rates count from there, not from 0: a run that
                              goes on has its first units already */
    double done;
    double first_share; /* as `first`, of a run without a total */
};

/* The run. */
static struct {
    struct part part[4];
    int n_part;
    double last_s;              /* when something was written; 0: nothing yet */
    double begin_s;             /* of the first call */
    int shown;                  /* a line of a terminal is begun */
    bird_pretrain_state update; /* the one done last, of a pretraining */
} run;

/* Units that take a prefix: 12345678 as "12.3 Mbp"; things are counted out. */
static int has_prefix(const char *unit)
{
    return !strcmp(unit, "bp") || !strcmp(unit, "B");
}

static void put_count(struct cli_text *t, double v, const char *unit)
{
    static const char prefix[] = " kMGT";
    int u = 0;

    if (!has_prefix(unit)) {
        /* a rate may lie below 1: steps take seconds */
        cli_put(t, v < 10 && v != floor(v) ? "%.2g %s" : "%.0f %s", v, unit);
        return;
    }
    while (v >= 999.5 && u < 4) {
        v /= 1000;
        u++;
    }
    if (u)
        cli_put(t, "%.3g %c%s", v, prefix[u], unit);
    else
        cli_put(t, "%.0f %s", v, unit);
}

static void put_time(struct cli_text *t, double s)
{
    long long n = llround(s);

    if (n >= 3600)
        cli_put(t, "%lld:%02lld:%02lld", n / 3600, n / 60 % 60, n % 60);
    else
        cli_put(t, "%lld:%02lld", n / 60, n % 60);
}

/* Rate or figures, and the time left. */
static void put_rate(struct cli_text *t, const bird_progress *p,
                     const struct part *part, const bird_pretrain_state *s)
{
    double passed = cli_now() - part->start_s, left = (double)NAN;
    double per_s =
        passed >= 0.5 ? fmax(part->done - part->first, 0) / passed : 0;

    if (p->total > 0 && per_s > 0)
        left = fmax((double)p->total - part->done, 0) / per_s;
    else if (per_s > 0 && p->share > part->first_share)
        left = (1 - p->share) * passed / (p->share - part->first_share);
    if (s->updated) {
        cli_put(t,
                ", loss %.3f, %.3f bits/base, lr %.2g, %.0f tokens/s, %.0f "
                "bp/s",
                s->loss, s->bits, s->lr, s->tokens_per_s, s->bp_per_s);
        left = s->left_s;
    } else if (per_s > 0) { /* not before a rate is known */
        cli_put(t, ", ");
        put_count(t, per_s, p->unit);
        cli_put(t, "/s");
    }
    if (isfinite(left)) {
        cli_put(t, ", left ");
        put_time(t, left);
    }
}

/* Of the run; negative: unknown. */
static double share_of(const bird_progress *p, const struct part *part)
{
    if (p->total > 0)
        return fmin(fmax(part->done / (double)p->total, 0), 1);
    return p->share > 0 ? p->share : -1;
}

/* "scoring [####    ]  50% 1.5 kbp, 200 bp/s, left 0:05" */
static void put_bar(struct cli_text *t, const bird_progress *p,
                    const struct part *part, const bird_pretrain_state *s)
{
    static const char full[] = "########################";
    double share = share_of(p, part);

    cli_put(t, "\r%s ", p->what);
    if (share >= 0)
        cli_put(t, "[%-*.*s] %3.0f%% ", BAR, (int)(share * BAR), full,
                floor(100 * share));
    if (*p->unit) {
        put_count(t, (double)p->done, p->unit);
        put_rate(t, p, part, s);
    }
    cli_put(t, "\033[K");
}

/* "dnabird: scoring: 1.5 kbp of 3 kbp (50%), 200 bp/s, left 0:05" */
static void put_line(struct cli_text *t, const bird_progress *p,
                     const struct part *part, const bird_pretrain_state *s)
{
    cli_put(t, "dnabird: %s", p->what);
    if (!*p->unit) {
        cli_put(t, ": ");
        put_time(t, cli_now() - part->start_s);
        cli_put(t, " so far");
    } else {
        cli_put(t, ": ");
        if (p->total > 0 && !has_prefix(p->unit))
            cli_put(t, "%lld", (long long)p->done);
        else
            put_count(t, (double)p->done, p->unit);
        if (p->total > 0) {
            cli_put(t, " of ");
            put_count(t, (double)p->total, p->unit);
        }
        if (share_of(p, part) >= 0)
            cli_put(t, " (%.0f%%)", floor(100 * share_of(p, part)));
        put_rate(t, p, part, s);
    }
    cli_put(t, "\n");
}

/* The part of the run that p reports; on the first call it begins now. */
static const struct part *part_of(const bird_progress *p, double done)
{
    const int most = (int)(sizeof(run.part) / sizeof(*run.part));
    struct part *x;
    int i = 0;

    while (i < run.n_part &&
           strncmp(run.part[i].what, p->what, sizeof(x->what) - 1) != 0)
        i++;
    if (i < run.n_part && done >= run.part[i].done) {
        run.part[i].done = done;
        return &run.part[i];
    }
    i = i < most ? i : most - 1; /* new, or begun again */
    x = &run.part[i];
    run.n_part = i < run.n_part ? run.n_part : i + 1;
    snprintf(x->what, sizeof(x->what), "%s", p->what);
    x->start_s = cli_now();
    x->first = x->done = done;
    x->first_share = p->share;
    return x;
}

/* When the next line is due: a short run prints none. */
static double next_line_s(void)
{
    if (run.last_s)
        return run.last_s + line_s();
    return run.begin_s + fmin(FIRST_LINE_S, line_s());
}

int cli_progress(void *unused, const bird_progress *p)
{
    double t = cli_now(), done = (double)p->done;
    const struct part *part;
    enum form form = form_of();
    struct cli_text text = {.n = 0};

    (void)unused;
    if (p->pretrain && p->pretrain->updated)
        run.update = *p->pretrain;
    else if (p->pretrain && p->pretrain->packs)
        done += (double)p->pretrain->pack / (double)p->pretrain->packs;
    part = part_of(p, done);
    if (!run.begin_s)
        run.begin_s = t;
    if (form == NONE || (form == LINES && t < next_line_s()) ||
        (form == BARS && t - run.last_s < 1.0 / BAR_HZ &&
         !(p->total > 0 && p->done >= p->total)))
        return cli_stop_asked();
    run.last_s = t;
    (form == BARS ? put_bar : put_line)(&text, p, part, &run.update);
    fputs(text.s, stderr); /* in one piece: others may write there too */
    fflush(stderr);
    run.shown = form == BARS;
    return cli_stop_asked();
}

void cli_progress_end(void)
{
    if (run.shown)
        fputc('\n', stderr);
    run.shown = 0;
}
