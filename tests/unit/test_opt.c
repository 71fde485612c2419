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
#include "progress.c" /* its clock is set back */

static int64_t stride, width;
static double threshold, share;
static const char *model, *places, *bed;
static int format, exact;

static const struct opt opts[] = {
    {'s', "stride", OPT_INT, &stride, "INT", "bases between windows"},
    {'w', "width", OPT_INT, &width, "INT", "worked out when not given"},
    {0, "threshold", OPT_REAL, &threshold, "P", "least probability"},
    {0, "share", OPT_SHARE, &share, "P", "of what there is"},
    {'m', "model", OPT_TEXT, &model, "DIR", "model folder"},
    {'O', "format", OPT_CHOICE, &format, "bed|bedgraph|tsv", "output form"},
    {'x', "exact", OPT_FLAG, &exact, NULL, "nothing else"},
    {'r', "region", OPT_LIST, &places, "REGION", "only here"},
    {'R', "regions-file", OPT_ONCE, &bed, "BED", "only there"},
};
enum { N_ARG = 10 };

static const struct opt_usage usage = {
    "toy", "[options] in.fa > out", "About.", "Notes.", 0, 9, NULL};
static int first, status;

static void setup(void)
{
    stride = 250, width = INT64_MIN, threshold = 0.5, share = -1, model = NULL;
    places = bed = NULL;
    format = 1, exact = 0, first = -1, status = -1;
    cr_redirect_stdout();
    cr_redirect_stderr();
}

/* Parse "toy" and up to nine words; the last is NULL. */
static int parse(const char *const *words)
{
    static char *argv[N_ARG + 2];
    static char name[] = "toy";
    char **at;
    int n = 0;

    argv[n++] = name;
    while (n <= N_ARG && *words)
        argv[n++] = (char *)(uintptr_t)*words++;
    argv[n] = NULL;
    at = argv;
    status = opt_parse(&n, &at, opts, N_OPT(opts), &usage);
    first = (int)(at - argv);
    return status != OPT_GO;
}
#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

TestSuite(opt, .init = setup);

/* All that went to standard error since the last call. */
static const char *written(void)
{
    static char buf[2048];

    fflush(stderr);
    buf[fread(buf, 1, sizeof(buf) - 1, cr_get_redirected_stderr())] = '\0';
    return buf;
}

Test(opt, values_of_every_type_are_stored)
{
    cr_assert_eq(PARSE("-s", "4K", "a.fa", "--threshold=1e-3", "-mX", "-O",
                       "tsv", "-x", "b.fa"),
                 0);
    cr_assert_eq(stride, 4000);
    cr_assert_float_eq(threshold, 1e-3, 1e-12);
    cr_assert_str_eq(model, "X");
    cr_assert_eq(format, 2);
    cr_assert_eq(exact, 1);
    cr_assert_eq(first, 8);
}

Test(opt, a_list_grows_with_every_option)
{
    cr_assert_eq(PARSE("-r", "a:1,b", "-R", "x.bed", "--region=c", "-rd", "x"),
                 0);
    cr_assert_str_eq(places, "a:1,b c d");
    cr_assert_str_eq(bed, "x.bed");
}

Test(opt, names_are_cut_at_commas)
{
    struct opt_names x = opt_split("a.fa,,b");

    cr_assert_eq(x.n, 3);
    cr_assert_str_eq(x.at[0], "a.fa");
    cr_assert_str_eq(x.at[1], "");
    cr_assert_str_eq(x.at[2], "b");
    cr_assert_eq(opt_split(NULL).n, 0);
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
        "Options:\n"
        "  -s, --stride INT          bases between windows (default: 250)\n"
        "  -w, --width INT           worked out when not given\n"
        "      --threshold P         least probability (default: 0.5)\n"
        "      --share P             of what there is\n"
        "  -m, --model DIR           model folder\n"
        "  -O, --format bed|bedgraph|tsv\n"
        "                            output form (default: bedgraph)\n"
        "  -x, --exact               nothing else\n"
        "  -r, --region REGION       only here\n"
        "  -R, --regions-file BED    only there\n"
        "  -q, --quiet               no notices and no progress; warnings "
        "and errors are\n"
        "                            still shown\n"
        "      --progress auto|never|always\n"
        "                            auto: a bar on a terminal, elsewhere a "
        "line, the\n"
        "                            first after 5 s, then every 30 s; always: "
        "a bar\n"
        "                            (default: auto)\n"
        "      --settings FILE       read options from this file, a line 'name "
        "= value'\n"
        "                            each; the command line wins\n"
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
    const struct opt_usage bare = {"toy", "[options [x]] > out", "", NULL, 0, 0,
                                   NULL};
    char name[] = "toy", *argv[] = {name, NULL}, **at = argv;
    int n = 1;

    cr_assert_eq(opt_parse(&n, &at, opts, N_OPT(opts), &bare), OPT_GO);
    cr_assert_eq(n, 0);
}

