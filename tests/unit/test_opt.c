/* opt and cli: parsing, help, sentences, provenance, near names. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dnabird/dnabird.h"
#include "opt.h"

static int64_t stride, width;
static double threshold;
static const char *model, *places, *bed;
static int format, quiet;

static const struct opt opts[] = {
    {'s', "stride", OPT_INT, &stride, "INT", "bases between windows"},
    {'w', "width", OPT_INT, &width, "INT", "worked out when not given"},
    {0, "threshold", OPT_REAL, &threshold, "P", "least probability"},
    {'m', "model", OPT_TEXT, &model, "DIR", "model folder"},
    {'O', "format", OPT_CHOICE, &format, "bed|bedgraph|tsv", "output form"},
    {'r', "region", OPT_LIST, &places, "REGION", "only here"},
    {'R', "regions-file", OPT_ONCE, &bed, "BED", "only there"},
    {'q', "quiet", OPT_FLAG, &quiet, NULL, "say nothing"},
};
enum { N_OPT = sizeof(opts) / sizeof(*opts), N_ARG = 10 };

static const struct opt_usage usage = {"toy", "[options] in.fa > out", "About.",
                                       "Notes."};
static int first, status;

static void setup(void)
{
    stride = 250, width = INT64_MIN, threshold = 0.5, model = NULL;
    places = bed = NULL;
    format = 1, quiet = 0, first = -1, status = -1;
    cr_redirect_stdout();
    cr_redirect_stderr();
}

/* Parse "toy" and up to nine words; the last is NULL. */
static int parse(const char *const *words)
{
    static char *argv[N_ARG + 2];
    static char name[] = "toy";
    int n = 0;

    argv[n++] = name;
    while (n <= N_ARG && *words)
        argv[n++] = (char *)(uintptr_t)*words++;
    argv[n] = NULL;
    return opt_parse(&first, &status, n, argv, opts, N_OPT, &usage);
}
#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

TestSuite(opt, .init = setup);

Test(opt, values_of_every_type_are_stored)
{
    cr_assert_eq(PARSE("-s", "4K", "a.fa", "--threshold=1e-3", "-mX", "-O",
                       "tsv", "-q", "b.fa"),
                 0);
    cr_assert_eq(stride, 4000);
    cr_assert_float_eq(threshold, 1e-3, 1e-12);
    cr_assert_str_eq(model, "X");
    cr_assert_eq(format, 2);
    cr_assert_eq(quiet, 1);
    cr_assert_eq(first, 8);
}

Test(opt, a_list_grows_with_every_option)
{
    cr_assert_eq(PARSE("-r", "a:1,b", "-R", "x.bed", "--region=c", "-rd", "x"),
                 0);
    cr_assert_str_eq(places, "a:1,b c d");
    cr_assert_str_eq(bed, "x.bed");
}

Test(opt, what_cannot_be_joined_is_not_given_twice)
{
    cr_assert_eq(PARSE("-R", "x.bed", "--regions-file", "y.bed", "x"), 1);
    cr_assert_eq(status, CLI_USAGE);
    fflush(stderr);
    cr_assert_stderr_eq_str("dnabird: toy: --regions-file is given twice: join "
                            "the two into one\n");
}

Test(opt, a_value_may_be_negative)
{
    cr_assert_eq(PARSE("-s", "-5", "--threshold", "-0.25", "x"), 0);
    cr_assert_eq(stride, -5);
    cr_assert_float_eq(threshold, -0.25, 1e-12);
}

Test(opt, two_dashes_end_the_options)
{
    cr_assert_eq(PARSE("-q", "--", "-s"), 0);
    cr_assert_eq(first, 3);
    cr_assert_eq(stride, 250);
}

Test(opt, one_dash_is_an_operand)
{
    cr_assert_eq(PARSE("-"), 0);
    cr_assert_eq(first, 1);
}

