/* dnabird bench scan: bases a second of a scan. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "cli_model.h"
#include "dnabird/bench_scan.h"
#include "dnabird/dnabird.h"
#include "opt.h"

static const char about[] = "Does what `dnabird promoter` does, opening the "
                            "model included; its output\n"
                            "goes to the null device. Says how many bases a "
                            "second that is, beside the\n"
                            "best matrix multiply, and what the time goes to.";

static const char notes[] =
    "bp: bases gone through; scored bp: of the windows scored, which overlap,\n"
    "each strand for itself. docs/benchmarks.md says how parts are measured.";

struct choices {
    struct cli_model_choice model;
    int64_t threads;
    int format, strand, json;
};

static int parse(int argc, char **argv, bird_bench_scan_options *o,
                 struct choices *c, int *first, int *status)
{
    struct opt_usage usage = {"bench scan", "[options] -f genome.fa", about,
                              notes};
    bird_promoter_scan_options *s = &o->scan;
    const struct opt opts[] = {
        {'m', "model", OPT_TEXT, &s->model, "DIR",
         "model folder; without it the one that comes with dnabird"},
        {'f', "reference", OPT_TEXT, &s->fasta, "FASTA",
         "the genome, plain, gzip or bgzip"},
        {'r', "region", OPT_LIST, &s->region, "REGION",
         "only here, as chr:start-end; several between commas"},
        {0, "max-bp", OPT_INT, &o->max_bp, "BP",
         "end after so many bases of the file; 0: not"},
        {'O', "format", OPT_CHOICE, &c->format, "bed|bedgraph|tsv|windows",
         "form of the output"},
        {0, "window", OPT_INT, &s->window_bp, "BP", "0: the model's"},
        {0, "stride", OPT_INT, &s->stride_bp, "BP", "0: the model's"},
        {0, "strand", OPT_CHOICE, &c->strand, "both|+|-", "strand to score"},
        CLI_MODEL_OPTIONS(&s->run, &c->model),
        {0, "repeats", OPT_INT, &o->bench.repeats, "INT", "runs at most"},
        {0, "seconds", OPT_REAL, &o->bench.seconds, "REAL",
         "after which no other run is begun"},
        {'t', "threads", OPT_INT, &c->threads, "INT",
         "0: the cores this process may use"},
        {0, "cpu-time", OPT_FLAG, &o->bench.cpu_time, NULL,
         "time of the processor, not of the clock: for a machine that does "
         "other things as well; with -t 1"},
        {0, "json", OPT_FLAG, &c->json, NULL, "the row as JSON"},
    };

    return opt_parse(first, status, argc, argv, opts,
                     (int)(sizeof(opts) / sizeof(*opts)), &usage);
}

static void show_parts(const bird_bench_scan_row *r)
{
    printf("  ");
    for (int i = 0; i < BIRD_SCAN_PARTS; i++)
        printf("%s%s %.2f%%", i ? ", " : "",
               bird_scan_part_name((enum bird_scan_part)i), 100 * r->part[i]);
    printf("\n  outside the encoder %.2f%%; reading and tokenizing %.2f%%; in "
           "the encoder %.1f%% of sgemm\n",
           100 * (1 - r->part[BIRD_SCAN_ENCODER]),
           100 * (r->part[BIRD_SCAN_READ] + r->part[BIRD_SCAN_TOKENIZE]),
           100 * r->encoder_share);
}

static void show(const bird_bench_scan_row *r)
{
    printf("%-10s %-9s %3s %10s %8s %9s %9s %10s %12s %9s %8s %8s %6s %8s\n",
           "model", "precision", "thr", "bp", "windows", "best s", "median s",
           "bp/s", "scored bp/s", "windows/s", "GFLOP/s", "sgemm", "share",
           "peak MiB");
    printf("%-10.10s %-9s %3d %10lld %8lld %9.3f %9.3f %10.0f %12.0f %9.1f "
           "%8.1f %8.1f %5.1f%% %8.0f\n",
           r->model, bird_precision_name(r->precision), r->threads,
           (long long)r->n_bp, (long long)r->n_scored, r->best_s, r->median_s,
           r->bp_per_s, r->scored_bp_per_s, r->windows_per_s, r->gflops,
           r->sgemm, 100 * r->share, r->peak_mib);
    if (r->timed)
        show_parts(r);
    printf("  %lld windows computed of %lld tokens, %lld skipped for N; %lld "
           "rows; %.1f MiB of weights, %.1f MiB besides\n",
           (long long)r->n_computed, (long long)r->n_token,
           (long long)r->n_unknown, (long long)r->n_row, r->weights_mib,
           r->peak_mib - r->weights_mib);
}

int cmd_bench_scan(int argc, char **argv)
{
    static const enum bird_strand strands[] = {
        BIRD_STRAND_BOTH, BIRD_STRAND_PLUS, BIRD_STRAND_MINUS};
    struct choices c = {0};
    bird_bench_scan_options o;
    bird_bench_scan_row row;
    char *text = NULL;
    int first = 0, status = 0;

    bird_bench_scan_options_default(&o);
    if (parse(argc, argv, &o, &c, &first, &status))
        return status;
    if (argc != first)
        return cli_usage("bench scan: '%s' is one argument too many; the "
                         "genome is given with -f",
                         argv[first]);
    if (!o.scan.fasta)
        return cli_usage("bench scan: give a genome (-f)");
    if (o.max_bp < 0 || (o.max_bp && o.scan.region))
        return cli_usage("bench scan: --max-bp is 0 or more, and goes without "
                         "--region");
    if (cli_threads(c.threads))
        return CLI_USAGE;
    o.scan.strand = strands[c.strand];
    o.scan.track.format = c.format;
    if ((status = cli_model(&o.scan.run, &c.model, o.scan.model)))
        return status;
    if (bird_bench_scan(&row, &o))
        return cli_fail();
    if (!c.json) {
        show(&row);
        return CLI_OK;
    }
    if (bird_bench_scan_json(&text, &row))
        return cli_fail();
    puts(text);
    free(text);
    return CLI_OK;
}
