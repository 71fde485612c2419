/* track/page, track/svg and report: well-formed whatever stands in
 * the files, round ticks, curves that show what the rows hold. */
#include <math.h>

#include "base/file.h"
#include "dnabird/train.h"
#include "seq_help.h"
#include "track/page.h"

/* ---- a page that a parser of XML would take ---- */

enum { DEEPEST = 64 };

/* A reference like &amp; or &#39; at s; its length, 0 when it is none. */
static size_t reference(const char *s)
{
    size_t n = strspn(s + 1, "#abcdefghijklmnopqrstuvwxyz0123456789");

    return n && s[n + 1] == ';' ? n + 2 : 0;
}

/* From '<' of a tag to behind its '>': names, quoted values, nothing bare. */
static const char *tag(const char *s, int *closing, int *empty, char name[32])
{
    size_t n;

    *closing = s[1] == '/';
    s += 1 + *closing;
    n = strspn(s, "abcdefghijklmnopqrstuvwxyz123456789");
    cr_assert(n > 0 && n < 32, "a bare '<' before '%.20s'", s);
    snprintf(name, 32, "%.*s", (int)n, s);
    for (s += n; *s && *s != '>' && *s != '/'; s++) {
        if (*s != '"')
            continue;
        for (s++; *s && *s != '"'; s++) {
            cr_assert_neq(*s, '<');
            cr_assert(*s != '&' || reference(s), "a bare '&' in a value");
        }
        cr_assert_eq(*s, '"');
    }
    *empty = *s == '/';
    s += *empty;
    cr_assert_eq(*s, '>', "<%s ...>: '%.20s'", name, s);
    return s + 1;
}

static void check_markup(const char *s)
{
    char open[DEEPEST][32], name[32];
    int depth = 0, closing, empty, n_root = 0;

    if (!strncmp(s, "<!DOCTYPE html>", 15))
        s += 15;
    while (*s) {
        if (*s == '&')
            cr_assert(reference(s), "a bare '&' before '%.20s'", s);
        cr_assert((unsigned char)*s >= 32 || *s == '\n' || *s == '\t');
        if (*s != '<') {
            s++;
            continue;
        }
        s = tag(s, &closing, &empty, name);
        if (closing) {
            cr_assert(depth > 0, "</%s> closes nothing", name);
            cr_assert_str_eq(name, open[--depth]);
        } else if (!empty) {
            cr_assert(depth < DEEPEST);
            n_root += depth == 0;
            strcpy(open[depth++], name);
        }
    }
    cr_assert_eq(depth, 0, "<%s> is not closed", depth ? open[depth - 1] : "");
    cr_assert_leq(n_root, 1);
}

static int64_t count(const char *s, const char *what)
{
    int64_t n = 0;

    while ((s = strstr(s, what))) {
        n++;
        s += strlen(what);
    }
    return n;
}

/* ---- texts and numbers ---- */

static void escaped(const char *from, const char *to)
{
    struct bird_markup m = {0};

    bird_markup_text(&m, from);
    cr_assert_eq(m.rc, 0);
    cr_assert_str_eq(m.text.s, to);
    bird_text_free(&m.text);
}

#define NONE "\xef\xbf\xbd"

