/*
 * A command under limits, and what it took: its status (128 + signal where one
 * ended it), seconds, those of the processor, and the most memory that was
 * resident, in KiB, are written to a file.
 *
 *   limits_run [-a KIB] [-f BYTES] [-n FILES] [-s KIB] [-t SECONDS]
 *              FILE PROGRAM [ARGUMENT ...]
 *
 * -a: address space; -f: size of a file; -n: open files; -s: stack; -t: ended
 * after so many seconds (SIGKILL: 137).
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct limit {
    int option, what;
    rlim_t unit;
} limits[] = {{'a', RLIMIT_AS, 1024},
              {'f', RLIMIT_FSIZE, 1},
              {'n', RLIMIT_NOFILE, 1},
              {'s', RLIMIT_STACK, 1024}};
enum { N_LIMIT = sizeof(limits) / sizeof(*limits) };

static void die(const char *what)
{
    fprintf(stderr, "limits_run: %s: %s\n", what, strerror(errno));
    exit(2);
}

static pid_t child;

static void end_child(int signal)
{
    (void)signal;
    kill(child, SIGKILL);
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Both of a limit: a program may raise a soft one. */
static void start(char **argv, const long value[N_LIMIT])
{
    for (int i = 0; i < N_LIMIT; i++) {
        rlim_t n = (rlim_t)value[i] * limits[i].unit;
        struct rlimit r = {n, n};

        if (value[i] >= 0 && setrlimit(limits[i].what, &r))
            _exit(126);
    }
    execv(argv[0], argv);
    _exit(127);
}

int main(int argc, char **argv)
{
    long value[N_LIMIT] = {-1, -1, -1, -1};
    unsigned seconds = 0;
    struct rusage use;
    double begin;
    int status, option;
    FILE *f;

    while ((option = getopt(argc, argv, "+a:f:n:s:t:")) != -1) {
        if (option == 't')
            seconds = (unsigned)strtoul(optarg, NULL, 10);
        for (int i = 0; i < N_LIMIT; i++)
            if (option == limits[i].option)
                value[i] = strtol(optarg, NULL, 10);
        if (option == '?')
            return 2;
    }
    if (argc - optind < 2)
        return 2;
    /* before the child: it must not count what the file is written with */
    f = fopen(argv[optind], "we");
    if (!f)
        die(argv[optind]);
    begin = now();
    child = fork();
    if (child < 0)
        die("fork");
    if (!child)
        start(argv + optind + 1, value);
    signal(SIGALRM, end_child);
    alarm(seconds);
    while (wait4(child, &status, 0, &use) < 0)
        if (errno != EINTR)
            die("wait4");
    fprintf(f, "%d\t%.2f\t%.2f\t%ld\n",
            WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
            now() - begin, seconds_of(use.ru_utime) + seconds_of(use.ru_stime),
            use.ru_maxrss);
    return fclose(f) ? 2 : 0;
}
