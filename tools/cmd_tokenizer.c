/*
 * dnabird tokenizer train: a byte-pair vocabulary learned from FASTA;
 * tokenizer kmer: all k-mers. Both are written as a tokenizer.json.
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"
#include "dnabird/intervals.h"
#include "dnabird/reference.h"

#define PIECE 1048576 /* bp fetched at a time */

/* The default is what *P holds. */
#define GLOBAL(P)                                                              \
    {                                                                          \
        0, "global-tokens", OPT_SIZE, P, "INT",                                \
            "tokens [G1], [G2], ... of --pattern etc, added to the "           \
            "vocabulary and "                                                  \
            "put before [CLS] (default: none)"                                 \
    }

struct train {
    bird_learn_options o;
    const char *out, *region, *regions_file;
};

static const struct opt_usage usage = {
    "tokenizer train",
    "[options] ref.fa... -o tokenizer.json",
    "Learn a byte-pair vocabulary from FASTA files (plain, gzip, bgzip, '-') "
    "and write it as a Hugging Face tokenizer.json. Sequence is upper-cased "
    "and cut at everything but A, C, G, T; a run of ten or more N is one "
    "token '-', a shorter one a token N each. The reverse strand is learned "
    "from only with --strand both.",
    "Memory: 12 bytes a base (24 with --strand both) and some 80 MB. Where "
    "--max-memory does not hold the sequence, it learns from random windows "
    "of 64 kb (--seed), and a notice reports it. The result does not depend on "
    "-t "
    "(learning runs on one thread).",
    1,
    INT_MAX,
    "no FASTA file"};

static int add_stream(bird_learner *l, const char *path)
{
    bird_fastx *r = NULL;
    bird_piece p;
    bird_progress at = {"reading", "B", 0, -1, NULL, NULL, 0};
    int rc = bird_fastx_open(&r, path, 0);

    while (!rc && (rc = bird_fastx_next(r, &p)) == 1) {
        rc = bird_learner_add(l, p.seq, p.n);
        if (!rc && p.last)
            rc = bird_learner_end(l);
        bird_fastx_progress(r, &at.done, &at.total);
        cli_progress(NULL, &at);
    }
    bird_fastx_free(r);
    return rc;
}

static int add_region(bird_learner *l, bird_genome *g, const bird_region *r,
                      char *buffer)
{
    int rc = 0;

    for (int64_t at = r->start, end; at < r->end && !rc; at = end) {
        end = r->end - at < PIECE ? r->end : at + PIECE;
        rc = bird_genome_fetch(g, r->index, at, end, buffer);
        if (!rc)
            rc = bird_learner_add(l, buffer, end - at);
    }
    return rc ? rc : bird_learner_end(l);
}

static int add_regions(struct train *x, bird_learner *l, const char *path)
{
    char *buffer = malloc(PIECE);
    bird_genome *g = NULL;
    bird_regions list = {0};
    int rc;

    if (!buffer)
        exit(cli_warn("out of memory"));
    rc = bird_genome_open(&g, path);
    if (!rc && bird_genome_notice(g))
        cli_say("%s", bird_genome_notice(g));
    if (!rc)
        rc = bird_regions_read(&list, x->region, x->regions_file, g,
                               BIRD_POINT_TO_END);
    if (!rc)
        bird_regions_merge(&list);
    for (int64_t i = 0; i < list.n && !rc; i++)
        rc = add_region(l, g, &list.at[i], buffer);
    bird_regions_free(&list);
    bird_genome_free(g);
    free(buffer);
    return rc;
}

static void tell(const struct train *x, const bird_learner *l)
{
    bird_learn_report r;
    double bases;

    bird_learner_report(l, &r);
    bases = (double)(r.bases_used << x->o.both_strands);
    if (r.bases_used < r.bases)
        cli_say("--max-memory %lld does not hold %s: learned from a sample of "
                "%s (seed %llu)",
                (long long)x->o.max_memory, cli_count(r.bases, "base"),
                cli_count(r.bases_used, ""), (unsigned long long)x->o.seed);
    if (r.tokens < x->o.vocab)
        cli_say("no pair is left that occurs %s: %s instead of %s",
                cli_count(x->o.min_count, "time"), cli_count(r.tokens, "token"),
                cli_count(x->o.vocab, ""));
    cli_say("%s: %s from %s%s, %.2f bp per token", x->out,
            cli_count(r.tokens, "token"), cli_count(r.bases_used, "base"),
            x->o.both_strands ? " and their complement" : "",
            r.rest ? bases / (double)r.rest : 0.0);
}