Test(opt, a_share_lies_between_0_and_1)
{
    cr_assert_eq(PARSE("--share", "0", "x"), 0);
    cr_assert_eq(share, 0);
    cr_assert_eq(PARSE("--share", "1", "x"), 0);
    cr_assert_eq(share, 1);
}

Test(opt, wrong_words_are_named)
{
    static const struct {
        const char *words[6], *says;
    } cases[] = {
        {{"-s", "4.5", "x"}, "--stride: '4.5' is not a whole number"},
        {{"-s", "9999999999999G", "x"},
         "--stride: '9999999999999G' is not a whole number"},
        {{"--threshold", "nan", "x"}, "--threshold: 'nan' is not a number"},
        {{"--share", "-1", "x"}, "--share must lie between 0 and 1, got -1"},
        {{"-O", "be", "x"}, "--format: 'be' is not one of bed|bedgraph|tsv"},
        {{"x", "-s"}, "-s wants a value"},
        {{"x", "--stride"}, "--stride wants a value"},
        {{"--exact=1", "x"}, "'--exact=1': this option takes no value"},
        {{"-z", "x"}, "there is no option -z; see 'dnabird toy --help'"},
        {{"--sride=5", "x"},
         "there is no option --sride; did you mean --stride?"},
        {{"--elephant", "x"},
         "there is no option --elephant; see 'dnabird toy --help'"},
        {{"--str", "5", "x"}, "'--str' is cut short; the option is --stride"},
        {{"-R", "x.bed", "--regions-file", "y.bed", "x"},
         "--regions-file is given twice: join the two into one"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char line[200];

        bed = NULL;
        cr_assert_eq(parse(cases[i].words), 1);
        cr_assert_eq(status, CLI_USAGE);
        snprintf(line, sizeof(line), "dnabird: toy: %s\n", cases[i].says);
        cr_assert_str_eq(written(), line);
    }
    cr_assert(stride == 250 && format == 1 && share == -1);
}

/* ---- --settings -------------------------------------------------------- */

static int64_t depth;
static struct opt_names files;

static const struct opt grouped[] = {
    {'s', "stride", OPT_INT, &stride, "INT", "bases between windows"},
    {'x', "exact", OPT_FLAG, &exact, NULL, "nothing else"},
    {'r', "region", OPT_LIST, &places, "REGION", "only here"},
    {'f', "reference", OPT_NAMES, &files, "FILES", "genome"},
    OPT_HEADING("Model"),
    {'m', "model", OPT_TEXT, &model, "DIR", "model folder"},
    OPT_FILE_ONLY,
    {0, "depth", OPT_INT, &depth, "INT", "how deep"},
};

/* Parse by the table above, with a file that has this text. */
static int parse_file(const char *text, const char *const *words)
{
    static char name[] = "toy", option[] = "--settings", file[] = "t.toml";
    static char *argv[N_ARG + 4];
    char **at = argv;
    FILE *f = fopen(file, "w");
    int n = 3;

    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
    argv[0] = name, argv[1] = option, argv[2] = file;
    while (n <= N_ARG && *words)
        argv[n++] = (char *)(uintptr_t)*words++;
    argv[n] = NULL;
    depth = 1;
    files = (struct opt_names){NULL, 0};
    status = opt_parse(&n, &at, grouped, N_OPT(grouped), &usage);
    remove(file);
    return status;
}
#define PARSE_FILE(text, ...)                                                  \
    parse_file(text, (const char *const[]){__VA_ARGS__, NULL})

Test(settings, a_file_sets_options_and_settings, .init = setup)
{
    char name[] = "dnabird", *argv[] = {name};

    cli_begin(1, argv);
    cr_assert_eq(PARSE_FILE("# a comment\n\n"
                            "stride = 400 # another\n"
                            "exact = true\n"
                            "model = \"a \\\"b\\\" # c\"\n"
                            "region = ['x:1', \"y\"]\n"
                            "reference = [\"a.fa\", \"b.fa\",]\n"
                            "depth = 7",
                            "in.fa"),
                 OPT_GO);
    cr_assert_eq(stride, 400);
    cr_assert_eq(exact, 1);
    cr_assert_str_eq(model, "a \"b\" # c");
    cr_assert_str_eq(places, "x:1 y");
    cr_assert_eq(files.n, 2);
    cr_assert_str_eq(files.at[1], "b.fa");
    cr_assert_eq(depth, 7);
    cr_assert_str_eq(cli_command_line(),
                     "dnabird [stride=400 exact=true "
                     "model=\"a_\\\"b\\\"_#_c\" region=['x:1',_\"y\"] "
                     "reference=[\"a.fa\",_\"b.fa\",] depth=7]");
}

Test(settings, the_command_line_wins, .init = setup)
{
    cr_assert_eq(PARSE_FILE("stride = 400\nregion = \"a\"\nmodel = \"M\"\n",
                            "-s", "5", "--region", "b", "in.fa"),
                 OPT_GO);
    cr_assert_eq(stride, 5);
    cr_assert_str_eq(places, "b");
    cr_assert_str_eq(model, "M");
}

Test(settings, wrong_lines_are_named, .init = setup)
{
    static const struct wrong_line {
        const char *text, *says;
    } cases[] = {
        {"stride = 4\nsride = 5\n", "t.toml:2: 'toy' has no option or setting "
                                    "'sride'; did you mean 'stride'?"},
        {"settings = \"x\"\n", "t.toml:1: a settings file names no other one"},
        {"stride = 4\nstride = 5\n", "t.toml:2: this name has a line already"},
        {"stride = x\n", "t.toml:1: the value is not a string"},
        {"stride = \"x\"\n", "t.toml:1: stride: 'x' is not a whole number"},
        {"stride = true\n", "t.toml:1: stride takes no true or false"},
        {"exact = 1\n", "t.toml:1: exact is true or false"},
        {"stride = [\"1\"]\n", "t.toml:1: an array, but the option takes one"},
        {"region = [\"1\"\n", "t.toml:1: an array ends with ]"},
        {"region = [1]\n", "t.toml:1: an array has strings"},
        {"region = [\"1\"] 2\n", "t.toml:1: text after ]"},
        {"model = \"a\n", "t.toml:1: the value is not a string"},
        {"model = \"a\" b\n", "t.toml:1: text after the value"},
        {"[run]\n", "t.toml:1: a line is 'name = value'"},
        {"stride\n", "t.toml:1: a line is 'name = value'"},
        {"stride =\n", "t.toml:1: the value is not"},
    };
    FILE *f = cr_get_redirected_stderr();

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char line[200] = "";

        cr_assert_eq(PARSE_FILE(cases[i].text, "x"), CLI_USAGE);
        fflush(stderr);
        cr_assert_not_null(fgets(line, sizeof(line), f));
        cr_assert(strstr(line, cases[i].says), "%s: %s", cases[i].text, line);
    }
}

