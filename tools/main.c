/*
 * dnabird: the table of commands, their help, the version.
 *
 * A command of two words ("dataset tokens") has a row of its own after the row of
 * its first word. A row without a function is a group of such commands.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "dnabird/dnabird.h"
#include "dnabird/train.h"
#include "topics.h"

struct command {
    const char *name; /* NULL: `about` is a heading */
    const char *about;
    int (*run)(int argc, char **argv); /* NULL: one of the rows below it */
};

static const struct command commands[] = {
    {NULL, "Preparing", NULL},
    {"tokenizer", "learn a vocabulary from FASTA", NULL},
    {"tokenizer train", "a byte-pair vocabulary from FASTA",
     cmd_tokenizer_train},
    {"tokenizer kmer", "all k-mers, overlapping or not", cmd_tokenizer_kmer},
    {"tokenize", "show sequence as tokens", cmd_tokenize},
    {"init", "make a model folder with random weights", cmd_init},
    {"import", "import a Hugging Face model", cmd_import},
    {"export", "rewrite a model folder", cmd_export},
    {NULL, "Training", NULL},
    {"dataset", "cut labelled sequence from a genome", NULL},
    {"dataset promoters", "labelled promoter windows from a genome",
     cmd_dataset_promoters},
    {"dataset chromatin", "labelled bins from peak files",
     cmd_dataset_chromatin},
    {"dataset bins", "windows for models of bins", cmd_dataset_bins},
    {"dataset repeats", "a mask of a genome's repeats", cmd_dataset_repeats},
    {"dataset rows", "join tables of sequences, less the rows of other sets",
     cmd_dataset_rows},
    {"dataset overlap", "name and drop rows that share sequence with others",
     cmd_dataset_overlap},
    {"dataset tokens", "rows for pretraining, tokenized beforehand",
     cmd_dataset_tokens},
    {"pretrain", "train an encoder on reference genomes", cmd_pretrain},
    {"finetune", "train a classifier on labelled sequence", cmd_finetune},
    {"finetune chromatin", "train a model of chromatin profiles",
     cmd_finetune_chromatin},
    {"finetune bins", "train a model that scores every bin of a window",
     cmd_finetune_bins},
    {"evaluate", "evaluate a model on labelled sequence", cmd_evaluate},
    {"evaluate bins", "evaluate a model of bins", cmd_evaluate_bins},
    {"evaluate scan", "evaluate a scan of a genome", cmd_evaluate_scan},
    {"evaluate variants", "evaluate scores of alleles", cmd_evaluate_variants},
    {"evaluate --mlm", "bits per base of a masked-language model",
     cmd_evaluate_mlm},
    {NULL, "Predicting", NULL},
    {"promoter", "find promoters in a FASTA file", cmd_promoter},
    {"chromatin", "chromatin profiles of a genome or sequences", cmd_chromatin},
    {"variant", "predict the effects of variants in a VCF", cmd_variant},
    {"variant background", "null distribution for e-values and z-scores",
     cmd_variant_background},
    {"mutate", "in-silico saturation mutagenesis of a region", cmd_mutate},
    {"attribute", "attribution of each base of a region", cmd_attribute},
    {"embed", "hidden states, pooled vectors, logits", cmd_embed},
    {NULL, "Inspecting", NULL},
    {"info", "describe a model folder", cmd_info},
    {"models", "list the models that come with dnabird", cmd_models},
    {"pattern", "show, check and try an attention pattern", NULL},
    {"pattern show", "show a pattern as text, table or picture",
     cmd_pattern_show},
    {"pattern check", "assumption 1, sparsity, hops, spectral gap",
     cmd_pattern_check},
    {"pattern copy", "rows of the copying task", cmd_pattern_copy},
    {"pattern learn", "train a model on the copying task", cmd_pattern_learn},
    {"report", "a page of a run: curves, metrics, configuration", cmd_report},
    {"bench", "measure how fast this machine runs a model", cmd_bench},
    {"bench bins", "speed of a model of bins, compared with windows",
     cmd_bench_bins},
    {"bench scaling", "how the speed grows with cores", cmd_bench_scaling},
    {"bench scan", "speed of a scan of a genome", cmd_bench_scan},
    {"bench stem", "speed of the convolutions before the encoder",
     cmd_bench_stem},
    {"bench variant", "speed of variant effects", cmd_bench_variant},
};

enum { N_COMMAND = sizeof(commands) / sizeof(*commands) };

