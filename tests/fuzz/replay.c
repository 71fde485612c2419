/*
 * Every kept input through a fuzz target, once: each is a line of TAP. The
 * empty input comes first. A finding ends the program, which Meson reports. Or
 * replay --random RUNS SEED: random bytes, without a fuzzer's cost.
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly this size, so that a sanitizer sees a byte too far. */
static int feed(const char *data, int64_t n)
{
    uint8_t *copy = malloc(n ? (size_t)n : 1);

    if (!copy)
        return -1;
    if (n)
        memcpy(copy, data, (size_t)n);
    LLVMFuzzerTestOneInput(copy, (size_t)n);
    free(copy);
    return 0;
}

static int is_input(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int feed_file(const char *folder, const char *name)
{
    struct bird_text t = {0};
    char *path = NULL;
    int rc = bird_path_join(&path, folder, name);

    if (!rc)
        rc = bird_file_read(&t, path);
    if (!rc)
        rc = feed(t.s, t.n);
    free(path);
    bird_text_free(&t);
    return rc;
}

/* Random bytes: for targets that make all of their input from choices. What a
 * finding came from is told by its number. */

static uint64_t seed;
static int64_t run;

static void tell_run(int signal)
{
    char s[96];
    int n = snprintf(s, sizeof(s), "run %lld of seed %llu\n", (long long)run,
                     (unsigned long long)seed);

    if (write(STDERR_FILENO, s, (size_t)n) == n)
        raise(signal); /* its own end: the handler is gone */
}

static int feed_random(int64_t runs)
{
    enum { LONGEST = 1024 };
    struct sigaction how = {.sa_handler = tell_run,
                            .sa_flags = (int)SA_RESETHAND};
    char s[LONGEST + 8];
    struct bird_rng r;

    sigaction(SIGABRT, &how, NULL);
    sigaction(SIGSEGV, &how, NULL);
    for (run = 0; run < runs; run++) {
        int n;

        bird_rng_init(&r, seed, (uint64_t)run, 0);
        n = (int)bird_rng_below(&r, LONGEST + 1);
        for (int i = 0; i < n; i += 8) {
            uint64_t v = bird_rng_next(&r);

            memcpy(s + i, &v, sizeof(v));
        }
        if (feed(s, n))
            return 1;
    }
    printf("%lld runs of seed %llu\n", (long long)runs,
           (unsigned long long)seed);
    return 0;
}

int main(int argc, char **argv)
{
    struct dirent **list = NULL;
    int n = argc == 2 ? scandir(argv[1], &list, is_input, alphasort) : -1;
    int bad = 0;

    if (argc == 4 && !strcmp(argv[1], "--random")) {
        seed = strtoull(argv[3], NULL, 10);
        return feed_random(strtoll(argv[2], NULL, 10));
    }
    if (n < 0) {
        printf("Bail out! %s: %s\n", argc == 2 ? argv[1] : "replay FOLDER",
               strerror(errno));
        return 1;
    }
    printf("1..%d\n", n + 1);
    fflush(stdout);
    bad += feed("", 0) != 0;
    printf("ok 1 - empty\n");
    for (int i = 0; i < n; i++) {
        int wrong = feed_file(argv[1], list[i]->d_name) != 0;

        printf("%sok %d - %s\n", wrong ? "not " : "", i + 2, list[i]->d_name);
        fflush(stdout);
        bad += wrong;
        free(list[i]);
    }
    free(list);
    return bad != 0;
}