Test(report, text_from_outside_is_escaped)
{
    escaped("<a href=\"x\" b='y'>&amp;",
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;");
    escaped("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa6",
            "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa6");
}

Test(report, bytes_that_are_no_text_are_replaced)
{
    escaped("\xff|\xc3", NONE "|" NONE);
    escaped("\xc0\x80", NONE NONE);                   /* overlong */
    escaped("\xed\xa0\x80", NONE NONE NONE);          /* a surrogate */
    escaped("\xf4\x90\x80\x80", NONE NONE NONE NONE); /* beyond U+10FFFF */
    escaped("\xef\xbf\xbf", NONE NONE NONE);          /* U+FFFF */
    escaped("a\x01\x1b\x7f\tb\nc", "a" NONE NONE NONE "\tb\nc");
    escaped("\xe2\x82", NONE NONE); /* cut short */
}

static void number(double v, int digits, const char *want)
{
    char s[BIRD_NUMBER_SIZE];

    cr_assert_str_eq(bird_number(s, v, digits), want);
}

Test(report, numbers_are_readable)
{
    number(0, 4, "0");
    number(0.30140, 4, "0.3014");
    number(-0.0123456, 4, "-0.01235");
    number(12.5, 3, "12.5");
    number(3e-4, 4, "3e-4");
    number(3.25e-12, 4, "3.25e-12");
    number(9999, 4, "9999");
    number(12345, 4, "12,345");
    number(-1234567.8, 4, "-1,234,568");
    number(1e30, 4, "1e30");
    number((double)NAN, 4, "NA");
    number(HUGE_VAL, 4, "NA");
}

Test(report, ticks_are_round_and_inside)
{
    static const double range[][2] = {
        {0, 1},       {0, 3e-4},    {499, 501},       {-1, 1},
        {0.15, 0.31}, {0, 20000},   {1e-9, 3e-9},     {2400001, 2400200},
        {-7e8, 9e8},  {0.97, 0.98}, {-1e300, 1e300},  {5, 5.0000001},
        {0, 1e-300},  {0, 7},       {1e15, 1e15 + 8},
    };
    double tick[8], step;

    for (size_t i = 0; i < sizeof(range) / sizeof(*range); i++) {
        double lo = range[i][0], hi = range[i][1], mantissa;
        int n = bird_ticks(tick, &step, 6, lo, hi, 0);

        cr_assert(n >= 2 && n <= 6, "%g .. %g: %d ticks", lo, hi, n);
        mantissa = step / pow(10, floor(log10(step) + 1e-9));
        cr_assert(fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 ||
                  fabs(mantissa - 5) < 1e-6);
        for (int k = 0; k < n; k++) {
            cr_assert_geq(tick[k], lo - 1e-6 * step);
            cr_assert_leq(tick[k], hi + 1e-6 * step);
            cr_assert(!k || tick[k] > tick[k - 1]);
        }
    }
    cr_assert_eq(bird_ticks(tick, &step, 6, 1, 1, 0), 0);
    cr_assert_eq(bird_ticks(tick, &step, 6, 0, (double)NAN, 0), 0);
    cr_assert_eq(bird_ticks(tick, &step, 6, -HUGE_VAL, 1, 0), 0);
    cr_assert_eq(bird_ticks(tick, &step, 6, -1.5e308, 1.5e308, 0), 0);
    cr_assert_eq(bird_ticks(tick, &step, 6, 0.5, 3.5, 1), 3);
    cr_assert_float_eq(tick[0], 1, 1e-12);
    cr_assert_float_eq(step, 1, 1e-12);
}

Test(report, tick_names_tell_marks_apart)
{
    char a[BIRD_NUMBER_SIZE];

    cr_assert_str_eq(bird_tick_name(a, 0.25, 0.05), "0.25");
    cr_assert_str_eq(bird_tick_name(a, 0, 0.05), "0");
    cr_assert_str_eq(bird_tick_name(a, 3e-4, 1e-4), "3e-4");
    cr_assert_str_eq(bird_tick_name(a, 1.5e-4, 5e-5), "1.5e-4");
    cr_assert_str_eq(bird_tick_name(a, 20000, 5000), "20,000");
    cr_assert_str_eq(bird_tick_name(a, 2.5e7, 5e6), "2.5e7");
}

/* ---- pictures ---- */

static char *chart(const struct bird_series *s, int64_t n, struct bird_chart *c)
{
    struct bird_markup m = {0};

    c->series = s;
    c->n_series = n;
    bird_svg_chart(&m, c);
    cr_assert_eq(m.rc, 0);
    check_markup(m.text.s);
    return m.text.s;
}

Test(report, a_chart_shows_points_legend_labels_and_values)
{
    double x[] = {0, 1, 2, 3}, y[] = {1, (double)NAN, 3, 2};
    struct bird_series s = {"loss <a&b>", x, y, 4, BIRD_LINE, 2};
    struct bird_chart c;
    char *out;

    bird_chart_default(&c);
    c.title = "T\"<";
    c.x.label = "step";
    c.y.label = "nats & more";
    c.mark_x = 2;
    c.mark_name = "best";
    out = chart(&s, 1, &c);
    cr_assert_eq(count(out, "<circle"), 3);
    cr_assert(strstr(out, "<title>step 2: loss &lt;a&amp;b&gt; 3</title>"));
    cr_assert(strstr(out, "aria-label=\"T&quot;&lt;\""));
    cr_assert(strstr(out, "nats &amp; more"));
    cr_assert(strstr(out, ">best</text>"));
    cr_assert_eq(count(strstr(out, "class=\"curve s2\""), "h0"), 2,
                 "the gap parts the curve");
    free(out);
}

Test(report, a_chart_of_nothing_or_one_value_has_axes)
{
    double x[] = {500, (double)NAN}, y[] = {0, (double)NAN},
           bad[] = {(double)NAN, HUGE_VAL};
    struct bird_series one = {"a", x, y, 1, BIRD_LINE, 0};
    struct bird_series none = {"a", x, bad, 2, BIRD_STEP, 0};
    struct bird_chart c;
    char *out;

    bird_chart_default(&c);
    out = chart(&one, 1, &c);
    cr_assert(strstr(out, ">500</text>"));
    cr_assert_not(strstr(out, "no values yet"));
    cr_assert_not(strstr(out, "nan"));
    free(out);
    out = chart(&none, 1, &c);
    cr_assert(strstr(out, "no values yet"));
    cr_assert_not(strstr(out, "nan"));
    cr_assert_not(strstr(out, "inf"));
    free(out);
    out = chart(NULL, 0, &c);
    cr_assert(strstr(out, "no values yet"));
    free(out);
}

Test(report, a_long_curve_keeps_its_extremes_and_is_short)
{
    enum { N = 200000 };
    double *x = malloc(N * sizeof(*x)), *y = malloc(N * sizeof(*y));
    struct bird_series s = {"a", x, y, N, BIRD_LINE, 0};
    struct bird_chart c;
    char *out, *curve, *end;
    double top = 1e9;

    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = sin(i * 0.001);
    }
    y[77777] = 50; /* one point above all: it must be seen */
    bird_chart_default(&c);
    c.y.lo = -1;
    c.y.hi = 50;
    out = chart(&s, 1, &c);
    cr_assert_lt(strlen(out), 100000);
    curve = strstr(out, "class=\"curve s0\" d=\"M");
    end = strchr(curve, '>');
    for (char *at = strchr(curve, ','); at && at < end;
         at = strchr(at + 1, ','))
        top = atof(at + 1) < top ? atof(at + 1) : top;
    cr_assert_lt(top, 60, "the spike is not drawn");
    free(out);
    free(x);
    free(y);
}

