/*
 * Model folders damaged by seed, each opened and run in a process of its own.
 *
 *   models [-n COUNT] [-f SEED] [-l SECONDS] [-k MUTATION] [-t TSV] WORK BASE...
 *
 * WORK is an empty folder, a BASE that of a small model, which is read once.
 * What is refused must name its folder, in less than a second of CPU and 64 MiB
 * more than the undamaged model takes; what runs must give finite numbers, and
 * the undamaged model's where the mutation means nothing. Nothing may be
 * written, and no program started: a filter of the kernel ends a process that
 * tries. With -t a line a base, mutation and CHUNK seeds is appended, and the
 * seeds there are passed over. Findings go to standard output; the status is 1
 * if there are any. SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dnabird/dnabird.h"
#include "models.h"

enum { BASES = 16, ANSWERS = 64, CHUNK = 1000, MOST_KIB = 64 << 10 };

static const double most_s = 1;

/* What the process that opens the folder tells. */
struct told {
    int opened, finished;
    int n;
    float value[ANSWERS];
    char error[2048];
};

struct outcome {
    int refused, ran, same;
    double seconds;
    long kib; /* more than the undamaged model */
    const char *finding;
};

struct base {
    const char *name;
    struct model_folder files;
    struct told whole; /* the undamaged model's answers */
    long kib;
};

/* Of a base and a mutation, in the chunk at hand. */
struct tally {
    int64_t n, refused, ran, same, findings;
    double seconds;
    long kib;
};

static struct told *told;
static char place[4096], harmed[4200];

/* --- folders --------------------------------------------------------------- */

static void die(const char *what)
{
    fprintf(stderr, "models: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void read_file(struct model_file *x, const char *folder,
                      const char *name)
{
    char path[4096];
    struct stat st;
    int fd;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    snprintf(x->name, sizeof(x->name), "%s", name);
    fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st))
        die(path);
    x->n = (size_t)st.st_size;
    x->s = malloc(x->n + 1);
    if (!x->s || read(fd, x->s, x->n) != (ssize_t)x->n)
        die(path);
    close(fd);
}

static void read_base(struct base *b, const char *folder)
{
    const char *slash = strrchr(folder, '/');
    struct dirent **list;
    int n = scandir(folder, &list, NULL, alphasort);

    if (n < 0)
        die(folder);
    b->name = slash ? slash + 1 : folder;
    for (int i = 0; i < n; i++) {
        if (list[i]->d_name[0] != '.' && b->files.n < MODEL_FILES)
            read_file(&b->files.at[b->files.n++], folder, list[i]->d_name);
        free(list[i]);
    }
    free(list);
}

static void put_file(const struct model_file *x)
{
    char path[4200], to[MODEL_NAME];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", place, x->name);
    switch (x->form) {
    case FORM_FOLDER:
        if (mkdir(path, 0777))
            die(path);
        return;
    case FORM_FIFO:
        if (mkfifo(path, 0666))
            die(path);
        return;
    case FORM_LINK:
        snprintf(to, sizeof(to), "%.*s", (int)x->n, (const char *)x->s);
        if (symlink(to, path))
            die(path);
        return;
    default:
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd < 0 || write(fd, x->s, x->n) != (ssize_t)x->n)
            die(path);
        close(fd);
    }
}

/* The folder anew; what is in it goes first. */
static void put_folder(const struct model_folder *f)
{
    DIR *d = opendir(place);
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (unlinkat(dirfd(d), e->d_name, 0))
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    if (d)
        closedir(d);
    else if (mkdir(place, 0777))
        die(place);
    for (int i = 0; i < f->n; i++)
        put_file(&f->at[i]);
}

/* --- one folder ------------------------------------------------------------ */

/* No program, no other machine, no file that is written. */
static void confine(void)
{
    enum { SYSCALL = 0, FLAGS = 16 + 2 * 8 /* args[2] of openat() */ };
#define DENY(number)                                                           \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                         \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SYSCALL),
        DENY(__NR_execve),
        DENY(__NR_execveat),
        DENY(__NR_socket),
        DENY(__NR_unlinkat),
        DENY(__NR_mkdirat),
        DENY(__NR_renameat2),
#ifdef __NR_open
        DENY(__NR_fork),
        DENY(__NR_vfork),
        DENY(__NR_creat),
        DENY(__NR_unlink),
        DENY(__NR_rename),
        DENY(__NR_mkdir),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FLAGS),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {sizeof(rules) / sizeof(*rules), rules};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all))
        _exit(77);
}

static void keep(const float *x, int64_t n)
{
    for (int64_t i = 0; i < n && told->n < ANSWERS; i++)
        told->value[told->n++] = x[i];
}

