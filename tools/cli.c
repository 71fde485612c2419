/*
 * What every command shares: signals, messages, outputs, "did you mean".
 *
 * Messages go to stderr in one piece and end a progress bar first. A signal's
 * handler removes unfinished files and prints what is kept; it calls
 * async-signal-safe functions only.
 * SPDX-License-Identifier: MIT
 */
#include "cli.h"
#include "opt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dnabird/dnabird.h"

static void say(const char *fmt, va_list ap)
    __attribute__((format(printf, 1, 0)));

/* Long enough for two of the longest paths and a sentence. */
enum { SENTENCE = 16384 };

/* Print the text on one line: control characters of file names are escaped. */
static void say(const char *fmt, va_list ap)
{
    char text[SENTENCE];

    vsnprintf(text, sizeof(text), fmt, ap);
    for (char *s = text; *s; s++)
        if (((unsigned char)*s < 32 && *s != '\t') || *s == 127)
            *s = '?';
    cli_progress_end();
    fprintf(stderr, "dnabird: %s\n", text);
}

static volatile sig_atomic_t stop_signal;
static int stop_resumes;
static char partial[4096]; /* of cli_stop_keeps(), or "" */
/* Files that a signal's handler removes; NULL: none. */
static char *volatile temporary; /* of cli_stdout_to() */
static char *volatile trial;     /* of cli_output_check() */
static int told;                 /* the reason of the exit status was printed */

/* Remove unfinished files. */
static void clean(void)
{
    bird_guard_clean();
    if (temporary)
        unlink(temporary);
    if (trial)
        unlink(trial);
}

/* A library may end the program if it gets no memory or no thread: libgomp
 * prints a line first, htslib does not. */
static void at_exit(void)
{
    clean();
    if (!told)
        cli_warn("a library ended the run, most likely since there was no "
                 "memory: raise the limit (ulimit -v, that of the scheduler)");
}

/* By write(2), which a signal's handler may call. */
static void put_string(const char *s)
{
    ssize_t n = write(STDERR_FILENO, s, strlen(s));

    (void)n;
}

/* Say what the signal that ends the run leaves, and how to go on. */
static void say_what_is_kept(void)
{
    struct stat st;

    put_string(isatty(STDERR_FILENO) ? "\ndnabird" : "dnabird");
    if (*partial && !stat(partial, &st) && st.st_size) {
        put_string(": stopped by a signal: ");
        put_string(partial);
        put_string(" keeps what is done; run the same command with --resume "
                   "to continue\n");
    } else {
        put_string(": stopped by a signal: no unfinished file is kept; run the "
                   "command again\n");
    }
}

/* Handler: remove unfinished files, then end by the signal. */
static void clean_up(int signal)
{
    struct sigaction a = {.sa_handler = SIG_DFL};

    clean();
    if (signal != SIGPIPE)
        say_what_is_kept();
    sigaction(signal, &a, NULL);
    raise(signal);
}

/* Handle a signal, unless nohup or a shell ignores it for us. */
static void handle(int signal, const struct sigaction *a)
{
    struct sigaction was;

    if (!sigaction(signal, NULL, &was) && was.sa_handler != SIG_IGN)
        sigaction(signal, a, NULL);
}

void cli_signals(void)
{
    struct sigaction a = {.sa_handler = clean_up};

    atexit(at_exit);
    handle(SIGTERM, &a);
    handle(SIGINT, &a);
    handle(SIGHUP, &a);
    sigaction(SIGPIPE, &a, NULL);
}

/* Handler: the first signal requests a stop, the second ends the program. */
static void ask_to_stop(int signal)
{
    if (stop_signal && !stop_resumes)
        clean_up(signal);
    stop_signal = signal;
}

void cli_stop_keeps(const char *output)
{
    if (output && strcmp(output, "-") != 0)
        snprintf(partial, sizeof(partial), "%s.partial", output);
}

void cli_stop_listen(int resumes)
{
    struct sigaction a = {.sa_handler = ask_to_stop, .sa_flags = SA_RESTART};

    stop_resumes = resumes;
    handle(SIGTERM, &a);
    handle(SIGINT, &a);
    handle(SIGHUP, &a);
    if (resumes)
        handle(SIGUSR1, &a);
}

