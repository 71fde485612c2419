/* dnabird evaluate --mlm: bits per base. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_model.h"
#include "dnabird/train.h"
#include "list.h"
#include "opt.h"
#include "progress.h"

/* What the command line says, beside the library's own options. */
struct request {
    bird_mlm_options o;
    const char *fasta, *train_fasta, *orders;
    int64_t seed, threads;
    int mlm, no_version;
    struct cli_model_choice model;
};

static const char about[] =
    "Hides tokens of held-out sequence and prints how many bits per base a "
    "masked-language model needs for them, overall and for repeat-masked and "
    "other sequence, with bootstrap intervals over windows; beside it, on the "
    "same tokens, 2 bits a base and Markov models learned from the training "
    "sequence: left to right, and from both sides.";

static const char notes[] =
    "All hidden tokens become [MASK]. Figures given the length are among the "
    "vocabulary's tokens of the hidden token's length: there the model and "
    "the Markov models, which are told the length, answer the same question. "
    "docs/math/bits-per-base.md says what is divided by what.";

static int parse(struct request *q, int *status, int argc, char **argv)
{
    bird_mlm_options *o = &q->o;
    const struct opt opts[] = {
        {0, "mlm", OPT_FLAG, &q->mlm, NULL, "this kind of evaluation"},
        {'m', "model", OPT_TEXT, &o->model, "MODEL",
         "model folder with a masked-language head"},
        CLI_MODEL_KIND_OPTIONS(&o->run, &q->model),
        CLI_PRECISION_OPTION(&q->model.precision),
        {'f', "reference", OPT_TEXT, &q->fasta, "FILES",
         "held-out sequence: FASTA; several with commas"},
        {'R', "regions", OPT_ONCE, &o->regions, "REGIONS",
         "only there: BED, or regions between commas"},
        {0, "train-ref", OPT_TEXT, &q->train_fasta, "FILES",
         "FASTA that the Markov models learn from; with --train-regions alone "
         "it is that of -f"},
        {0, "train-regions", OPT_TEXT, &o->train_regions, "REGIONS",
         "only there: BED, or regions between commas"},
        {0, "context", OPT_INT, &o->context_bp, "INT",
         "windows of so many bp; 0: by tokens"},
        {0, "length", OPT_INT, &o->length_tok, "INT",
         "windows of so many tokens with the special ones; 0: as many as the "
         "model reads"},
        {0, "stride", OPT_INT, &o->stride_bp, "INT",
         "bp from window to window of --context; 0: no overlap, no gap"},
        {0, "windows", OPT_INT, &o->windows, "INT",
         "draw so many of the windows; 0: all"},
        {0, "max-n", OPT_REAL, &o->max_n, "REAL",
         "windows with a larger share of N are left out"},
        {0, "mask", OPT_REAL, &o->mask, "REAL",
         "share of a window's tokens that is hidden"},
        {0, "order", OPT_TEXT, &q->orders, "LIST",
         "orders of the Markov models, 1 to 12, with commas"},
        {0, "by-contig", OPT_FLAG, &o->by_contig, NULL,
         "figures of every contig besides"},
        {0, "bootstrap", OPT_INT, &o->n_boot, "INT",
         "resamples of the windows; 0: no intervals"},
        {0, "seed", OPT_INT, &q->seed, "INT",
         "seed of masks, drawn windows and resamples"},
        {'o', "output", OPT_OUT, &o->output, "FILE", "where to"},
        {0, "json", OPT_OUT, &o->json, "FILE", "the figures as JSON besides"},
        {0, "tokens", OPT_OUT, &o->tokens, "FILE",
         "TSV of every hidden token and its bits"},
        {0, "no-version", OPT_FLAG, &q->no_version, NULL,
         "no version and command in the outputs"},
        {'t', "threads", OPT_INT, &q->threads, "INT",
         "0: the cores this process may use"},
    };
    const struct opt_usage usage = {
        "evaluate --mlm", "-m MODEL -f REF.fa [options]", about, notes};
    int first;

    if (opt_parse(&first, status, argc, argv, opts,
                  (int)(sizeof(opts) / sizeof(*opts)), &usage))
        return 1;
    if (first < argc) {
        *status = cli_usage("evaluate --mlm: '%s' is one argument too many; "
                            "sequence is named with -f",
                            argv[first]);
        return 1;
    }
    return 0;
}