Test(settings, a_setting_is_not_an_option, .init = setup)
{
    cr_assert_eq(PARSE_FILE("", "--depth=5", "x"), CLI_USAGE);
    cr_assert_str_eq(written(),
                     "dnabird: toy: 'depth' is a setting, not an option: write "
                     "'depth = ...' into a file and name it with --settings\n");
}

Test(settings, help_has_the_common_rows_and_all_of_them, .init = setup)
{
    char text[4096], *at;
    FILE *f = cr_get_redirected_stdout();

    PARSE_FILE("", "--help");
    fputs("====", stdout);
    PARSE_FILE("", "--help=all");
    fflush(stdout);
    text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
    at = strstr(text, "====");
    cr_assert_not_null(at);
    cr_assert_not_null(strstr(at, "Model:\n  -m, --model"));
    cr_assert_not_null(strstr(at, "General:\n  -q, --quiet"));
    cr_assert_not_null(strstr(at, "\n  depth = INT"));
    *at = '\0';
    cr_assert_not_null(strstr(text, "--help=all"));
    cr_assert_null(strstr(text, "--model"));
    cr_assert_null(strstr(text, "depth"));
}

Test(cli, command_line_leaves_out_what_changes_nothing)
{
    const char *const words[] = {
        "dnabird", "promoter", "-t", "4",           "-m",
        "a b",     "-ofile",   "-W", "--threads=2", "--output",
        "x",       "-s",       "5",  "--json=s",    "--write-index",
        "in.fa"};
    int n = (int)(sizeof(words) / sizeof(*words));
    char *argv[16];

    for (int i = 0; i < n; i++)
        argv[i] = (char *)(uintptr_t)words[i];
    cli_begin(n, argv);
    cr_assert_str_eq(cli_command_line(), "dnabird promoter -m a_b -s 5 in.fa");
}