int cli_stop_asked(void)
{
    return stop_signal != 0;
}

int cli_fail(void)
{
    const char *s = bird_last_error();

    if (stop_signal && !stop_resumes)
        clean_up(stop_signal);
    cli_progress_end();
    fprintf(stderr, "dnabird: %s\n", *s ? s : "failed without a reason given");
    return CLI_FAILED;
}

int cli_usage(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(fmt, ap);
    va_end(ap);
    return CLI_USAGE;
}

const char *cli_model_named(const char *folder)
{
    static char *kept[8]; /* more than a command has options of models */
    static size_t n;
    struct stat st;

    if (n == sizeof(kept) / sizeof(*kept) || !*folder || strchr(folder, '/') ||
        !stat(folder, &st) || bird_default_model(&kept[n], folder))
        return folder;
    return kept[n++];
}

int cli_cell(const char **features, const char *cell)
{
    static char term[256];

    if (!cell)
        return OPT_GO;
    if (*features)
        return cli_usage("--cell and --features: give one of them");
    if (!*cell || strlen(cell) > sizeof(term) - 6 || strpbrk(cell, ",\n"))
        return cli_usage("--cell '%s' is not the name of a cell type", cell);
    snprintf(term, sizeof(term), "cell:%s", cell);
    *features = term;
    return OPT_GO;
}

static const char *or_dot(const char *s)
{
    return *s ? s : ".";
}

static void print_feature(const bird_feature *x, int64_t label)
{
    printf("%lld\t", (long long)label);
    if (x->index < 0)
        printf(".");
    else
        printf("%lld", (long long)x->index);
    printf("\t%s\t%s\t%s\t%s\t%s\n", or_dot(x->class_name), or_dot(x->cell),
           or_dot(x->factor), or_dot(x->treatment), x->name);
}

int cli_list_features(const char *model, const char *features,
                      const char *output)
{
    bird_features f = {0};
    uint8_t *mark = NULL;
    int status = CLI_FAILED;

    if (bird_features_open(&f, model)) {
        cli_fail();
        goto done;
    }
    mark = calloc((size_t)f.n + 1, 1);
    if (!mark) {
        cli_warn("out of memory");
        goto done;
    }
    if (bird_features_select(mark, &f, features)) {
        cli_fail();
        goto done;
    }
    if (cli_stdout_to(output))
        goto done;
    puts("label\tindex\tclass\tcell_type\tfactor\ttreatment\tname");
    for (int64_t i = 0; i < f.n; i++)
        if (mark[i])
            print_feature(&f.at[i], i);
    status = CLI_OK;
done:
    bird_features_free(&f);
    free(mark);
    return status;
}

/* Does a BED file hold no region? A pipe cannot be read again. */
static int is_empty_bed(const char *path)
{
    bird_regions list = {0};
    struct stat st;
    int is_empty = path && !stat(path, &st) && S_ISREG(st.st_mode) &&
                   !bird_regions_read_bed(&list, path) && !list.n;

    bird_regions_free(&list);
    return is_empty;
}

void cli_say_empty(const char *regions, int64_t n_bp, int64_t n_scored)
{
    if (n_scored > 0)
        return;
    if (is_empty_bed(regions))
        cli_say("warning: %s: no region in it, so nothing was scored", regions);
    else if (n_bp > 0)
        cli_say("warning: nothing was scored: the sequence is shorter than a "
                "window, mostly N, or without the start of a window");
}

static int quiet;

void cli_quiet(void)
{
    quiet = 1;
}

static void say_one(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void say_one(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(fmt, ap);
    va_end(ap);
}

void cli_say(const char *fmt, ...)
{
    va_list ap;
    char *text = NULL;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&text, fmt, ap);
    va_end(ap);
    /* the library's sentences may hold warnings, between others */
    if (n >= 0 && (!quiet || strstr(text, "warning: ")))
        say_one("%s", text);
    free(n < 0 ? NULL : text);
}