/* Answers of two sequences, of a model without any its hidden states. */
static int run(bird_session *s)
{
    static const char *const seq[] = {"ACGTTGCATTAGACGTACGATCGA",
                                      "GATTACAGATTACANNACGT"};
    int64_t len[2] = {24, 20};
    float out[4096];
    bird_states states;
    int rc = 0;

    for (int i = 0; !rc && i < 2; i++) {
        int64_t n = bird_session_size(s, len[i]);

        rc = BIRD_EINVAL;
        if (n > 0 && n <= 4096)
            rc = bird_session_score(s, &seq[i], &len[i], 1, out);
        if (!rc)
            keep(out, n);
        else if (rc == BIRD_EINVAL && /* its head scores no sequences */
                 !(rc = bird_session_states(s, &states, seq[i], len[i])))
            keep(states.x, states.n_row * states.n_feature);
    }
    return rc;
}

static _Noreturn void open_and_run(void)
{
    bird_model *m = NULL;
    bird_session *s = NULL;
    bird_session_options o = {.threads = 1};
    int rc;

    confine();
    rc = bird_model_open(&m, place, NULL);
    told->opened = !rc;
    if (!rc)
        rc = bird_session_new(&s, m, &o);
    if (!rc)
        rc = run(s);
    if (rc)
        snprintf(told->error, sizeof(told->error), "%s", bird_last_error());
    bird_session_free(s);
    bird_model_close(m);
    told->finished = rc ? 2 : 1;
    _exit(0);
}

static int all_finite(void)
{
    for (int i = 0; i < told->n; i++)
        if (!isfinite(told->value[i]))
            return 0;
    return told->n > 0;
}

/* What was wrong, or NULL. */
static const char *judge(struct outcome *o, int status, const struct base *b,
                         int harmless)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        return "it wrote, or started a program";
    if (WIFSIGNALED(status) &&
        (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU))
        return "it did not end";
    if (WIFSIGNALED(status) || !told->finished)
        return "it crashed";
    if (!access(harmed, F_OK))
        return "code was run";
    o->refused = told->finished == 2;
    o->ran = !o->refused;
    o->same =
        o->ran && told->n == b->whole.n &&
        !memcmp(told->value, b->whole.value, sizeof(float) * (size_t)told->n);
    if (o->refused && !strstr(told->error, place))
        return "the refusal names no file";
    if (o->refused && strchr(told->error, '\n'))
        return "the refusal is more than a line";
    if (o->ran && !all_finite())
        return "its answers are not finite";
    if (harmless && b->whole.n && !o->same &&
        !(o->refused && strstr(told->error, "checksum")))
        return "its answers are not those of the undamaged model";
    if (o->seconds > most_s)
        return "more than a second of CPU";
    if (b->kib && o->kib > MOST_KIB)
        return "more than 64 MiB";
    return NULL;
}

static struct outcome try_folder(const struct base *b,
                                 const struct model_folder *f, int harmless)
{
    struct outcome o = {0};
    struct rusage used;
    int status;
    pid_t pid;

    put_folder(f);
    memset(told, 0, sizeof(*told));
    pid = fork();
    if (pid < 0)
        die("fork");
    if (!pid) {
        const struct rlimit cpu = {5, 6}, core = {0, 0};

        setrlimit(RLIMIT_CPU, &cpu);
        setrlimit(RLIMIT_CORE, &core);
        alarm(30);
        open_and_run();
    }
    if (wait4(pid, &status, 0, &used) != pid)
        die("wait4");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        puts("system calls cannot be filtered here");
        exit(77);
    }
    o.seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    o.kib = used.ru_maxrss - b->kib;
    o.finding = judge(&o, status, b, harmless);
    return o;
}

/* What the undamaged model says and takes; from time to time anew, since a
 * process begins with its parent's memory. */
static void measure(struct base *b)
{
    struct outcome o;

    b->kib = 0;
    b->whole.n = 0;
    o = try_folder(b, &b->files, 0);
    if (o.finding || !o.ran) {
        fprintf(stderr, "models: %s does not run: %s %s\n", b->name,
                o.finding ? o.finding : "", told->error);
        exit(2);
    }
    b->whole = *told;
    b->kib = o.kib;
}

/* --- many ------------------------------------------------------------------ */

struct campaign {
    struct base base[BASES];
    int n_base;
    int64_t count, first, seconds;
    const char *only, *tsv;
    int64_t n_run, n_finding;
};