Test(cli, counts_have_commas_and_plurals)
{
    cr_assert_str_eq(cli_count(1, "window"), "1 window");
    cr_assert_str_eq(cli_count(0, "window"), "0 windows");
    cr_assert_str_eq(cli_count(999, "bp"), "999 bp");
    cr_assert_str_eq(cli_count(-1234567, "row"), "-1,234,567 rows");
    cr_assert_str_eq(cli_count(1, "TSS|TSSs"), "1 TSS");
    cr_assert_str_eq(cli_count(1000, "TSS|TSSs"), "1,000 TSSs");
    cr_assert_str_eq(cli_count(INT64_MIN, ""), "-9,223,372,036,854,775,808");
    cr_assert_str_eq(cli_rate(20300, 1, "b"), "20.3 kb/s");
    cr_assert_str_eq(cli_rate(5, 0, "b"), "0 bp/s");
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

/* ---- progress ---------------------------------------------------------- */

static bird_progress at(const char *unit, int64_t done, int64_t total)
{
    return (bird_progress){"scoring", unit, done, total, NULL, NULL, 0};
}

static void begin(const char *wanted)
{
    cli_progress_choose(CLI_PROGRESS_AUTO);
    unsetenv("DNABIRD_PROGRESS_EVERY");
    if (wanted)
        setenv("DNABIRD_PROGRESS", wanted, 1);
    else
        unsetenv("DNABIRD_PROGRESS");
}

Test(progress, a_short_run_off_a_terminal_is_silent, .init = cr_redirect_stderr)
{
    bird_progress p = at("bp", 5, 10);

    begin(NULL);
    cli_progress(NULL, &p);
    p.done = 10;
    cli_progress(NULL, &p);
    cli_progress_end();
    cr_assert_str_eq(written(), "");
}

Test(progress, a_long_run_off_a_terminal_leaves_lines,
     .init = cr_redirect_stderr)
{
    bird_progress p = at("bp", 1000000, 4000000);

    begin(NULL);
    cli_progress(NULL, &p);
    run.begin_s -= 6, run.part[0].start_s -= 6; /* six seconds later */
    p.done = 1400000;
    cli_progress(NULL, &p);
    run.last_s -= 6; /* no second line sooner than half a minute later */
    cli_progress(NULL, &p);
    run.last_s -= 25, run.part[0].start_s -= 25;
    p.done = 2000000;
    cli_progress(NULL, &p);
    cli_progress_end();
    cr_assert_str_eq(written(),
                     "dnabird: scoring: 1.4 Mbp of 4 Mbp (35%), 66.7 kbp/s, "
                     "left 0:39\n"
                     "dnabird: scoring: 2 Mbp of 4 Mbp (50%), 32.3 kbp/s, "
                     "left 1:02\n");
}

/* Without a total the share of the input's bytes gives per cent and time left. */
Test(progress, a_share_of_the_input_is_no_total, .init = cr_redirect_stderr)
{
    bird_progress p = at("bp", 0, -1);

    begin(NULL);
    cli_progress(NULL, &p);
    run.begin_s -= 10, run.part[0].start_s -= 10;
    p.done = 1000000;
    p.share = 0.25;
    cli_progress(NULL, &p);
    cli_progress_end();
    cr_assert_str_eq(written(), "dnabird: scoring: 1 Mbp (25%), 100 kbp/s, "
                                "left 0:30\n");
}

Test(progress, things_are_counted_out_and_may_be_slow,
     .init = cr_redirect_stderr)
{
    bird_progress p = at("records", 0, -1);

    begin(NULL);
    setenv("DNABIRD_PROGRESS_EVERY", "5", 1);
    cli_progress(NULL, &p);
    run.begin_s -= 40, run.part[0].start_s -= 40;
    p.done = 10;
    cli_progress(NULL, &p);
    run.last_s -= 4; /* too soon */
    cli_progress(NULL, &p);
    run.last_s -= 40, run.part[0].start_s -= 5000;
    p.done = 123456;
    cli_progress(NULL, &p);
    cli_progress_end();
    cr_assert_str_eq(written(), "dnabird: scoring: 10 records, 0.25 records/s\n"
                                "dnabird: scoring: 123456 records, 24 "
                                "records/s\n");
}

Test(progress, when_asked_for_is_a_bar, .init = cr_redirect_stderr)
{
    bird_progress p = at("bp", 1500, 3000);
    const char *s;

    begin("1");
    cli_progress(NULL, &p);
    p.done = 1600;
    cli_progress(NULL, &p); /* too soon: not shown */
    p.done = 3000;
    cli_progress(NULL, &p);
    cli_progress_end();
    s = written();
    cr_assert(strstr(s, "scoring [############            ]  50% 1.5 kbp"));
    cr_assert_null(strstr(s, "1.6 kbp"));
    cr_assert_null(strstr(s, "/s")); /* no rate of no time */
    cr_assert(strstr(s, "100% 3 kbp"));
}

/* A rate is of what was done since the first call, not of what was there. */
Test(progress, tells_rates_from_its_start, .init = cr_redirect_stderr)
{
    bird_progress p = at("bp", 1000, 4000);
    const char *s;

    begin("1");
    cli_progress(NULL, &p);
    run.part[0].start_s = cli_now() - 10; /* ten seconds later */
    run.last_s = 0;
    p.done = 3000;
    cli_progress(NULL, &p);
    cli_progress_end();
    s = written();
    cr_assert(strstr(s, "75% 3 kbp, 200 bp/s, left 0:05"), "%s", s);
}

/* Parts of a run have a rate each, and one begun again a new one. */
Test(progress, parts_are_kept_apart, .init = cr_redirect_stderr)
{
    bird_progress train = {"training", "steps", 1, 100, NULL, NULL, 0};
    bird_progress check = {"validating", "rows", 1, 50, NULL, NULL, 0};

    begin("0");
    cli_progress(NULL, &train);
    run.part[0].start_s -= 100;
    cli_progress(NULL, &check);
    check.done = 50;
    run.part[1].start_s -= 100;
    cli_progress(NULL, &check);
    train.done = 11;
    cli_progress(NULL, &train);
    cr_assert_eq(run.n_part, 2);
    cr_assert_lt(run.part[0].start_s, cli_now() - 99);
    check.done = 1;
    cli_progress(NULL, &check);
    cr_assert_gt(run.part[1].start_s, cli_now() - 99);
    cr_assert_str_eq(written(), "");
}

Test(progress, is_chosen_by_every_command, .init = cr_redirect_stderr)
{
    bird_progress p = at("bp", 1, 2);

    begin("1");
    cr_assert_eq(PARSE("x", "--progress", "never"), 0);
    cli_progress(NULL, &p);
    cr_assert_str_eq(written(), "");
    setenv("DNABIRD_PROGRESS", "0", 1);
    cr_assert_eq(PARSE("x", "--progress=always"), 0);
    cli_progress(NULL, &p);
    cr_assert(strstr(written(), "scoring ["));
    cli_progress_end();
    written();
    run.last_s = 0;
    cr_assert_eq(PARSE("x", "-q", "--progress", "always"), 0);
    cli_progress(NULL, &p);
    cli_say("a notice");
    cr_assert_str_eq(written(), "");
    cli_say("one; %s: two", "warning");
    cr_assert_str_eq(written(), "dnabird: one; warning: two\n");
    cr_assert_eq(cli_warn("a warning"), CLI_FAILED);
    cr_assert_str_eq(written(), "dnabird: a warning\n");
}