Test(opt, help_goes_to_stdout_with_the_defaults)
{
    cr_assert_eq(PARSE("-s", "7", "--bad", "--help"), 1);
    cr_assert_eq(status, CLI_OK);
    fflush(stdout);
    cr_assert_stdout_eq_str(
        "Usage: dnabird toy [options] in.fa > out\n"
        "\n"
        "About.\n"
        "\n"
        "Options (defaults in brackets):\n"
        "  -s, --stride INT          bases between windows [250]\n"
        "  -w, --width INT           worked out when not given\n"
        "      --threshold P         least probability [0.5]\n"
        "  -m, --model DIR           model folder\n"
        "  -O, --format bed|bedgraph|tsv\n"
        "                            output form [bedgraph]\n"
        "  -r, --region REGION       only here\n"
        "  -R, --regions-file BED    only there\n"
        "  -q, --quiet               say nothing\n"
        "  -h, --help                this text\n"
        "\n"
        "Notes.\n");
}

Test(opt, no_arguments_print_the_help_to_stderr)
{
    char buf[64] = "";
    FILE *f;

    cr_assert_eq(PARSE(NULL), 1);
    cr_assert_eq(status, CLI_USAGE);
    fflush(stderr);
    f = cr_get_redirected_stderr();
    cr_assert_not_null(fgets(buf, sizeof(buf), f));
    cr_assert_str_eq(buf, "Usage: dnabird toy [options] in.fa > out\n");
}

Test(opt, a_synopsis_in_brackets_runs_bare)
{
    const struct opt_usage bare = {"toy", "[options [x]] > out", "", NULL};
    char name[] = "toy", *argv[] = {name, NULL};

    cr_assert_eq(opt_parse(&first, &status, 1, argv, opts, N_OPT, &bare), 0);
    cr_assert_eq(first, 1);
}

/* One wrong line gives status 2 and this one sentence. */
static void wrong(const char *sentence)
{
    cr_assert_eq(status, CLI_USAGE);
    fflush(stderr);
    cr_assert_stderr_eq_str(sentence);
}

Test(opt, not_a_whole_number)
{
    cr_assert_eq(PARSE("-s", "4.5", "x"), 1);
    wrong("dnabird: toy: --stride: '4.5' is not a whole number\n");
    cr_assert_eq(stride, 250);
}

Test(opt, a_whole_number_that_does_not_fit)
{
    cr_assert_eq(PARSE("-s", "9999999999999G", "x"), 1);
    wrong("dnabird: toy: --stride: '9999999999999G' is not a whole number\n");
}

Test(opt, not_a_number)
{
    cr_assert_eq(PARSE("--threshold", "nan", "x"), 1);
    wrong("dnabird: toy: --threshold: 'nan' is not a number\n");
}

Test(opt, not_a_choice)
{
    cr_assert_eq(PARSE("-O", "be", "x"), 1);
    wrong("dnabird: toy: --format: 'be' is not one of bed|bedgraph|tsv\n");
    cr_assert_eq(format, 1);
}

Test(opt, missing_value)
{
    cr_assert_eq(PARSE("x", "-s"), 1);
    wrong("dnabird: toy: -s wants a value\n");
}

Test(opt, missing_value_of_a_long_name)
{
    cr_assert_eq(PARSE("x", "--stride"), 1);
    wrong("dnabird: toy: --stride wants a value\n");
}

Test(opt, value_for_a_flag)
{
    cr_assert_eq(PARSE("--quiet=1", "x"), 1);
    wrong("dnabird: toy: '--quiet=1': this option takes no value\n");
}

Test(opt, unknown_letter)
{
    cr_assert_eq(PARSE("-z", "x"), 1);
    wrong("dnabird: toy: there is no option -z; see 'dnabird toy --help'\n");
}

Test(opt, unknown_name_with_a_near_one)
{
    cr_assert_eq(PARSE("--sride=5", "x"), 1);
    wrong("dnabird: toy: there is no option --sride; "
          "did you mean --stride?\n");
}

Test(opt, unknown_name)
{
    cr_assert_eq(PARSE("--elephant", "x"), 1);
    wrong("dnabird: toy: there is no option --elephant; "
          "see 'dnabird toy --help'\n");
}