int cli_warn(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(fmt, ap);
    va_end(ap);
    told = 1;
    return CLI_FAILED;
}

void cli_tell(void *context, const char *sentence)
{
    (void)context;
    cli_say("%s", sentence);
}

void cli_say_each(const char *const *sentences, int n)
{
    for (int i = 0; i < n; i++)
        if (sentences[i] && *sentences[i])
            cli_say("%s", sentences[i]);
}

void cli_put(struct cli_text *t, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(t->s + t->n, sizeof(t->s) - t->n, fmt, ap);
    va_end(ap);
    if (n > 0)
        t->n += (size_t)n;
    if (t->n >= sizeof(t->s))
        t->n = sizeof(t->s) - 1;
}

void cli_put_some(struct cli_text *t, const char *before, int64_t n,
                  const char *noun, const char *after)
{
    if (n)
        cli_put(t, "%s%s%s", before, cli_count(n, noun), after);
}

/* Memory for the texts that the two functions below return. */
enum { ROOM = 80 };
static char *room(void)
{
    static char text[8][ROOM];
    static int next;

    return text[next++ % 8];
}

const char *cli_count(int64_t n, const char *noun)
{
    const char *bar = strchr(noun, '|');
    int one = bar ? (int)(bar - noun) : (int)strlen(noun);
    const char *many = bar ? bar + 1 : noun;
    const char *s = n != 1 && !bar && strcmp(noun, "bp") != 0 ? "s" : "";
    char digits[32], *text = room(), *p = text;
    int left = snprintf(digits, sizeof(digits), "%" PRId64, n);

    for (const char *d = digits; *d; d++, left--) {
        *p++ = *d;
        if (left % 3 == 1 && left > 1 && *d != '-')
            *p++ = ',';
    }
    *p = '\0';
    if (*noun)
        snprintf(p, ROOM - (size_t)(p - text), " %.*s%s",
                 n == 1 ? one : (int)strlen(many), n == 1 ? noun : many, s);
    return text;
}

const char *cli_rate(double n, double seconds, const char *unit)
{
    static const char prefix[] = " kMGT";
    double v = seconds > 0 ? n / seconds : 0;
    char *text = room();
    int u = 0;

    for (; v >= 999.5 && u < 4; u++)
        v /= 1000;
    if (u)
        snprintf(text, ROOM, "%.3g %c%s/s", v, prefix[u], unit);
    else
        snprintf(text, ROOM, "%.3g %s/s", v, strcmp(unit, "b") ? unit : "bp");
    return text;
}

double cli_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Options that cannot change a result; those with a value first. */
static const char *const without_effect[] = {
    "threads", "output", "json",        "progress", "quiet",
    "resume",  "force",  "write-index", NULL};
enum { N_WITH_VALUE = 4 };

/* How many words argv[i] takes, if it cannot change a result; else 0. */
static int words_without_effect(const char *arg)
{
    if (!strcmp(arg, "-W") || !strcmp(arg, "-q"))
        return 1;
    if (arg[0] == '-' && (arg[1] == 't' || arg[1] == 'o'))
        return arg[2] ? 1 : 2;
    if (strncmp(arg, "--", 2) != 0)
        return 0;
    for (int k = 0; without_effect[k]; k++) {
        size_t n = strlen(without_effect[k]);

        if (!strncmp(arg + 2, without_effect[k], n) &&
            (!arg[2 + n] || arg[2 + n] == '='))
            return arg[2 + n] || k >= N_WITH_VALUE ? 1 : 2;
    }
    return 0;
}

/* Copy an argument with '_' for blanks and control characters; returns its
 * length. */
static size_t put_visible(char *to, const char *s)
{
    size_t n = 0;

    for (; s[n]; n++)
        to[n] = (unsigned char)s[n] <= ' ' || s[n] == 127 ? '_' : s[n];
    return n;
}

/* Settings from a file of --settings, each with a blank before it. */
static char *settings;

