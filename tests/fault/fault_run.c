/*
 * Every command of a list with its n-th call failing, n from 1 until none is
 * left: how it ends and what it leaves.
 *
 *   fault_run [-k CALL,...] [-c COMMAND,...] [-e ERROR] [-s STEP] [-n CALL]
 *             [-l SECONDS] [-t TSV]
 *             LIBRARY PROGRAM FOLDER LIST
 *
 * FOLDER/in has the inputs; commands run in FOLDER/run, emptied before each. A
 * row of the list: NAME|FILES OF in THAT ARE COPIED THERE|ARGUMENTS[|ONE MORE
 * when it is run again where it failed]. With -t a
 * line a command, call and error is appended, and those there are passed over.
 * With STEP every so-manieth n is tried, with -n that alone, and all is told. Findings go to standard output; the
 * status is 1 if there are any, 77 where calls cannot be trapped.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fault.h"
#include "listing.h"

enum { WORDS = 64, TEXT = 1 << 16, RUN_S = 30 };

/* --- what is tried ------------------------------------------------------- */

static const char *const kind_names[FAULT_KINDS] = {
    [FAULT_WRITE] = "write",   [FAULT_READ] = "read",
    [FAULT_FSYNC] = "fsync",   [FAULT_RENAME] = "rename",
    [FAULT_OPEN] = "open",     [FAULT_CLOSE] = "close",
    [FAULT_STAT] = "stat",     [FAULT_SEEK] = "lseek",
    [FAULT_FOLDER] = "mkdir",  [FAULT_TRUNCATE] = "ftruncate",
    [FAULT_MMAP] = "mmap",     [FAULT_MALLOC] = "malloc",
    [FAULT_THREAD] = "thread",
};

static const struct trial {
    int kind, error;
    const char *name;
    int from;     /* that call and all behind it */
    int unheard;  /* 1: it must not be passed over in silence */
    int harmless; /* 1: it must change nothing */
} trials[] = {
    {FAULT_WRITE, ENOSPC, "ENOSPC", 0, 1, 0},
    {FAULT_WRITE, ENOSPC, "ENOSPC, from then on", 1, 1, 0},
    {FAULT_WRITE, EIO, "EIO", 0, 1, 0},
    {FAULT_WRITE, EDQUOT, "EDQUOT", 0, 1, 0},
    {FAULT_WRITE, EINTR, "EINTR", 0, 0, 1},
    {FAULT_WRITE, FAULT_SHORT, "short", 0, 0, 1},
    {FAULT_FSYNC, EIO, "EIO", 0, 1, 0},
    {FAULT_FSYNC, ENOSPC, "ENOSPC", 0, 1, 0},
    {FAULT_RENAME, EIO, "EIO", 0, 1, 0},
    {FAULT_RENAME, ENOSPC, "ENOSPC", 0, 1, 0},
    {FAULT_CLOSE, EIO, "EIO", 0, 0, 0},
    {FAULT_TRUNCATE, EIO, "EIO", 0, 0, 0},
    {FAULT_FOLDER, ENOSPC, "ENOSPC", 0, 0, 0},
    {FAULT_OPEN, EIO, "EIO", 0, 0, 0},
    {FAULT_OPEN, EMFILE, "EMFILE", 0, 0, 0},
    {FAULT_OPEN, ENOSPC, "ENOSPC", 0, 0, 0},
    {FAULT_OPEN, EINTR, "EINTR", 0, 0, 1},
    {FAULT_STAT, EIO, "EIO", 0, 0, 0},
    {FAULT_SEEK, EIO, "EIO", 0, 0, 0},
    {FAULT_READ, EIO, "EIO", 0, 0, 0},
    {FAULT_READ, EINTR, "EINTR", 0, 0, 1},
    {FAULT_READ, FAULT_SHORT, "short", 0, 0, 1},
    {FAULT_MMAP, ENOMEM, "ENOMEM", 0, 0, 0},
    {FAULT_THREAD, EAGAIN, "EAGAIN", 0, 0, 0},
    {FAULT_MALLOC, ENOMEM, "ENOMEM", 0, 0, 0},
    {FAULT_MALLOC, ENOMEM, "ENOMEM, from then on", 1, 0, 0},
};
enum { N_TRIAL = sizeof(trials) / sizeof(*trials) };