static void print_help(FILE *f)
{
    fprintf(f,
            "dnabird %s: DNA language models on CPUs\n\n"
            "Usage: dnabird <command> [options] <files>\n",
            bird_version());
    for (const struct command *c = commands; c < commands + N_COMMAND; c++) {
        if (!c->name)
            fprintf(f, "\n%s\n", c->about);
        else if (!strchr(c->name, ' '))
            fprintf(f, "  %-12s %s\n", c->name, c->about);
    }
    fputs("\nTopics\n", f);
    for (const struct topic *t = topics; t->name; t++)
        fprintf(f, "  %-12s %s\n", t->name, t->about);
    fputs(
        "\n'dnabird help <command>' prints the options of a command, "
        "'dnabird help <topic>'\na topic, 'dnabird --version' the version and "
        "features of this build.\n",
        f);
}

/* Print the commands of a group, as those that begin with "dataset". */
static void print_group(FILE *f, const struct command *group)
{
    const size_t n = strlen(group->name);

    fprintf(f, "Usage: dnabird %s <command> [options]\n\n", group->name);
    for (const struct command *c = group + 1;
         c < commands + N_COMMAND && c->name &&
         !strncmp(c->name, group->name, n) && c->name[n] == ' ';
         c++)
        fprintf(f, "  %-18s %s\n", c->name, c->about);
    fprintf(f, "\n'dnabird help %s <command>' prints the options of one.\n",
            group->name);
}

/* The row of a command of one word, or of two; NULL: unknown. "evaluate --mlm" is
 * found as "evaluate", since the option may have any position. */
static const struct command *find_command(const char *word, const char *second)
{
    const size_t n = strlen(word);

    for (const struct command *c = commands; c < commands + N_COMMAND; c++)
        if (c->name && !strncmp(c->name, word, n) &&
            (second ? c->name[n] == ' ' && *second != '-' &&
                          !strcmp(c->name + n + 1, second)
                    : !c->name[n]))
            return c;
    return NULL;
}

/* Report an unknown command, of one word or, if `second` is given, of two. */
static int unknown_command(const char *word, const char *second)
{
    const char *near;
    char name[64];

    snprintf(name, sizeof(name), "%s%s%s", word, second ? " " : "",
             second ? second : "");
    near = cli_nearest(name, &commands[0].name, N_COMMAND, sizeof(*commands));
    if (near)
        return cli_usage("there is no command '%s'; did you mean '%s'?", name,
                         near);
    return cli_usage("there is no command '%s'; 'dnabird %s%s--help' lists "
                     "them",
                     name, second ? word : "", second ? " " : "");
}

static int is_help(const char *word)
{
    return !strcmp(word, "-h") || !strcmp(word, "--help") ||
           !strcmp(word, "--help=all");
}

/* argv[0] is the first word of a command. */
static int run_command(int argc, char **argv)
{
    const struct command *c = NULL;
    int asks;

    if (argc > 1)
        c = find_command(argv[0], argv[1]);
    if (c)
        return c->run(argc - 1, argv + 1);
    c = find_command(argv[0], NULL);
    if (!c)
        return unknown_command(argv[0], NULL);
    if (c->run)
        return c->run(argc, argv);
    asks = argc > 1 && is_help(argv[1]);
    if (argc > 1 && !asks)
        return unknown_command(argv[0], argv[1]);
    print_group(asks ? stdout : stderr, c);
    return asks ? CLI_OK : CLI_USAGE;
}

/* Every option ("--options") or setting ("--setting-names") of every command,
 * for programs: opt_print_tsv() has the columns. */
static int print_tables(char *word)
{
    char *argv[] = {word, word, NULL};
    int status = CLI_OK;

    puts("command\tletter\tname\targument\tdefault\thelp\tgroup");
    for (int i = 0; i < N_COMMAND && !status; i++)
        if (commands[i].run)
            status = commands[i].run(2, argv);
    return status;
}

/* Print every command, for programs; of a group only its name. */
static int print_commands(void)
{
    static char word[] = "--usage";
    char *argv[] = {word, word, NULL};
    const char *heading = "";
    int status = CLI_OK;

    puts("heading\tcommand\tsummary\toperands\tsynopsis\tabout\tnotes");
    for (int i = 0; i < N_COMMAND && !status; i++) {
        const struct command *c = &commands[i];

        if (!c->name) {
            heading = c->about;
            continue;
        }
        printf("%s\t%s\t%s\t", heading, c->name, c->about);
        if (c->run)
            status = c->run(2, argv);
        else
            puts(".\t<command> [options]\t\t");
    }
    return status;
}