void cli_setting(const char *name, const char *value)
{
    char *longer;
    size_t n;

    for (int k = 0; without_effect[k]; k++)
        if (!strcmp(name, without_effect[k]))
            return;
    if (asprintf(&longer, "%s %s=", settings ? settings : "", name) < 0 ||
        !(longer = realloc(longer, strlen(longer) + strlen(value) + 1)))
        exit(cli_warn("out of memory"));
    n = strlen(longer);
    longer[n + put_visible(longer + n, value)] = '\0';
    free(settings);
    settings = longer;
}

static int main_argc;
static char **main_argv;

void cli_begin(int argc, char **argv)
{
    main_argc = argc;
    main_argv = argv;
}

const char *cli_command_line(void)
{
    static char *line;
    const int argc = main_argc;
    char **argv = main_argv;
    size_t size = sizeof("dnabird []") + (settings ? strlen(settings) : 0), n;

    for (int i = 1; i < argc; i++)
        size += 1 + strlen(argv[i]);
    free(line);
    line = malloc(size);
    if (!line)
        exit(cli_warn("out of memory"));
    n = (size_t)snprintf(line, size, "dnabird");
    for (int i = 1, words; i < argc; i += words ? words : 1) {
        words = words_without_effect(argv[i]);
        if (words)
            continue;
        line[n++] = ' ';
        n += put_visible(line + n, argv[i]);
    }
    if (settings)
        n += (size_t)sprintf(line + n, " [%s]", settings + 1);
    line[n] = '\0';
    return line;
}

int cli_is_special(const char *path)
{
    struct stat st;

    return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Free a name that the signal's handler reads; clear it first. Keeps errno. */
static void forget(char *volatile *name)
{
    int why = errno;
    char *s = *name;

    *name = NULL;
    free(s);
    errno = why;
}

/* A temporary file in the folder of path; -1 with errno, and *name NULL. */
static int open_beside(char *volatile *name, const char *path)
{
    struct stat st;
    char *s;
    int fd;

    errno = EISDIR;
    if (!stat(path, &st) && S_ISDIR(st.st_mode))
        return -1;
    errno = ENOMEM;
    if (asprintf(&s, "%s.tmp%ld", path, (long)getpid()) < 0)
        return -1;
    if (!lstat(s, &st)) { /* another machine's, not to be removed */
        free(s);
        errno = EEXIST;
        return -1;
    }
    *name = s; /* before it is there */
    fd = open(s, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        forget(name);
    return fd;
}

static int ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);

    return n > m && !strcmp(path + n - m, ending);
}

/* Has the name the ending of a compressed file? */
static int is_compressed_name(const char *path)
{
    static const char *const ending[] = {".gz", ".bgz", ".zst", ".bz2", ".xz"};

    for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
        if (ends_in(path, ending[i]))
            return 1;
    return 0;
}

int cli_check_text(const char *path)
{
    return is_compressed_name(path)
               ? cli_warn("%s: this output is text: give a name without its "
                          "last ending, and compress the file then",
                          path)
               : CLI_OK;
}

static int warn_output(const char *path)
{
    return cli_warn("%s: %s%s", path, strerror(errno),
                    errno == ENOENT ? ": make its folder first" : "");
}

int cli_output_check(const char *path)
{
    int fd, bad = 0;

    if (!path || !strcmp(path, "-"))
        return CLI_OK;
    if (cli_check_text(path))
        return CLI_FAILED;
    if (cli_is_special(path)) {
        bad = access(path, W_OK) != 0;
    } else {
        fd = open_beside(&trial, path);
        bad = fd < 0 && errno != EEXIST; /* another machine's: it could write */
        if (fd >= 0) {
            close(fd);
            unlink(trial);
        }
    }
    if (bad)
        warn_output(path);
    forget(&trial);
    return bad ? CLI_FAILED : CLI_OK;
}

static const char *destination; /* of cli_stdout_to() */

int cli_stdout_to(const char *path)
{
    int fd, status;

    if (!path || !strcmp(path, "-"))
        return CLI_OK;
    if ((status = cli_check_text(path)))
        return status;
    fd = cli_is_special(path) ? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
                              : open_beside(&temporary, path);
    destination = path;
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
        return warn_output(path);
    close(fd);
    return CLI_OK;
}

