/* What every command shares. SPDX-License-Identifier: MIT */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
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

static void say(const char *fmt, va_list ap)
{
    fputs("dnabird: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
}

static volatile sig_atomic_t stop_signal;
static int stop_resumes;

/* What the run would leave half done goes, and the signal does its work. */
static void clean_up(int signal)
{
    struct sigaction a = {.sa_handler = SIG_DFL};

    bird_guard_clean();
    sigaction(signal, &a, NULL);
    raise(signal);
}

void cli_signals(void)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE};
    struct sigaction a = {.sa_handler = clean_up}, was;

    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        /* nohup and shells ignore some for us */
        if (signals[i] == SIGPIPE ||
            (!sigaction(signals[i], NULL, &was) && was.sa_handler != SIG_IGN))
            sigaction(signals[i], &a, NULL);
}

/* Once; a second signal does not wait. */
static void ask_to_stop(int signal)
{
    if (stop_signal && !stop_resumes)
        clean_up(signal);
    stop_signal = signal;
}

void cli_stop_listen(int resumes)
{
    const int signals[] = {SIGTERM, SIGINT, resumes ? SIGUSR1 : SIGHUP};
    struct sigaction a = {.sa_handler = ask_to_stop, .sa_flags = SA_RESTART};

    stop_resumes = resumes;
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        struct sigaction was;

        /* nohup and shells ignore some for us */
        if (!sigaction(signals[i], NULL, &was) && was.sa_handler != SIG_IGN)
            sigaction(signals[i], &a, NULL);
    }
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

static int quiet;

void cli_quiet(void)
{
    quiet = 1;
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
        fprintf(stderr, "dnabird: %s\n", text);
    free(n < 0 ? NULL : text);
}

int cli_warn(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(fmt, ap);
    va_end(ap);
    return CLI_FAILED;
}

double cli_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Arguments that cannot change a result: how many words argv[i] takes. */
static int words_without_effect(const char *arg)
{
    static const char *const with_value[] = {"threads", "output", "json",
                                             "progress"};
    static const char *const flags[] = {"-W", "--write-index", "-q", "--quiet",
                                        "--resume"};

    for (size_t k = 0; k < sizeof(flags) / sizeof(*flags); k++)
        if (!strcmp(arg, flags[k]))
            return 1;
    if (arg[0] == '-' && (arg[1] == 't' || arg[1] == 'o'))
        return arg[2] ? 1 : 2;
    for (size_t k = 0; k < sizeof(with_value) / sizeof(*with_value); k++) {
        size_t n = strlen(with_value[k]);

        if (!strncmp(arg, "--", 2) && !strncmp(arg + 2, with_value[k], n) &&
            (!arg[2 + n] || arg[2 + n] == '='))
            return arg[2 + n] ? 1 : 2;
    }
    return 0;
}

char *cli_command_line(int argc, char **argv)
{
    static const char program[] = "dnabird";
    size_t size = sizeof(program), n = sizeof(program) - 1;
    char *line;

    for (int i = 0; i < argc; i++)
        size += 1 + strlen(argv[i]);
    line = malloc(size);
    if (!line)
        return NULL;
    memcpy(line, program, n);
    for (int i = 0, words = 0; i < argc; i += words ? words : 1) {
        words = i ? words_without_effect(argv[i]) : 0;
        if (words)
            continue;
        line[n++] = ' ';
        for (const char *s = argv[i]; *s; s++)
            line[n++] = (unsigned char)*s <= ' ' || *s == 127 ? '_' : *s;
    }
    line[n] = '\0';
    return line;
}

int cli_output_check(const char *path)
{
    struct stat st;
    char *name = NULL;
    int fd = -1, status = CLI_OK;

    if (!path || !strcmp(path, "-"))
        return CLI_OK;
    errno = 0;
    if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
        if (S_ISDIR(st.st_mode))
            errno = EISDIR;
        else if (!access(path, W_OK))
            errno = 0;
    } else {
        errno = 0;
        if (asprintf(&name, "%s.tmp%ld", path, (long)getpid()) >= 0)
            fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno == EEXIST) /* another machine's: it could write */
            errno = 0;
    }
    if (errno && fd < 0) {
        cli_warn("%s: %s", path, strerror(errno));
        status = CLI_FAILED;
    }
    if (fd >= 0) {
        close(fd);
        unlink(name);
    }
    free(name);
    return status;
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
    int pending = __fpending(stdout) > 0, bad = ferror(stdout);

    errno = 0;
    if (fclose(stdout) && (pending || errno != EBADF))
        bad = 1;
    if (bad && status == CLI_OK) {
        cli_warn("standard output: %s",
                 errno ? strerror(errno) : "could not be written");
        status = CLI_FAILED;
    }
    return status;
}

const char *cli_formats(char out[CLI_FORMATS], int command)
{
    snprintf(out, CLI_FORMATS, "auto|%s",
             bird_track_formats((enum bird_track_command)command));
    return out;
}
