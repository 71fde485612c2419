/* dnabird: the command table, help, version. SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "dnabird/dnabird.h"
#include "dnabird/train.h"

struct command {
    const char *name; /* NULL: `about` is a heading */
    const char *about;
    int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
    {NULL, "Preparing", NULL},
    {"tokenizer", "learn a vocabulary from FASTA", cmd_tokenizer},
    {"tokenize", "show sequence as tokens", cmd_tokenize},
    {"init", "make a model folder with random weights", cmd_init},
    {"import", "take over a model of Hugging Face", cmd_import},
    {"export", "write a model folder anew", cmd_export},
    {NULL, "Learning", NULL},
    {"dataset", "cut labelled sequence from a genome", cmd_dataset},
    {"pretrain", "train an encoder on reference genomes", cmd_pretrain},
    {"finetune", "train a classifier on labelled sequence", cmd_finetune},
    {"evaluate", "measure a model on labelled sequence", cmd_evaluate},
    {NULL, "Using", NULL},
    {"promoter", "find promoters in a FASTA file", cmd_promoter},
    {"chromatin", "chromatin profiles of a genome or sequences", cmd_chromatin},
    {"variant", "what the alleles of a VCF do", cmd_variant},
    {"mutate", "what every change of a region does", cmd_mutate},
    {"embed", "hidden states, pooled vectors, logits", cmd_embed},
    {NULL, "Looking", NULL},
    {"info", "what a model folder holds", cmd_info},
    {"report", "a page of a run: curves, figures, configuration", cmd_report},
    {"bench", "how fast this machine runs a model", cmd_bench},
};

enum { N_COMMAND = sizeof(commands) / sizeof(*commands) };

static void print_help(FILE *f)
{
    fprintf(f,
            "dnabird %s: DNA language models on CPUs\n\n"
            "Usage: dnabird <command> [options] <files>\n",
            bird_version());
    for (int i = 0; i < N_COMMAND; i++) {
        if (commands[i].name)
            fprintf(f, "  %-12s %s\n", commands[i].name, commands[i].about);
        else if (i + 1 < N_COMMAND && commands[i + 1].name)
            fprintf(f, "\n%s\n", commands[i].about);
    }
    fputs("\n'dnabird help <command>' tells the options of a command; "
          "'dnabird --version'\nthe version and what this build holds.\n",
          f);
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < N_COMMAND; i++)
        if (commands[i].name && !strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *near =
        cli_nearest(name, &commands[0].name, N_COMMAND, sizeof(*commands));

    if (near)
        return cli_usage("there is no command '%s'; did you mean '%s'?", name,
                         near);
    return cli_usage("there is no command '%s'; 'dnabird --help' lists them",
                     name);
}

static int run(int argc, char **argv)
{
    static char help_word[] = "--help";
    const struct command *c;

    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
        (!strcmp(argv[1], "help") && argc == 2)) {
        print_help(stdout);
        return CLI_OK;
    }
    if (!strcmp(argv[1], "help")) {
        /* help dataset chromatin: dataset chromatin --help */
        char *asking[] = {argv[2], argc > 3 ? argv[3] : help_word, help_word,
                          NULL};

        c = find_command(argv[2]);
        return c ? c->run(argc > 3 ? 3 : 2, asking) : unknown_command(argv[2]);
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
    c = find_command(argv[1]);
    return c ? c->run(argc - 1, argv + 1) : unknown_command(argv[1]);
}

/* Started through the dynamic loader, /proc/self/exe is the loader, to which
 * argv means something else. */
static int is_loader(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

    return !strncmp(base, "ld-", 3) || !strncmp(base, "ld.", 3);
}

/* OpenMP's threads spin while they wait unless told otherwise, and take the
 * time of those that work where cores are shared. GCC's runtime reads that
 * from the environment before main, so the program starts anew, once, with
 * the variable set. Where that cannot be it goes on as it is. */
static void wait_passively(char **argv)
{
    static const char self[] = "/proc/self/exe";
    char path[4096];
    ssize_t n;

    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") ||
        getenv("KMP_BLOCKTIME"))
        return;
    n = readlink(self, path, sizeof(path) - 1);
    if (n <= 0)
        return;
    path[n] = '\0';
    if (!is_loader(path) && !setenv("OMP_WAIT_POLICY", "passive", 1))
        execv(self, argv);
}

static void say_of_blas(const char *sentence)
{
    cli_say("%s", sentence);
}

int main(int argc, char **argv)
{
    int status;

    wait_passively(argv);
    bird_guard_begin();
    bird_blas_watch(say_of_blas);
    /* `dnabird ... | head` ends silently, whatever the parent had set. */
    cli_signals();
    /* A limit on file sizes (ulimit -f) fails as a full disk does. */
    signal(SIGXFSZ, SIG_IGN);
    status = cli_finish(run(argc, argv));
    bird_guard_end();
    return status;
}