/* How a run with a failure ended. */
enum end {
    REFUSED, /* a line, a status, and nothing left */
    SAME,    /* it succeeded, with the bytes of an undisturbed run */
    SILENT,  /* only its last words to the terminal were lost */
    LIBRARY, /* a library ended the program */
    DIED,    /* by a signal, in the code of a library */
    CRASH,   /* by a signal, in ours */
    MUTE,    /* a status without its one line */
    LEFT,    /* part of an output, or a temporary file */
    WRONG,   /* it succeeded, with other bytes */
    UNHEARD, /* it succeeded, though a write to an output failed */
    GAVE_UP, /* for an interrupted or a short call */
    AFTER,   /* afterwards the same command does not succeed */
    LEAKED,  /* a sanitizer says so */
    ENDS
};
static const char *const end_names[ENDS] = {
    "refused", "same",  "silent",  "library", "died",  "crash", "mute",
    "left",    "wrong", "unheard", "gave up", "after", "leaked"};

struct command {
    char name[80], line[1024], after[32];
    char *copy[WORDS + 1], *word[WORDS + 1];
};

static void prepare(const struct command *c)
{
    listing_remove(".");
    for (int i = 0; c->copy[i]; i++)
        listing_copy(c->copy[i]);
}

/* --- the program --------------------------------------------------------- */

static struct fault *shared;
static int shared_fd, out_fd, err_fd, ask_fd, answer_fd;
static const char *library, *program;

