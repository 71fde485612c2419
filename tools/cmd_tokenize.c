/*
 * dnabird tokenize: sequence as tokens, record by record or region by region.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"
#include "dnabird/intervals.h"
#include "dnabird/reference.h"
#include "dnabird/tiles.h"

enum format { FORMAT_IDS, FORMAT_TOKENS, FORMAT_BED };
#define FORMATS "ids|tokens|bed"

struct tokenize {
    const char *model, *tokenizer, *region, *regions_file, *output;
    int format, special;
    bird_tokenizer *t;
    bird_encoding *e;
    char *seq; /* the current sequence */
    int64_t n, cap;
};

static const struct opt_usage usage = {
    "tokenize",
    "[options] in.fa",
    "Show sequence as the tokens of a model: every record of a FASTA file "
    "(plain, gzip, bgzip, '-'), or the regions asked for. Sequence is "
    "upper-cased and U is read as T.",
    "ids: a line of ids for each sequence, as 'dnabird embed --ids' takes "
    "them, with --special all that the model reads. tokens: the same with the "
    "tokens' text. bed: contig, start, end, "
    "token, 0, +, id; one line per token. An interval of -R on strand - is "
    "read as its reverse complement, as by 'dnabird embed'; bed then has "
    "strand -.",
    1,
    1,
    "give one FASTA file ('-' is standard input)"};

/* Allocate memory for n bases. */
static int grow(struct tokenize *x, int64_t n)
{
    char *p;

    if (n <= x->cap)
        return 0;
    n += n / 2;
    p = realloc(x->seq, (size_t)n);
    if (!p) {
        cli_warn("out of memory: a sequence of %lld bp", (long long)x->n);
        return -1;
    }
    x->seq = p;
    x->cap = n;
    return 0;
}

static void print_line(const struct tokenize *x)
{
    for (int64_t i = 0; i < x->e->n; i++) {
        if (i)
            putc(' ', stdout);
        if (x->format == FORMAT_IDS)
            fprintf(stdout, "%d", x->e->ids[i]);
        else
            fputs(bird_tokenizer_token(x->t, x->e->ids[i]), stdout);
    }
    putc('\n', stdout);
}

/* The sequence begins at `start` of its contig; on the minus strand it is read
 * from its end. */
static void print_bed(const struct tokenize *x, const char *contig,
                      int64_t start, char strand)
{
    int64_t kmer = bird_tokenizer_kmer(x->t);

    for (int64_t i = 0; i < x->e->n; i++) {
        int64_t from = x->e->start[i];
        int64_t end = i + 1 < x->e->n ? x->e->start[i + 1] : x->n;

        if (kmer) /* words may overlap */
            end = from + kmer < x->n ? from + kmer : x->n;

        fprintf(stdout, "%s\t%" PRId64 "\t%" PRId64 "\t%s\t0\t%c\t%d\n", contig,
                start + (strand == '-' ? x->n - end : from),
                start + (strand == '-' ? x->n - from : end),
                bird_tokenizer_token(x->t, x->e->ids[i]), strand, x->e->ids[i]);
    }
}

/* Print the current sequence, which begins at `start` of its contig. */
static int show(struct tokenize *x, const char *contig, int64_t start,
                char strand)
{
    int special = x->special && x->format != FORMAT_BED;
    int rc = bird_tokenizer_encode(x->t, x->e, x->seq, x->n, special);

    if (rc)
        return rc;
    if (x->format == FORMAT_BED)
        print_bed(x, contig, start, strand);
    else
        print_line(x);
    return 0;
}