static int train_run(struct train *x, int n, char **paths)
{
    bird_learner *l = NULL;
    bird_learn_report r = {0};
    int rc;

    x->o.progress = cli_progress;
    rc = bird_learner_new(&l, &x->o);
    for (int i = 0; i < n && !rc; i++)
        rc = x->region || x->regions_file ? add_regions(x, l, paths[i])
                                          : add_stream(l, paths[i]);
    if (!rc)
        bird_learner_report(l, &r);
    if (!rc && !r.bases) {
        bird_learner_free(l);
        return cli_warn(
            "%s: no A, C, G or T%s: there is nothing to learn tokens from",
            n == 1 ? paths[0] : "the input",
            x->region || x->regions_file ? " in the regions" : "");
    }
    if (!rc)
        rc = bird_learner_run(l);
    if (!rc)
        rc = bird_learner_write(l, x->out);
    if (!rc)
        tell(x, l);
    bird_learner_free(l);
    return rc ? cli_fail() : CLI_OK;
}

int cmd_tokenizer_train(int argc, char **argv)
{
    struct train x = {0};
    const struct opt opts[] = {
        {'v', "vocab", OPT_COUNT, &x.o.vocab, "INT",
         "tokens in all, the 11 before the first merge included"},
        {'o', "output", OPT_OUT, &x.out, "FILE", "the tokenizer.json to write"},
        {0, "min-count", OPT_COUNT, &x.o.min_count, "INT",
         "a pair that occurs less often is not merged"},
        {0, "strand", OPT_CHOICE, &x.o.both_strands, "given|both",
         "both: learn from the reverse complement as well"},
        GLOBAL(&x.o.global),
        {0, "max-memory", OPT_SIZE, &x.o.max_memory, "INT",
         "bytes; with K, M or G"},
        CLI_SEED(&x.o.seed),
        CLI_REGION(&x.region),
        CLI_REGIONS(&x.regions_file, "only these regions"),
        CLI_THREADS,
        OPT_FILE_ONLY,
        {0, "max-length", OPT_COUNT, &x.o.max_length, "INT",
         "longest token in bp"},
    };
    int status;

    bird_learn_options_default(&x.o);
    x.o.seed = 1;
    status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage);
    if (status != OPT_GO)
        return status;
    if (!x.out)
        return cli_usage("tokenizer train: give the output with -o FILE");
    if ((status = cli_check_text(x.out)))
        return status;
    return train_run(&x, argc, argv);
}

static const struct opt_usage kmer_usage = {
    "tokenizer kmer",
    "[options] -o tokenizer.json",
    "Write a vocabulary of all k-mers as a Hugging Face tokenizer.json, and "
    "in the same folder the file with the stride: tokenizer_config.json (of "
    "NAME.json: NAME_config.json). Keep the two together.",
    "With a stride below k the words overlap: a base is seen by k / stride of "
    "them, so masked-token training on them is too easy.",
    0,
    0,
    "no file is read"};

int cmd_tokenizer_kmer(int argc, char **argv)
{
    const char *out = NULL;
    int64_t k = 6, stride = 1, global = 0;
    const struct opt opts[] = {
        {'k', "length", OPT_COUNT, &k, "INT", "bases of a k-mer"},
        {'s', "stride", OPT_COUNT, &stride, "INT",
         "bp from the start of a k-mer to that of the next"},
        GLOBAL(&global),
        {'o', "output", OPT_OUT, &out, "FILE", "the tokenizer.json to write"},
    };
    int status = opt_parse(&argc, &argv, opts, N_OPT(opts), &kmer_usage);

    if (status != OPT_GO)
        return status;
    if (!out)
        return cli_usage("tokenizer kmer: give the output with -o FILE");
    if (!strcmp(out, "-") || cli_is_special(out))
        return cli_usage("tokenizer kmer: -o %s is one output, and the stride "
                         "is in a second file beside the first: name a file",
                         out);
    if ((status = cli_check_text(out)))
        return status;
    if (k < 1 || k > BIRD_WORD_MAX || stride < 1 || stride > k)
        return cli_usage(
            "tokenizer kmer: -k must be between 1 and %d, -s between 1 and k",
            BIRD_WORD_MAX);
    return bird_kmer_write(out, (int)k, (int)stride, global) ? cli_fail()
                                                             : CLI_OK;
}