static int count_topics(void)
{
    int n = 0;

    while (topics[n].name)
        n++;
    return n;
}

/* `dnabird help TOPIC`; 0 if `word` is not a topic. */
static int print_topic(const char *word)
{
    for (const struct topic *t = topics; t->name; t++) {
        if (strcmp(t->name, word) != 0)
            continue;
        for (const char *const *line = t->lines; *line; line++)
            puts(*line);
        return 1;
    }
    return 0;
}

static int run(int argc, char **argv)
{
    static char help_word[] = "--help", setting_names[] = "--setting-names";
    char *asking[4] = {NULL};
    const char *near;

    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (is_help(argv[1]) || (!strcmp(argv[1], "help") && argc == 2)) {
        print_help(stdout);
        return CLI_OK;
    }
    if (!strcmp(argv[1], "help")) {
        if (!strcmp(argv[2], "--options"))
            return print_tables(argv[2]);
        if (!strcmp(argv[2], "--settings"))
            return print_tables(setting_names);
        if (!strcmp(argv[2], "--commands"))
            return print_commands();
        if (argc == 3 && print_topic(argv[2]))
            return CLI_OK;
        near = argc == 3 && !find_command(argv[2], NULL)
                   ? cli_nearest(argv[2], &topics[0].name, count_topics(),
                                 sizeof(*topics))
                   : NULL;
        if (near)
            return cli_usage("there is no topic '%s'; did you mean '%s'?",
                             argv[2], near);
        /* help dataset chromatin: dataset chromatin --help */
        asking[0] = argv[2];
        asking[1] = argc > 3 ? argv[3] : help_word;
        asking[2] = argc > 3 ? help_word : NULL;
        return run_command(argc > 3 ? 3 : 2, asking);
    }
    if (bird_isa_check())
        return cli_fail();
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("dnabird %s\n%s\n%s\n", bird_version(), bird_build_features(),
               bird_train_features());
        return CLI_OK;
    }
    if (argv[1][0] == '-')
        return cli_usage("there is no option '%s' before the command; "
                         "'dnabird --help' lists the commands",
                         argv[1]);
    return run_command(argc - 1, argv + 1);
}

/* Started through the dynamic loader, /proc/self/exe is the loader, to which
 * argv means something else. */
static int is_loader(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

    return !strncmp(base, "ld-", 3) || !strncmp(base, "ld.", 3);
}

/* OpenBLAS takes its kernels for Prescott, whose vectors are a quarter as long, on
 * Intel's processors that are younger than itself: 0.3.21 of Debian 12 on Xeons of
 * 2023. The kernels that such a processor deserves; NULL: OpenBLAS chose well, or
 * another BLAS is loaded. */
static const char *better_kernels(void)
{
#if defined(__x86_64__)
    const char *(*core)(void);

    *(void **)&core = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    if (!core || strcmp(core(), "Prescott") != 0)
        return NULL;
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return NULL;
}

/* By default OpenMP's threads spin while they wait, and take time from working
 * threads if cores are shared. GCC's runtime, as OpenBLAS, reads its setting from the
 * environment before main, so the program restarts itself, once, with the variables
 * set. If the restart fails, the program goes on without them. */
static void restart(char **argv)
{
    static const char self[] = "/proc/self/exe";
    const char *kernels = NULL;
    char path[4096];
    int set = 0;
    ssize_t n = readlink(self, path, sizeof(path) - 1);

    if (n <= 0)
        return;
    path[n] = '\0';
    if (is_loader(path))
        return;
    if (!getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT") &&
        !getenv("KMP_BLOCKTIME"))
        set |= !setenv("OMP_WAIT_POLICY", "passive", 1);
    if (!getenv("OPENBLAS_CORETYPE"))
        kernels = better_kernels();
    if (kernels)
        set |= !setenv("OPENBLAS_CORETYPE", kernels, 1);
    if (set)
        execv(self, argv);
}

/* Print the notice about the BLAS. */
static void say_of_blas(const char *sentence)
{
    cli_say("%s", sentence);
}

int main(int argc, char **argv)
{
    int status;

    cli_loaded();
    restart(argv);
    cli_begin(argc, argv);
    bird_guard_begin();
    bird_blas_watch(say_of_blas);
    /* `dnabird ... | head` ends silently, also where the parent ignores SIGPIPE. */
    cli_signals();
    /* A limit on file sizes (ulimit -f) fails as a full disk does. */
    signal(SIGXFSZ, SIG_IGN);
    status = cli_finish(run(argc, argv));
    bird_guard_end();
    return status;
}
