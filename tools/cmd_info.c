/* dnabird info: what a model folder holds. SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"

static const struct opt_usage usage = {
    "info",
    "[options] MODEL",
    "Describes a model folder: encoder, tokenizer, head, labels, origin,\n"
    "metrics and checksums.",
    NULL,
    1,
    1,
    "one model folder is needed"};

static void put_selftest(const bird_selftest *t, const char *what,
                         const bird_model_run *run)
{
    printf("selftest: %lld of %lld %s agree, %lld answers; largest "
           "difference %.2g, tolerance %.2g (%s)\n",
           (long long)t->n_agree, (long long)t->n_seq, what,
           (long long)t->n_answer, t->largest, t->tolerance,
           bird_precision_name(run->precision));
}

/* Compare the golden answers of the folder with computed ones. */
static int selftest(const char *folder, const bird_model_run *run)
{
    bird_selftest t;
    int64_t n_wrong;
    int status = cli_model(run, folder);

    if (status)
        return status;
    if (bird_model_selftest(&t, folder, run))
        return cli_fail();
    put_selftest(&t, "sequences", run);
    n_wrong = t.n_seq - t.n_agree;
    fflush(stdout); /* before an error about the alleles */
    if (bird_variant_selftest(&t, folder, run->precision))
        return cli_fail();
    if (t.n_seq)
        put_selftest(&t, "alleles", run);
    n_wrong += t.n_seq - t.n_agree;
    status = cli_stdout_done(CLI_OK);
    return n_wrong ? CLI_FAILED : status;
}

int cmd_info(int argc, char **argv)
{
    const char *output = NULL;
    int verify = 0, compute = 0, status, rc;
    bird_model_run run;
    int64_t n_wrong = 0;
    char *text = NULL;
    const struct opt opts[] = {
        CLI_STDOUT(&output),
        {0, "verify", OPT_FLAG, &verify, NULL,
         "compare the files with their checksums and the weights with the "
         "configuration; status 1 when something differs"},
        {0, "selftest", OPT_FLAG, &compute, NULL,
         "compute the predictions that 'export --selftest' stored in the "
         "model again; status 1 when one differs"},
        CLI_PRECISION(&run.precision),
        CLI_THREADS,
    };

    bird_model_run_default(&run);
    if ((status = opt_parse(&argc, &argv, opts, N_OPT(opts), &usage)) != OPT_GO)
        return status;
    argv[0] = (char *)(uintptr_t)cli_model_named(argv[0]);
    if (compute && verify)
        return cli_usage("info: one of --verify and --selftest");
    if (!compute && run.precision != BIRD_FLOAT32)
        return cli_usage("info: --precision needs --selftest");
    if (compute)
        return selftest(argv[0], &run);
    rc = verify ? bird_model_verify(&text, &n_wrong, argv[0])
                : bird_model_describe(&text, argv[0]);
    if (rc)
        return cli_fail();
    fputs(text, stdout);
    free(text);
    status = cli_stdout_done(CLI_OK); /* the text is there in either case */
    return n_wrong ? CLI_FAILED : status;
}

static const struct opt_usage models_usage = {
    "models",
    "[options]",
    "Lists the models that come with dnabird: name, size, what each is for "
    "and\n"
    "its folder. -m and other options of a model folder take the name.",
    NULL,
    0,
    0,
    NULL};

int cmd_models(int argc, char **argv)
{
    const char *output = NULL;
    char *text = NULL;
    const struct opt opts[] = {CLI_STDOUT(&output)};
    int status = opt_parse(&argc, &argv, opts, N_OPT(opts), &models_usage);

    if (status != OPT_GO)
        return status;
    if (bird_shipped_models(&text))
        return cli_fail();
    printf("name\tbytes\tfor\tfolder\n%s", text);
    free(text);
    return cli_stdout_done(CLI_OK);
}