static pid_t start_program(const struct command *c)
{
    int ask[2], answer[2];
    pid_t pid;

    if (pipe2(ask, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
        die("pipe");
    pid = fork();
    if (!pid) {
        char preload[4096];
        int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

        snprintf(preload, sizeof(preload), "%s%s%s", library,
                 getenv("FAULT_PRELOAD") ? ":" : "",
                 getenv("FAULT_PRELOAD") ? getenv("FAULT_PRELOAD") : "");
        setenv("LD_PRELOAD", preload, 1);
        setenv("FAULT_SERVE", "1", 1);
        setenv("OMP_WAIT_POLICY", "passive", 1); /* with these no restart */
        setenv("OPENBLAS_CORETYPE", "", 0);
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        setenv("LC_ALL", "C", 1);
        setenv("HOME", "/nonexistent", 1);
        setenv("XDG_CACHE_HOME", "cache", 1);
        unsetenv("OMP_NUM_THREADS");
        dup2(shared_fd, FAULT_FD_SHARED);
        dup2(ask[0], FAULT_FD_ASK);
        dup2(answer[1], FAULT_FD_ANSWER);
        dup2(null, 0);
        dup2(out_fd, 1);
        dup2(err_fd, 2);
        execv(program, c->word);
        _exit(126);
    }
    close(ask[0]);
    close(answer[1]);
    ask_fd = ask[1];
    answer_fd = answer[0];
    return pid;
}

static void stop_program(pid_t pid)
{
    close(ask_fd);
    close(answer_fd);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* One run, as `shared` has it; its status as of waitpid(). */
static int run_once(void)
{
    char seconds = RUN_S;
    int status;

    shared->calls = 0;
    shared->hit = 0;
    shared->fd = -1;
    shared->what[0] = '\0';
    shared->died_in[0] = '\0';
    shared->n_stack = 0;
    if (ftruncate(out_fd, 0) || ftruncate(err_fd, 0))
        die("truncate");
    lseek(out_fd, 0, SEEK_SET);
    lseek(err_fd, 0, SEEK_SET);
    if (write(ask_fd, &seconds, 1) != 1 ||
        read(answer_fd, &status, sizeof(status)) != sizeof(status))
        die("the program does not start");
    return status;
}

static void read_text(char text[TEXT], int fd)
{
    ssize_t n = pread(fd, text, TEXT - 1, 0);

    text[n > 0 ? n : 0] = '\0';
}

/* --- an undisturbed run -------------------------------------------------- */

static struct undisturbed {
    struct listing before, after;
    char out[TEXT], err[TEXT];
    int vague_out;
} whole;

static void want(int kind, int64_t at, const struct trial *t)
{
    shared->kind = kind;
    shared->at = at;
    shared->error = t ? t->error : 0;
    shared->from = t ? t->from : 0;
    shared->record = 0;
}

/* Twice: what differs is vague. 0: it works. */
static int run_whole(const struct command *c)
{
    static struct listing again;
    static char text[TEXT];

    for (int pass = 0; pass < 2; pass++) {
        prepare(c);
        if (!pass)
            listing_read(&whole.before);
        else
            usleep(1000);
        want(FAULT_NONE, 0, NULL);
        if (run_once()) {
            read_text(text, err_fd);
            printf("%s: fails undisturbed: %s\n", c->name, text);
            return 1;
        }
        listing_read(pass ? &again : &whole.after);
        read_text(pass ? text : whole.out, out_fd);
        if (!pass)
            read_text(whole.err, err_fd);
    }
    whole.vague_out = strcmp(text, whole.out) != 0;
    for (int i = 0; i < whole.after.n; i++) {
        const struct file *f = listing_find(&again, whole.after.at[i].path);

        whole.after.at[i].vague = f && f->sum != whole.after.at[i].sum;
    }
    return 0;
}

/* Behind the next character that is no digit. */
static const char *past_digits(const char *s)
{
    return s + strspn(s, "0123456789.");
}

/* Is the line one of an undisturbed run's, but for numbers? */
static int is_usual(const char *line)
{
    for (const char *s = whole.err; *s; s += strcspn(s, "\n"), s += *s != 0) {
        const char *a = past_digits(line), *b = past_digits(s);

        while (*a && *a != '\n' && *a == *b) {
            a = past_digits(a + 1);
            b = past_digits(b + 1);
        }
        if ((!*a || *a == '\n') && (!*b || *b == '\n'))
            return 1;
    }
    return 0;
}

/* Lines that say what went wrong; -1: others besides. Of notes and what is
 * always said none, nor of what libBigWig says before ours. */
static int error_lines(const char *err)
{
    int lines = 0;

    for (const char *s = err; *s; s += strcspn(s, "\n"), s += *s == '\n') {
        if (is_usual(s) || !strncmp(s, "dnabird: warning", 16) ||
            !strncmp(s, "[bw", 3))
            continue;
        if (strncmp(s, "dnabird: ", 9) != 0)
            return -1;
        lines++;
    }
    return lines;
}

/* --- a disturbed one ----------------------------------------------------- */

static int ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), k = strlen(end);

    return n > k && !strcmp(path + n - k, end);
}

/* What a run leaves that can be resumed: by its name nobody takes it for whole,
 * and the same command is tried afterwards. */
static int is_mark(const char *path)
{
    return ends_in(path, ".partial") || ends_in(path, ".partial.json");
}

/* Does what is left stand in the way of the same command? */
static int check_after(const struct command *c)
{
    static struct listing now;
    static char text[TEXT];
    int status;

    want(FAULT_NONE, 0, NULL);
    snprintf(shared->more, sizeof(shared->more), "%s", c->after);
    status = run_once();
    shared->more[0] = '\0';
    if (status)
        return 1;
    if (c->after[0]) /* gone on with: the time it took is another */
        return 0;
    listing_read(&now);
    read_text(text, out_fd);
    return listing_other(&now, &whole.after) ||
           listing_other(&whole.after, &now) ||
           (!whole.vague_out && strcmp(text, whole.out) != 0);
}

/* To the end of a text. */
static void add(char text[TEXT], const char *more)
{
    size_t n = strlen(text);

    snprintf(text + n, TEXT - n, "%s%s", n ? "... " : "", more);
}

static int is_of_terminal(void)
{
    return shared->fd == STDERR_FILENO;
}

static enum end judge_success(const struct trial *t, const struct listing *now,
                              const char *out)
{
    if (listing_other(now, &whole.after) || listing_other(&whole.after, now) ||
        (!whole.vague_out && strcmp(out, whole.out) != 0))
        return WRONG;
    if (is_of_terminal())
        return SILENT;
    /* only an index or a cache, which is made again */
    return t->unheard && !strstr(shared->what, "cache/") ? UNHEARD : SAME;
}

/* Does a library lose all that is lost? The caller of each allocation says. */
static int is_foreign_leak(const char *err)
{
    for (const char *s = err; (s = strstr(s, "Direct leak")); s++) {
        const char *at = strstr(s, "#1 ");
        size_t n = at ? strcspn(at, "\n") : 0;
        const char *so = at ? strstr(at, ".so") : NULL;

        if (!so || so > at + n)
            return 0;
    }
    return 1;
}

/* Does the innermost frame that a sanitizer tells of belong to a library? */
static int is_foreign_crash(const char *err)
{
    const char *at = strstr(err, "DEADLYSIGNAL"), *so;

    at = at ? strstr(at, "#0 ") : NULL;
    so = at ? strstr(at, ".so") : NULL;
    return so && so < at + strcspn(at, "\n");
}

static enum end judge(const struct command *c, const struct trial *t,
                      int status, char **detail)
{
    static struct listing now;
    static char out[TEXT], err[TEXT];
    const struct file *f;
    enum end end;
    int changed, foreign;

    read_text(out, out_fd);
    read_text(err, err_fd);
    *detail = err;
    listing_read(&now);
    if (strstr(err, "LeakSanitizer"))
        return is_foreign_leak(err) ? LIBRARY : LEAKED;
    if (strstr(err, "Sanitizer: CHECK failed")) /* it had no memory itself */
        return LIBRARY;
    if (strstr(err, "Sanitizer") || strstr(err, "runtime error:"))
        return is_foreign_crash(err) ? DIED : CRASH;
    if (WIFSIGNALED(status) || WEXITSTATUS(status) > 2) {
        add(err, shared->died_in);
        return strstr(shared->died_in, ".so") ? DIED : CRASH;
    }
    foreign = strstr(err, "libgomp:") || strstr(err, "OpenBLAS");
    if (!status) {
        end = judge_success(t, &now, out);
        if (end == WRONG) {
            f = listing_other(&now, &whole.after);
            f = f ? f : listing_other(&whole.after, &now);
            add(err, f ? f->path : "standard output");
        }
        return end;
    }
    for (int i = 0; i < now.n; i++) {
        const struct file *had = listing_find(&whole.before, now.at[i].path);
        const struct file *gets = listing_find(&whole.after, now.at[i].path);

        if ((had && had->sum == now.at[i].sum) ||
            (gets && (gets->vague || gets->sum == now.at[i].sum)) ||
            is_mark(now.at[i].path))
            continue;
        add(err, now.at[i].path);
        return LEFT;
    }
    end = foreign                                     ? LIBRARY
          : t->harmless                               ? GAVE_UP
          : error_lines(err) == 1 || is_of_terminal() ? REFUSED
                                                      : MUTE;
    changed = listing_other(&now, &whole.before) ||
              listing_other(&whole.before, &now);
    /* where standard output could not be closed the files are in their place */
    if (end == REFUSED && changed && shared->fd != STDOUT_FILENO &&
        check_after(c)) {
        read_text(err, err_fd);
        end = AFTER;
    }
    return end;
}

static void tell(const struct command *c, const struct trial *t, int64_t n,
                 enum end end, int status, const char *detail)
{
    printf("%s: %s %s %lld [%s]: %s, status %d: %.4000s%s", c->name,
           kind_names[t->kind], t->name, (long long)n, shared->what,
           end_names[end], status, detail,
           *detail && detail[strlen(detail) - 1] == '\n' ? "" : "\n");
    fflush(stdout);
}

/* --- a campaign ---------------------------------------------------------- */

struct campaign {
    const char *kinds, *commands, *error, *tsv;
    int64_t step, only;
    time_t until;
    int64_t n, bad;
};

static int in_list(const char *words, const char *word)
{
    size_t n = strlen(word);

    if (!words)
        return 1;
    for (const char *s = words; (s = strstr(s, word)); s += n)
        if ((s == words || s[-1] == ',') && (!s[n] || s[n] == ','))
            return 1;
    return 0;
}

/* Is the line of this trial there? */
static int is_done(const struct campaign *a, const struct command *c,
                   const struct trial *t)
{
    char line[1024], begin[256];
    FILE *f = a->tsv ? fopen(a->tsv, "r") : NULL;
    int done = 0;

    snprintf(begin, sizeof(begin), "%s\t%s\t%s\t", c->name, kind_names[t->kind],
             t->name);
    while (f && !done && fgets(line, sizeof(line), f))
        done = !strncmp(line, begin, strlen(begin));
    if (f)
        fclose(f);
    return done;
}

static void keep(const struct campaign *a, const struct command *c,
                 const struct trial *t, const int64_t count[ENDS], int64_t n)
{
    FILE *f = a->tsv ? fopen(a->tsv, "a") : NULL;

    if (!f)
        return;
    fprintf(f, "%s\t%s\t%s\t%lld\t%lld", c->name, kind_names[t->kind], t->name,
            (long long)a->step, (long long)n);
    for (int i = 0; i < ENDS; i++)
        fprintf(f, "\t%lld", (long long)count[i]);
    if (fputc('\n', f) == EOF || fclose(f))
        die(a->tsv);
}

/* The calls that are to fail, of allocations the first of each stack. */
static int64_t list_calls(int64_t **at, const struct command *c,
                          const struct trial *t)
{
    int64_t n;

    prepare(c);
    want(t->kind, 0, t);
    shared->record = 1;
    if (run_once())
        return -1;
    n = t->kind == FAULT_MALLOC ? shared->n_stack : shared->calls;
    *at = malloc((size_t)(n ? n : 1) * sizeof(**at));
    if (!*at)
        die("memory");
    for (int64_t i = 0; i < n; i++)
        (*at)[i] = t->kind == FAULT_MALLOC ? shared->first[i] : i + 1;
    return n;
}

static void try_all(struct campaign *a, const struct command *c,
                    const struct trial *t)
{
    int64_t count[ENDS] = {0}, *at = NULL, hits = 0;
    int64_t n = list_calls(&at, c, t);

    if (n < 0)
        printf("%s: %s: fails when its calls are counted\n", c->name,
               kind_names[t->kind]);
    for (int64_t i = a->step > 1 ? (int64_t)strlen(c->line) % a->step : 0;
         i < n && time(NULL) < a->until; i += a->step) {
        char *detail;
        enum end end;
        int status;

        if (a->only && at[i] != a->only)
            continue;
        prepare(c);
        want(t->kind, at[i], t);
        status = run_once();
        if (!shared->hit)
            break;
        hits++;
        end = judge(c, t, status, &detail);
        count[end]++;
        if (a->only || (end >= LIBRARY && count[end] <= 12))
            tell(c, t, at[i], end, status, detail);
        a->bad += end > DIED;
    }
    a->n += hits;
    if (n >= 0 && time(NULL) < a->until)
        keep(a, c, t, count, hits);
    free(at);
}

static void try_command(struct campaign *a, const struct command *c)
{
    pid_t pid = 0;

    for (int i = 0; i < N_TRIAL && time(NULL) < a->until; i++) {
        const struct trial *t = &trials[i];

        if (!in_list(a->kinds, kind_names[t->kind]) ||
            (a->error && strcmp(a->error, t->name) != 0) || is_done(a, c, t))
            continue;
        if (!pid) {
            pid = start_program(c);
            if (run_whole(c)) {
                a->bad++;
                break;
            }
        }
        try_all(a, c, t);
    }
    if (pid)
        stop_program(pid);
}

static void split(char **word, char *text)
{
    int n = 0;

    for (char *s = strtok(text, " "); s && n < WORDS; s = strtok(NULL, " "))
        word[n++] = s;
    word[n] = NULL;
}

static int read_row(struct command *c, char *row, char *store)
{
    char *copy = strchr(row, '|'), *line = copy ? strchr(copy + 1, '|') : NULL;
    char *after;

    row[strcspn(row, "\n")] = '\0';
    if (row[0] == '#' || !line)
        return 0;
    *copy++ = '\0';
    *line++ = '\0';
    after = strchr(line, '|');
    if (after)
        *after++ = '\0';
    snprintf(c->after, sizeof(c->after), "%s", after ? after : "");
    snprintf(c->name, sizeof(c->name), "%.79s", row);
    snprintf(c->line, sizeof(c->line), "%.1023s", line);
    snprintf(store, 1024, "%s", copy);
    split(c->copy, store);
    snprintf(store + 1024, 2048, "dnabird %s", line);
    split(c->word, store + 1024);
    return 1;
}

static void try_list(struct campaign *a, const char *path)
{
    static char row[4096], store[4096];
    FILE *f = fopen(path, "r");
    struct command c;

    if (!f)
        die(path);
    while (fgets(row, sizeof(row), f) && time(NULL) < a->until)
        if (read_row(&c, row, store) && in_list(a->commands, c.name)) {
            int64_t before = a->n;

            try_command(a, &c);
            if (a->n > before)
                fprintf(stderr, "%s: %lld\n", c.name,
                        (long long)(a->n - before));
        }
    fclose(f);
}

static int memory_file(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC);

    if (fd < 0)
        die("memfd");
    return fd;
}