/* "3,6,12" into o->order; 0 when it is that. */
static int parse_orders(bird_mlm_options *o, const char *text)
{
    int64_t n;
    const char **part = list_split(&n, text);
    int bad = !part || n > BIRD_MLM_MAX_ORDER;

    o->n_order = bad ? 0 : (int)n;
    for (int i = 0; !bad && i < o->n_order; i++) {
        char *end;
        long k = strtol(part[i], &end, 10);

        bad = end == part[i] || *end || k < 1 || k > BIRD_MLM_MAX_ORDER ||
              (i && k <= o->order[i - 1]);
        o->order[i] = (int)k;
    }
    list_free(part);
    return bad;
}

static int check(struct request *q)
{
    bird_mlm_options *o = &q->o;

    if (!o->model)
        return cli_usage("evaluate --mlm: no model: give -m MODEL");
    if (!q->fasta)
        return cli_usage("evaluate --mlm: no held-out sequence: give -f "
                         "REF.fa");
    if (q->seed < 0)
        return cli_usage("evaluate --mlm: the seed is negative");
    if (o->context_bp < 0 || o->length_tok < 0 || o->stride_bp < 0 ||
        o->windows < 0 || o->n_boot < 0)
        return cli_usage("evaluate --mlm: --context, --length, --stride, "
                         "--windows and --bootstrap are 0 or more");
    if (o->context_bp && o->length_tok)
        return cli_usage("evaluate --mlm: either --context or --length");
    if (o->stride_bp && !o->context_bp)
        return cli_usage("evaluate --mlm: --stride needs --context");
    if (!(o->mask > 0 && o->mask <= 1))
        return cli_usage("evaluate --mlm: --mask is above 0 and at most 1");
    if (!(o->max_n >= 0 && o->max_n <= 1))
        return cli_usage("evaluate --mlm: --max-n lies in 0 to 1");
    if (q->orders && parse_orders(o, q->orders))
        return cli_usage("evaluate --mlm: --order takes numbers from 1 to %d, "
                         "rising, between commas, not '%s'",
                         BIRD_MLM_MAX_ORDER, q->orders);
    o->seed = (uint64_t)q->seed;
    return cli_threads(q->threads);
}

/* Each sentence is a line. */
static void say_notices(char *text)
{
    char *line, *save = NULL;

    for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save))
        cli_say("%s", line);
}

static int run(struct request *q)
{
    struct cli_progress progress = {0};
    const char **fasta = list_split(&q->o.n_fasta, q->fasta);
    const char **train = list_split(&q->o.n_train_fasta, q->train_fasta);
    bird_mlm_evaluation e = {0};
    int status = CLI_OK, rc;

    q->o.fasta = fasta;
    q->o.train_fasta = train;
    q->o.progress = cli_progress;
    q->o.progress_context = &progress;
    if (!fasta || (q->train_fasta && !train)) {
        cli_warn("out of memory");
        status = CLI_FAILED;
    } else {
        rc = bird_evaluate_mlm(&e, &q->o);
        cli_progress_end(&progress);
        if (rc)
            status = cli_fail();
        else
            say_notices(e.notice);
    }
    q->o.progress_context = NULL;
    bird_mlm_evaluation_free(&e);
    list_free(fasta);
    list_free(train);
    return status;
}

int cmd_evaluate_mlm(int argc, char **argv)
{
    struct request q = {0};
    char *command;
    int status = CLI_OK;

    bird_mlm_options_default(&q.o);
    q.o.output = "-";
    q.orders = "3,4,5,6,7,8,9,10,11,12";
    q.seed = (int64_t)q.o.seed;
    if (parse(&q, &status, argc, argv))
        return status;
    status = check(&q);
    if (!status)
        status = cli_model(&q.o.run, &q.model, q.o.model);
    if (status)
        return status;
    command = cli_command_line(argc, argv);
    if (!command) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    q.o.command = q.no_version ? NULL : command;
    status = run(&q);
    free(command);
    return status;
}
