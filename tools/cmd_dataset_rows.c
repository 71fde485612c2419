/*
 * dnabird dataset rows: tables of sequences without rows that are elsewhere,
 * by bird_rows_write().
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/dataset.h"

static const struct opt_usage usage = {
    "dataset rows",
    "[options] -o OUT.csv TABLE...",
    "Joins tables of labelled sequences into one (CSV: sequence, label).\n"
    "Left out are sequences that have different labels, all but the first of "
    "the same sequence (either strand), and rows that share a k-mer of "
    "--length bases with --apart, on either strand: rows without coordinates "
    "then share nothing with the parts of a genome that a model is measured "
    "on.",
    "--apart test=test.bed with -f REF.fa means these regions and --margin "
    "around them; FASTA files and tables need no -f.",
    1,
    INT_MAX,
    "no table"};

struct request {
    bird_rows_options o;
    struct opt_names fasta;
    const char *apart;
    char *text; /* a copy of `apart`, cut up */
    bird_rows_apart list[BIRD_MAX_PART];
};

static int parse(int *argc, char ***argv, struct request *q)
{
    bird_rows_options *o = &q->o;
    const struct opt opts[] = {
        {0, "apart", OPT_LINES, &q->apart, "NAME=FILE",
         "leave out rows that share a k-mer with this; may be given again"},
        CLI_REFERENCES(&q->fasta),
        {0, "margin", OPT_SIZE, &o->margin_bp, "BP",
         "bases around a region that belong to it"},
        {'k', "length", OPT_SIZE, &o->shared_k, "INT",
         "bases of a k-mer, 1 to 63"},
        {'o', "output", OPT_OUT, &o->output, "FILE",
         "output file, compressed when it ends in .gz or .zst"},
        {0, "summary", OPT_OUT, &o->summary, "FILE",
         "TSV of how many rows were left out, and why"},
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &usage);
}

/* Lines of NAME=FILE. */
static int parse_apart(struct request *q)
{
    char *save = NULL;

    q->o.apart = q->list;
    if (!q->apart)
        return CLI_OK;
    q->text = strdup(q->apart);
    if (!q->text)
        return cli_usage("dataset rows: out of memory");
    for (char *line = strtok_r(q->text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char *sign = strchr(line, '=');

        if (!sign || sign == line || !sign[1])
            return cli_usage("dataset rows: --apart is NAME=FILE");
        if (q->o.n_apart == BIRD_MAX_PART)
            return cli_usage("dataset rows: --apart %d times at most",
                             BIRD_MAX_PART);
        *sign = '\0';
        q->list[q->o.n_apart++] = (bird_rows_apart){line, sign + 1};
    }
    return CLI_OK;
}

static void tell(const struct request *q, const bird_rows_tally *t)
{
    cli_say("%s of %s kept; left out: %s with two labels, %s seen before",
            cli_count(t->n_kept, "row"), cli_count(t->n_row, ""),
            cli_count(t->n_differ, ""), cli_count(t->n_again, ""));
    for (int64_t i = 0; i < q->o.n_apart; i++)
        cli_say("left out: %s with %lld bp of %s",
                cli_count(t->n_apart[i], "row"), (long long)q->o.shared_k,
                q->o.apart[i].name);
}

int cmd_dataset_rows(int argc, char **argv)
{
    static struct request q;
    bird_rows_tally tally;
    bird_rows_options usual;
    int status;

    bird_rows_options_default(&q.o);
    usual = q.o;
    if ((status = parse(&argc, &argv, &q)) != OPT_GO ||
        (status = parse_apart(&q)) != CLI_OK)
        return status;
    if (!q.o.output)
        return cli_usage("dataset rows: -o FILE is needed");
    if (!q.o.n_apart && (q.fasta.n || q.o.margin_bp != usual.margin_bp ||
                         q.o.shared_k != usual.shared_k))
        return cli_usage("dataset rows: -f, --margin and --length are for "
                         "--apart");
    q.o.table = (const char *const *)argv;
    q.o.n_table = argc;
    q.o.fasta = q.fasta.at;
    q.o.n_fasta = q.fasta.n;
    if (bird_rows_write(&q.o, &tally))
        return cli_fail();
    tell(&q, &tally);
    return CLI_OK;
}