int cli_stdout_done(int status)
{
    const char *name = destination ? destination : "standard output";
    static int closed;
    int pending, bad;

    if (closed)
        return status;
    closed = 1;
    pending = __fpending(stdout) > 0;
    bad = ferror(stdout);
    errno = 0;
    if (fclose(stdout) && (pending || errno != EBADF))
        bad = 1;
    if (!bad && !status && temporary)
        bad = rename(temporary, destination) != 0;
    if (bad && !status)
        status = cli_warn("%s: %s", name,
                          errno ? strerror(errno) : "could not be written");
    if (temporary && status)
        unlink(temporary);
    forget(&temporary);
    return status;
}

const char *cli_folder(const char *command, const char *output, int argc,
                       char **argv, int n)
{
    if (argc + !!output == n + 1)
        return output ? output : argv[n];
    cli_usage(n ? "%s: two folders are needed: SRC and DST"
                : "%s: one folder name is needed",
              command);
    return NULL;
}

int cli_threads(int64_t n_thread)
{
    if (n_thread < 0 || n_thread > 4096)
        return cli_usage("--threads: %lld is not between 1 and 4096 "
                         "(0: the cores this process may use)",
                         (long long)n_thread);
    if (n_thread)
        bird_threads_set((int)n_thread);
    return 0;
}

int cli_model(const bird_model_run *run, const char *folder)
{
    char *notice = NULL;

    if (run->token_type < -1)
        return cli_usage("--token-type is negative");
    if (!folder)
        return CLI_OK;
    if (bird_model_notice(&notice, folder, run))
        return cli_fail();
    if (notice)
        cli_say("%s", notice);
    free(notice);
    return CLI_OK;
}

const char *cli_heads(void)
{
    static struct cli_text heads;

    heads.n = 0;
    for (int i = 0; bird_head_choice(i); i++)
        cli_put(&heads, "%s%s", i ? "|" : "", bird_head_choice(i));
    return heads.s;
}

/* Edits (insert, delete, replace, swap neighbours) from a to b, at most 9. */
static int distance(const char *a, const char *b)
{
    enum { MAX = 32, FAR = 9 };
    int d[MAX + 1][MAX + 1];
    int n = (int)strlen(a), m = (int)strlen(b);

    if (n > MAX || m > MAX)
        return FAR;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            int best =
                i && j ? d[i - 1][j - 1] + (a[i - 1] != b[j - 1]) : i + j;

            if (i && j && d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (i && j && d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m] < FAR ? d[n][m] : FAR;
}

const char *cli_nearest(const char *word, const char *const *names, int n,
                        size_t stride)
{
    int n_word = (int)strlen(word), limit = n_word < 5 ? 1 : 2, best = 9;
    const char *found = NULL;

    for (int i = 0; i < n; i++) {
        const char *const *at =
            (const void *)((const char *)names + (size_t)i * stride);
        int d = *at ? distance(word, *at) : 9;

        if (d > limit && n_word > 2 && *at &&
            !strncmp(word, *at, (size_t)n_word))
            d = limit; /* a beginning */
        if (d <= limit && d < best)
            best = d, found = *at;
    }
    return found;
}

int cli_finish(int status)
{
    cli_progress_end();
    told = 1;
    return cli_stdout_done(status);
}

int cli_format(int chosen, const char *words, const char *output)
{
    char ending[16];

    if (chosen) /* 0 is auto */
        return chosen - 1;
    for (int i = 0; output && *words; i++) {
        size_t n = strcspn(words, "|");

        snprintf(ending, sizeof(ending), ".%.*s", (int)n, words);
        if (ends_in(output, ending))
            return i;
        words += n + (words[n] == '|');
    }
    return 0;
}

const char *cli_formats(int command)
{
    static struct cli_text formats[BIRD_TRACK_ATTRIBUTE + 1];
    struct cli_text *t = &formats[command];

    t->n = 0;
    cli_put(t, "auto|%s", bird_track_formats((enum bird_track_command)command));
    return t->s;
}