/* Does the kernel take a filter? Without one it would miss the address. */
static int can_trap(void)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) && errno == EFAULT;
}

int main(int argc, char **argv)
{
    struct campaign a = {.step = 1, .until = time(NULL) + 1000000};
    int option;

    while ((option = getopt(argc, argv, "k:c:e:s:n:l:t:")) != -1) {
        if (option == 'k')
            a.kinds = optarg;
        else if (option == 'c')
            a.commands = optarg;
        else if (option == 'e')
            a.error = optarg;
        else if (option == 'n')
            a.only = strtoll(optarg, NULL, 10);
        else if (option == 's')
            a.step = strtoll(optarg, NULL, 10);
        else if (option == 'l')
            a.until = time(NULL) + strtoll(optarg, NULL, 10);
        else if (option == 't')
            a.tsv = optarg;
        else
            return 2;
    }
    if (argc - optind != 4 || a.step < 1) {
        fprintf(stderr, "fault_run: LIBRARY PROGRAM FOLDER LIST\n");
        return 2;
    }
    if (!can_trap()) {
        fprintf(stderr, "fault_run: no filters of system calls here\n");
        return 77;
    }
    library = realpath(argv[optind], NULL);
    program = realpath(argv[optind + 1], NULL);
    argv[optind + 3] = realpath(argv[optind + 3], NULL);
    if (a.tsv && access(a.tsv, F_OK))
        fclose(fopen(a.tsv, "w"));
    a.tsv = a.tsv ? realpath(a.tsv, NULL) : NULL;
    if (chdir(argv[optind + 2]) || (mkdir("run", 0777) && errno != EEXIST) ||
        chdir("run"))
        die(argv[optind + 2]);
    shared_fd = memory_file("fault");
    out_fd = memory_file("out");
    err_fd = memory_file("err");
    if (ftruncate(shared_fd, sizeof(*shared)))
        die("memory");
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
                  shared_fd, 0);
    if (shared == MAP_FAILED)
        die("memory");
    signal(SIGPIPE, SIG_IGN);
    try_list(&a, argv[optind + 3]);
    printf("%lld faults, %lld findings\n", (long long)a.n, (long long)a.bad);
    return a.bad > 0;
}