Test(opt, long_names_are_not_cut_short)
{
    cr_assert_eq(PARSE("--str", "5", "x"), 1);
    wrong("dnabird: toy: '--str' is cut short; the option is --stride\n");
    cr_assert_eq(stride, 250);
}

Test(cli, command_line_leaves_out_what_changes_nothing)
{
    const char *const words[] = {"promoter", "-t",
                                 "4",        "-m",
                                 "a b",      "-ofile",
                                 "-W",       "--threads=2",
                                 "--output", "x",
                                 "-s",       "5",
                                 "--json=s", "--write-index",
                                 "in.fa"};
    int n = (int)(sizeof(words) / sizeof(*words));
    char *argv[16], *line;

    for (int i = 0; i < n; i++)
        argv[i] = (char *)(uintptr_t)words[i];
    line = cli_command_line(n, argv);
    cr_assert_str_eq(line, "dnabird promoter -m a_b -s 5 in.fa");
    free(line);
}

Test(cli, nearest_name)
{
    const char *names[] = {"tokenizer", NULL, "tokenize", "info"};

    cr_assert_str_eq(cli_nearest("tokenise", names, 4, sizeof(*names)),
                     "tokenize");
    cr_assert_str_eq(cli_nearest("ifno", names, 4, sizeof(*names)), "info");
    cr_assert_null(cli_nearest("dance", names, 4, sizeof(*names)));
    cr_assert_null(cli_nearest("x", names, 4, sizeof(*names)));
}

Test(cli, threads_are_checked_and_set, .init = cr_redirect_stderr)
{
    cr_assert_eq(cli_threads(2), 0);
    cr_assert_eq(bird_threads(), 2);
    cr_assert_eq(cli_threads(0), 0);
    cr_assert_eq(bird_threads(), 2);
    cr_assert_eq(cli_threads(-1), CLI_USAGE);
}

Test(cli, progress_is_silent_off_a_terminal, .init = cr_redirect_stderr)
{
    struct cli_progress p = {.what = "scoring", .unit = "bp"};

    unsetenv("DNABIRD_PROGRESS");
    cli_progress(&p, 5, 10);
    cli_progress(&p, 10, 10);
    cli_progress_end(&p);
    cr_assert_eq(p.shown, 0);
    fflush(stderr);
    cr_assert_stderr_eq_str("");
}

Test(cli, progress_when_asked_for, .init = cr_redirect_stderr)
{
    struct cli_progress p = {.what = "scoring", .unit = "bp"};
    char buf[256] = "";

    setenv("DNABIRD_PROGRESS", "1", 1);
    cli_progress(&p, 1500, 3000);
    cli_progress(&p, 1600, 3000); /* too soon: not shown */
    cli_progress(&p, 3000, 3000);
    cli_progress_end(&p);
    fflush(stderr);
    cr_assert_not_null(fgets(buf, sizeof(buf), cr_get_redirected_stderr()));
    cr_assert(strstr(buf, "scoring [############            ]  50% 1.5 kbp"));
    cr_assert_null(strstr(buf, "1.6 kbp"));
    cr_assert_null(strstr(buf, "/s")); /* no rate of no time */
    cr_assert(strstr(buf, "100% 3 kbp"));
}

/* A rate is of what was done since the first call, not of what was there. */
Test(cli, progress_tells_rates_from_its_start, .init = cr_redirect_stderr)
{
    struct cli_progress p = {.what = "scoring", .unit = "bp"};
    char buf[512] = "";

    setenv("DNABIRD_PROGRESS", "1", 1);
    cli_progress(&p, 1000, 4000);
    p.start_s = cli_now() - 10; /* ten seconds later */
    p.last_s = 0;
    cli_progress(&p, 3000, 4000);
    cli_progress_end(&p);
    fflush(stderr);
    cr_assert_not_null(fgets(buf, sizeof(buf), cr_get_redirected_stderr()));
    cr_assert(strstr(buf, "75% 3 kbp, 200 bp/s, left 0:05"), "%s", buf);
}