/* The first number behind `what` in s. */
static double after(const char *s, const char *what)
{
    const char *at = strstr(s, what);

    cr_assert_not_null(at, "no '%s'", what);
    return atof(at + strlen(what));
}

Test(report, bars_stand_on_zero_and_are_as_high_as_their_counts)
{
    double edge[] = {0, 1, 2}, n[] = {10, 5};
    struct bird_series s = {"n", edge, n, 2, BIRD_BARS, 1};
    struct bird_chart c;
    char *out, *first, *second;
    double h1, h2;

    bird_chart_default(&c);
    out = chart(&s, 1, &c);
    first = strstr(out, "class=\"bar s1\"");
    second = strstr(first + 1, "class=\"bar s1\"");
    h1 = after(first, " height=\"");
    h2 = after(second, " height=\"");
    cr_assert(strstr(out, "<title>1 to 2: 5</title>"));
    cr_assert_float_eq(h1 / h2, 2, 0.02);
    free(out);
}

Test(report, a_step_goes_level_then_up)
{
    double x[] = {0, 0.5, 1}, y[] = {0, 0.7, 1};
    struct bird_series s = {NULL, x, y, 3, BIRD_STEP, 0};
    struct bird_chart c;
    char *out, *curve;

    bird_chart_default(&c);
    c.square = 1;
    out = chart(&s, 1, &c);
    curve = strstr(out, "class=\"curve s0\" d=\"M");
    cr_assert_not_null(curve);
    *strchr(curve, '>') = '\0';
    cr_assert_eq(count(curve, "H"), 2);
    cr_assert_eq(count(curve, "V"), 2);
    cr_assert_not(strchr(strstr(curve, "M"), 'L'));
    free(out);
}

Test(report, a_heat_map_has_a_cell_for_every_value)
{
    double v[] = {-1, 0, 0.5, (double)NAN, 2, 1};
    const char *row[] = {"A<", "C"};
    struct bird_heat h = {.title = "m",
                          .x_label = "position",
                          .y_label = "to",
                          .value_name = "change",
                          .value = v,
                          .rows = 2,
                          .columns = 3,
                          .row_name = row,
                          .x0 = 100};
    struct bird_markup m = {0};
    char *cells;

    bird_svg_heat(&m, &h);
    cr_assert_eq(m.rc, 0);
    check_markup(m.text.s);
    cells = strstr(m.text.s, "<g ");
    cr_assert_eq(count(cells, "<rect"), 6);
    cr_assert_eq(count(cells, "class=\"none\""), 1);
    cr_assert(strstr(cells, "class=\"down\" fill-opacity=\"0.500\"><title>100 "
                            "A&lt;: -1</title>"));
    cr_assert(strstr(cells, "class=\"up\" fill-opacity=\"1.000\"><title>101 "
                            "C: 2</title>"));
    bird_text_free(&m.text);
}