/* Both return a cli_status: the reason is on stderr. */
static int show_stream(struct tokenize *x, const char *path)
{
    bird_fastx *r = NULL;
    bird_piece p;
    int rc = bird_fastx_open(&r, path, BIRD_FASTX_ANY), status = CLI_OK;

    while (!rc && (rc = bird_fastx_next(r, &p)) == 1) {
        if (grow(x, x->n + p.n)) {
            status = CLI_FAILED;
            break;
        }
        memcpy(x->seq + x->n, p.seq, (size_t)p.n);
        x->n += p.n;
        rc = 0;
        if (p.last) {
            rc = show(x, p.name, 0, '+');
            x->n = 0;
        }
    }
    if (rc < 0)
        status = cli_fail();
    bird_fastx_free(r);
    return status;
}

static int show_regions(struct tokenize *x, const char *path)
{
    bird_genome *g = NULL;
    bird_regions list = {0};
    int rc = bird_genome_open(&g, path), status = CLI_OK;

    if (!rc)
        bird_genome_any_characters(g);
    if (!rc && bird_genome_notice(g))
        cli_say("%s", bird_genome_notice(g));
    if (!rc)
        rc = bird_regions_read(&list, x->region, x->regions_file, g,
                               BIRD_POINT_TO_END);
    if (!rc && !list.n)
        cli_say("warning: %s: no region in it, so nothing was written",
                x->regions_file);
    for (int64_t i = 0; i < list.n && !rc && !status; i++) {
        const bird_region *r = &list.at[i];

        x->n = r->end - r->start;
        if (grow(x, x->n)) {
            status = CLI_FAILED;
            break;
        }
        rc = bird_genome_fetch(g, r->index, r->start, r->end, x->seq);
        if (!rc && r->strand == '-')
            bird_reverse_complement(x->seq, x->seq, x->n);
        if (!rc)
            rc = show(x, bird_genome_name(g, r->index), r->start,
                      r->strand == '-' ? '-' : '+');
    }
    if (rc)
        status = cli_fail();
    bird_regions_free(&list);
    bird_genome_free(g);
    return status;
}

/* Path of tokenizer.json; NULL after a line to stderr. */
static char *tokenizer_path(const struct tokenize *x)
{
    char *path = NULL, *model = NULL;

    if (!x->tokenizer && !x->model && bird_default_model(&model, NULL)) {
        cli_fail();
        return NULL;
    }
    if (asprintf(&path, "%s%s",
                 x->tokenizer ? x->tokenizer
                 : x->model   ? x->model
                              : model,
                 x->tokenizer ? "" : "/tokenizer.json") < 0) {
        cli_warn("out of memory");
        path = NULL;
    }
    free(model);
    return path;
}

static int run(struct tokenize *x, const char *path)
{
    char *file = tokenizer_path(x);
    bird_encoding e = {0};
    int status = CLI_OK;

    if (!file)
        return CLI_FAILED;
    x->e = &e;
    if (bird_tokenizer_open(&x->t, file))
        status = cli_fail();
    else if (x->region || x->regions_file)
        status = show_regions(x, path);
    else
        status = show_stream(x, path);
    bird_tokenizer_free(x->t);
    x->e = NULL; /* it ends here */
    bird_encoding_free(&e);
    free(x->seq);
    free(file);
    return status;
}

int cmd_tokenize(int argc, char **argv)
{
    struct tokenize x = {.format = 0};
    const struct opt opts[] = {
        CLI_MODEL(&x.model),
        {0, "tokenizer", OPT_TEXT, &x.tokenizer, "FILE",
         "a tokenizer.json instead"},
        CLI_STDOUT(&x.output),
        CLI_FORMAT(&x.format, FORMATS),
        {0, "special", OPT_FLAG, &x.special, NULL,
         "with the special tokens around each sequence (ids, tokens)"},
        CLI_REGION(&x.region),
        CLI_REGIONS(&x.regions_file, "these regions, each a sequence"),
    };
    int status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage);

    if (status != OPT_GO)
        return status;
    if (x.model && x.tokenizer)
        return cli_usage("tokenize: give either -m DIR or --tokenizer FILE, "
                         "not both");
    x.format = cli_format(x.format, FORMATS, x.output);
    return run(&x, argv[0]);
}