static void try_seed(struct campaign *c, int64_t seed,
                     struct tally tally[BASES][MUTATIONS])
{
    struct draw d = {.state = (uint64_t)seed};
    int i = (int)draw_below(&d, c->n_base), k;
    const struct base *b = &c->base[i];
    struct model_folder f;
    struct outcome o;
    struct tally *t;
    int applied = 0;

    do {
        k = (int)draw_below(&d, MUTATIONS);
        if (c->only && strcmp(c->only, mutations[k].name) != 0)
            continue;
        folder_copy(&f, &b->files);
        applied = mutations[k].apply(&f, &d);
        if (!applied)
            folder_free(&f);
    } while (!applied && (!c->only || draw_below(&d, 1000)));
    if (!applied)
        return;
    o = try_folder(b, &f, mutations[k].harmless);
    t = &tally[i][k];
    t->n++;
    t->refused += o.refused;
    t->ran += o.ran;
    t->same += o.same;
    t->findings += o.finding != NULL;
    if (o.seconds > t->seconds)
        t->seconds = o.seconds;
    if (o.kib > t->kib)
        t->kib = o.kib;
    c->n_run++;
    if (o.finding) {
        c->n_finding++;
        printf("seed %lld, %s, %s: %s (%.2f s, %ld KiB more)%s%s\n",
               (long long)seed, b->name, mutations[k].name, o.finding,
               o.seconds, o.kib, *told->error ? ": " : "", told->error);
        fflush(stdout);
    }
    folder_free(&f);
}

static void write_tally(const struct campaign *c, int64_t first, int64_t end,
                        struct tally tally[BASES][MUTATIONS])
{
    FILE *f = fopen(c->tsv, "a");

    if (!f)
        die(c->tsv);
    for (int i = 0; i < c->n_base; i++)
        for (int k = 0; k < MUTATIONS; k++) {
            const struct tally *t = &tally[i][k];

            if (t->n)
                fprintf(f,
                        "%lld\t%lld\t%s\t%s\t%lld\t%lld\t%lld\t%lld\t%.3f\t%.1f"
                        "\t%lld\n",
                        (long long)first, (long long)end, c->base[i].name,
                        mutations[k].name, (long long)t->n,
                        (long long)t->refused, (long long)t->ran,
                        (long long)t->same, t->seconds,
                        (double)(t->kib > 0 ? t->kib : 0) / 1024,
                        (long long)t->findings);
        }
    if (fclose(f))
        die(c->tsv);
}

/* Behind the seeds that the TSV has. */
static int64_t first_seed(const char *tsv)
{
    FILE *f = tsv ? fopen(tsv, "r") : NULL;
    char line[512];
    long long end, most = 1;

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "%*d\t%lld", &end) == 1 && end > most)
            most = end;
    if (f)
        fclose(f);
    return most;
}

static void run_all(struct campaign *c)
{
    static struct tally tally[BASES][MUTATIONS];
    time_t began = time(NULL);
    int64_t seed = c->first, end = c->first + c->count;

    while (seed < end && (!c->seconds || time(NULL) - began < c->seconds)) {
        int64_t from = seed;

        memset(tally, 0, sizeof(tally));
        for (int i = 0; i < c->n_base; i++)
            measure(&c->base[i]);
        for (; seed < end && seed < from + CHUNK; seed++)
            try_seed(c, seed, tally);
        if (c->tsv)
            write_tally(c, from, seed, tally);
    }
}

int main(int argc, char **argv)
{
    static struct campaign c = {.count = 100000};
    int o;

    while ((o = getopt(argc, argv, "n:f:l:k:t:")) != -1)
        switch (o) {
        case 'n':
            c.count = atoll(optarg);
            break;
        case 'f':
            c.first = atoll(optarg);
            break;
        case 'l':
            c.seconds = atoll(optarg);
            break;
        case 'k':
            c.only = optarg;
            break;
        case 't':
            c.tsv = optarg;
            break;
        default:
            return 2;
        }
    if (argc - optind < 2 || argc - optind - 1 > BASES) {
        fputs("models [-n COUNT] [-f SEED] [-l SECONDS] [-k MUTATION] [-t TSV] "
              "WORK BASE...\n",
              stderr);
        return 2;
    }
    if (!c.first)
        c.first = first_seed(c.tsv);
    snprintf(place, sizeof(place), "%s/m", argv[optind]);
    snprintf(harmed, sizeof(harmed), "%s/harmed", argv[optind]);
    told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        die("mmap");
    for (int i = optind + 1; i < argc; i++)
        read_base(&c.base[c.n_base++], argv[i]);
    if (chdir(argv[optind]))
        die(argv[optind]);
    run_all(&c);
    printf("%lld folders, %lld findings\n", (long long)c.n_run,
           (long long)c.n_finding);
    return c.n_finding != 0;
}