/* ---- a run's folder ---- */

static void remove_known(void)
{
    static const char *const names[] = {"training.tsv", "config.json",
                                        "dnabird.json", "e.tsv", "out.html"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unlink(path_of(names[i]));
    cr_assert_eq(rmdir(folder), 0, "something is left in %s", folder);
}

TestSuite(report_run, .init = folder_new, .fini = remove_known);

/* Report on the folder, and a file of metrics in it unless NULL. */
static int report(const char *evaluation)
{
    const char *list[] = {path_of(evaluation ? evaluation : "")};
    bird_report_options o;

    bird_report_options_default(&o);
    o.run = folder;
    o.output = path_of("out.html");
    o.evaluation = list;
    o.n_evaluation = evaluation != NULL;
    return bird_report(&o);
}

static char *page(const char *evaluation)
{
    struct bird_text t = {0};

    WORKS(report(evaluation));
    WORKS(bird_file_read(&t, path_of("out.html")));
    check_markup(t.s);
    cr_assert_eq(count(t.s, "<script"), 1, "what sorts, and nothing else");
    cr_assert_eq(count(t.s, "script-src 'sha256-"), 1);
    cr_assert_not(strstr(t.s, "src="));
    cr_assert_not(strstr(t.s, "url("));
    return t.s;
}

Test(report_run, curves_pair_training_with_validation)
{
    char *s;

    file_text(
        "training.tsv",
        "step\tepoch\tloss\tvalid_loss\tbest\tseconds\ttokens_per_second\t"
        "odd_<one>\tword\n"
        "10\t1\t0.5\t0.4\t0\t100\t70.5\t1\ta\n"
        "20\t2\t0.3\tNA\t0\t200\t71\tNA\tb\n"
        "30\t3\t0.2\t0.25\t1\t50\t72\t3\tc\n"
        "40\t4\t0.1\t0.3"); /* being written */
    s = page(NULL);
    cr_assert_eq(count(s, "<svg"), 3); /* loss, speed, the odd one */
    cr_assert(strstr(s, "step 30: training, last 0.2000 0.2000"));
    cr_assert(strstr(s, "validation, last 0.2500"));
    cr_assert(strstr(s, "tokens/s"));
    cr_assert(strstr(s, "Odd &lt;one&gt;"));
    cr_assert_not(strstr(s, "Word"));
    cr_assert_not(strstr(s, "step 40"));
    cr_assert_eq(count(s, ">best</text>"), 3);
    cr_assert(strstr(s, "<b>250 s</b>") || strstr(s, "<b>4 min</b>"),
              "seconds begin anew after a resume: 200 + 50");
    cr_assert(strstr(s, "No model yet"));
    free(s);
}

Test(report_run, no_row_and_one_row_are_pages_too)
{
    char *s;

    file_text("training.tsv", "step\tloss\n");
    s = page(NULL);
    cr_assert(strstr(s, "training.tsv has no rows yet"));
    cr_assert_eq(count(s, "<svg"), 0);
    free(s);
    file_text("training.tsv", "");
    free(page(NULL));
    file_text("training.tsv", "step\tlo"); /* cut in its first line */
    free(page(NULL));
    file_text("training.tsv", "step\tloss\n7\t0.5\n");
    s = page(NULL);
    cr_assert_eq(count(s, "<svg"), 1);
    cr_assert_eq(count(s, "<circle"), 1);
    free(s);
}

Test(report_run, a_noisy_long_run_has_a_mean)
{
    struct bird_text t = {0};
    char *s;

    cr_assert_eq(bird_text_printf(&t, "step\tloss\tlearning_rate\n"), 0);
    for (int i = 1; i <= 1000; i++)
        cr_assert_eq(bird_text_printf(&t, "%d\t%d\t%g\n", i, i % 2, 1e-6 * i),
                     0);
    file_text("training.tsv", t.s);
    bird_text_free(&t);
    s = page(NULL);
    cr_assert(strstr(s, "mean of 21 rows"));
    cr_assert_eq(count(s, "class=\"curve faint"), 1, "of the loss alone");
    free(s);
}

Test(report_run, a_model_shows_figures_configuration_and_data)
{
    char *s;

    file_text("config.json",
              "{\"hidden_size\": 64, \"layer_norm_eps\": 1e-12, "
              "\"id2label\": {\"0\": \"<no>\", \"1\": \"yes\"}}");
    file_text(
        "dnabird.json",
        "{\"format_version\": 1, \"note\": \"a & b\", \"provenance\": "
        "{\"train\": \"x<y>.csv\", \"seed\": 7, \"steps\": 500}, \"measured\": "
        "{\"test\": {\"auroc\": [0.91234, 0.9, 0.92], \"rows\": 12345, "
        "\"deep\": {\"mcc\": {\"value\": 0.5, \"lo\": 0.4, \"hi\": 0.6}}}}, "
        "\"labels\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,"
        "22,23,24,25,26]}");
    s = page(NULL);
    cr_assert(strstr(s, "a &amp; b"));
    cr_assert(strstr(s, "x&lt;y&gt;.csv"));
    cr_assert(strstr(s, "0.9123"));
    cr_assert(strstr(s, "0.9000 \xe2\x80\x93 0.9200"));
    cr_assert(strstr(s, "12,345"));
    cr_assert(strstr(s, "test, deep"));
    cr_assert(strstr(s, "0: &lt;no&gt;, 1: yes"));
    cr_assert(strstr(s, "1e-12"));
    cr_assert(strstr(s, "24, ... (26 in all)"));
    cr_assert(strstr(s, "The folder has no training.tsv"));
    free(s);
}

Test(report_run, figures_stand_side_by_side)
{
    char *s;

    file_text("training.tsv", "step\tloss\n");
    file_text("e.tsv",
              "# dnabird 0\n# command: a <b>\nset\tmetric\tvalue\tlo\thi\n"
              "all/model\tauroc\t0.91\t0.9\t0.92\n"
              "all/model\tmcc\t0.5\tNA\tNA\n"
              "all/GC\tauroc\t0.6\t0.5\t0.7\n"
              "clean\tleft_out\t4\tNA\tNA\n\n"
              "set\tlo\thi\trows\tmean_probability\tobserved\n"
              "all/model\t0\t0.5\t10\t0.2\t0.25\n"
              "all/model\t0.5\t1\t0\tNA\tNA\n");
    s = page("e.tsv");
    cr_assert(strstr(s, "command</th><td class=\"w\">a &lt;b&gt;<"));
    cr_assert(strstr(s, "<th scope=\"col\" class=\"n\">all/model</th>"
                        "<th scope=\"col\" class=\"n\">all/GC</th>"));
    cr_assert(strstr(s, "<td>auroc</td><td class=\"n\">0.9100 (0.9000 "
                        "\xe2\x80\x93 0.9200)</td><td class=\"n\">0.6000"));
    cr_assert(strstr(s, "Calibration"));
    cr_assert_eq(count(s, "<td>mcc</td>"), 1);
    cr_assert(strstr(s, "left_out"));
    free(s);
}

Test(report_run, a_scan_s_table_is_one_though_its_head_comes_again)
{
    char *s;

    file_text("training.tsv", "step\tloss\n");
    file_text("e.tsv", "#set\tfigure\tvalue\nm/test\tauroc\t0.9\n"
                       "#set\tfigure\tvalue\nm/valid\tauroc\t.\n"
                       "#other\tx\n1\t2\n");
    s = page("e.tsv");
    cr_assert_eq(count(s, "<th scope=\"col\">set</th>"), 1);
    cr_assert_eq(count(s, "<table"), 2);
    free(s);
}

static void fails(const char *evaluation, const char *says)
{
    cr_assert_neq(report(evaluation), 0);
    cr_assert(strstr(bird_last_error(), says), "%s", bird_last_error());
    cr_assert_eq(access(path_of("out.html"), F_OK), -1, "a page is left");
}

Test(report_run, what_is_no_run_is_said)
{
    fails(NULL, "neither training.tsv nor config.json nor dnabird.json");
    file_text("training.tsv", "a\tb\n1\t2\n");
    fails(NULL, "training.tsv: line 1: no column 'step'");
    file_text("training.tsv", "step\tloss\n1\t2\n3\n");
    fails(NULL, "training.tsv: line 3: 1 fields, 2 in the first line");
    file_text("training.tsv", "step\tloss\nx\t2\n");
    fails(NULL, "training.tsv: not all steps are numbers");
    file_text("training.tsv", "step\tloss\n");
    file_text("config.json", "{");
    fails(NULL, "config.json: line 1");
    file_text("config.json", "{}");
    fails("e.tsv", "e.tsv: No such file");
    file_text("e.tsv", "a\tb\n1\n");
    fails("e.tsv", "e.tsv: line 2: 1 fields");
}
