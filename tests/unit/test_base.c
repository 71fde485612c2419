/* base: failure sentences, arrays, random numbers, text, JSON, files. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/text.h"
#include "dnabird/dnabird.h"
#include "temp.h"

Test(base, fail_keeps_code_and_sentence)
{
    cr_assert_eq(bird_fail(BIRD_EIO, "a %d", 7), BIRD_EIO);
    cr_assert_str_eq(bird_last_error(), "a 7");
    cr_assert_eq(bird_fail_in(BIRD_EIO, "file"), BIRD_EIO);
    cr_assert_str_eq(bird_last_error(), "file: a 7");
}

/* Arrays of an arena grow in any order, keep what they hold, and lie on 64
 * bytes without touching each other. */
Test(base, arena_keeps_all_arrays)
{
    struct bird_arena a = {0};
    int32_t *x = NULL;
    double *y = NULL;
    char *z = NULL;

    for (int64_t n = 1; n < 3000; n += 7) {
        WORKS(bird_arena_grow(&a, &x, n, sizeof(*x)));
        WORKS(bird_arena_grow(&a, &z, 5, 1));
        WORKS(bird_arena_grow(&a, &y, 2 * n, sizeof(*y)));
        memset(z, 'z', 5);
        x[n - 1] = (int32_t)n;
        y[2 * n - 1] = (double)n;
        cr_assert_eq((uintptr_t)x % 64 + (uintptr_t)y % 64 + (uintptr_t)z % 64,
                     0);
        for (int64_t k = 1; k <= n; k += 7) {
            cr_assert_eq(x[k - 1], k);
            cr_assert_eq(y[2 * k - 1], (double)k);
        }
        cr_assert_eq(memcmp(z, "zzzzz", 5), 0);
    }
    cr_assert_eq(a.n, 3);
    cr_assert_neq(bird_arena_grow(&a, &y, INT64_MAX, sizeof(*y)), 0);
    cr_assert_eq(y[1], 1);
    bird_arena_free(&a);
    cr_assert_null(x);
    cr_assert_null(y);
    cr_assert_null(z);
}

/* The same in every locale; bytes of UTF-8 are none. */
Test(base, control_characters)
{
    int n = 0;

    for (int c = 0; c < 256; c++)
        n += bird_is_control((char)c);
    cr_assert_eq(n, 33);
    cr_assert(bird_is_control('\0') && bird_is_control('\t') &&
              bird_is_control('\n') && bird_is_control('\x1f') &&
              bird_is_control('\x7f'));
    cr_assert(!bird_is_control(' ') && !bird_is_control('~') &&
              !bird_is_control('\x85') && !bird_is_control('\xff'));
}

/* One line whatever names say, with the reason behind the longest of paths. */
Test(base, a_sentence_is_one_line_and_whole)
{
    static char path[4096];

    bird_fail(BIRD_EIO, "a\nb\033[2J\tc: %s", "d\x7f");
    cr_assert_str_eq(bird_last_error(), "a?b?[2J\tc: d?");
    bird_fail(BIRD_EIO, "\xc3\xbc");
    cr_assert_str_eq(bird_last_error(), "\xc3\xbc");
    memset(path, 'x', sizeof(path) - 1);
    bird_fail(BIRD_EIO, "%s: no such file", path);
    bird_fail_in(BIRD_EIO, "%s", path);
    cr_assert_eq(strlen(bird_last_error()), 2 * 4095 + 16);
    SAYS("x: no such file");
}

Test(base, array_refuses_overflow)
{
    void *p = NULL;

    cr_assert_eq(bird_array_new(&p, INT64_MAX, 16), BIRD_ENOMEM);
    cr_assert_null(p);
    WORKS(bird_array_new(&p, 5, 4));
    cr_assert_eq((uintptr_t)p % 64, 0);
    free(p);
}

Test(base, rng_is_a_function_of_its_three_words)
{
    struct bird_rng a, b;

    bird_rng_init(&a, 1, 2, 3);
    bird_rng_init(&b, 1, 2, 3);
    cr_assert_eq(bird_rng_next(&a), bird_rng_next(&b));
    bird_rng_init(&b, 1, 3, 2);
    cr_assert_neq(bird_rng_next(&a), bird_rng_next(&b));
    for (int i = 0; i < 1000; i++)
        cr_assert_lt(bird_rng_below(&a, 7), 7);
}

Test(base, parse_int_takes_suffixes_and_refuses_the_rest)
{
    int64_t v = 5;

    cr_assert_eq(bird_parse_int(&v, "12K"), 0);
    cr_assert_eq(v, 12000);
    cr_assert_eq(bird_parse_int(&v, "12x"), BIRD_EINVAL);
    cr_assert_eq(bird_parse_int(&v, ""), BIRD_EINVAL);
    cr_assert_eq(bird_parse_int(&v, "9999999999999G"), BIRD_EINVAL);
    cr_assert_eq(v, 12000);
}

Test(base, json_names_the_place)
{
    json_t *j = NULL;
    int64_t v = 3;

    FAILS(BIRD_EFORMAT, bird_json_parse(&j, "{\n\"a\": }", 8, "x.json"),
          "x.json: line 2");
    WORKS(bird_json_parse(&j, "{\"a\": 9}", 8, "x.json"));
    cr_assert_eq(bird_json_int(&v, j, "b", 0, 5, "x.json"), 0);
    cr_assert_eq(v, 3);
    FAILS(BIRD_EFORMAT, bird_json_int(&v, j, "a", 0, 5, "x.json"), "'a' is 9");
    json_decref(j);
}

TestSuite(files, .init = folder_new, .fini = folder_remove);

Test(files, out_leaves_nothing_when_aborted)
{
    const char *path = path_of("o");
    struct bird_out o;

    WORKS(bird_out_open(&o, path));
    fputs("half", o.stream);
    bird_out_abort(&o);
    cr_assert_not(bird_file_exists(path));
    WORKS(bird_file_write(path, "whole", 5));
    cr_assert(bird_file_exists(path));
    FAILS(BIRD_EIO, bird_file_write("/nonexistent/x", "a", 1),
          "/nonexistent/x");
}

/* A name of this process's id that is there already is another machine's, or
 * of a process that was killed: left alone. */
Test(files, out_takes_no_temporary_name_that_is_there)
{
    const char *path = path_of("o");
    char taken[80], text[8] = "";
    struct bird_out o;
    FILE *f;

    snprintf(taken, sizeof(taken), "%s.tmp%ld", path, (long)getpid());
    f = fopen(taken, "w");
    fputs("theirs", f);
    fclose(f);
    WORKS(bird_out_open(&o, path));
    cr_assert_str_neq(o.temporary, taken);
    fputs("ours", o.stream);
    WORKS(bird_out_commit(&o));
    f = fopen(taken, "r");
    cr_assert_not_null(f);
    cr_assert_eq(fread(text, 1, 7, f), 6);
    cr_assert_str_eq(text, "theirs");
    fclose(f);
}

Test(files, out_writes_into_a_pipe_as_it_stands)
{
    const char *path = path_of("pipe");
    struct bird_out o;
    struct stat st;
    int fd;

    cr_assert_eq(mkfifo(path, 0600), 0);
    fd = open(path, O_RDWR);
    cr_assert_geq(fd, 0);
    WORKS(bird_out_open(&o, path));
    fputs("abc", o.stream);
    WORKS(bird_out_commit(&o));
    cr_assert_eq(stat(path, &st), 0);
    cr_assert(S_ISFIFO(st.st_mode));
    WORKS(bird_out_open(&o, path));
    bird_out_abort(&o);
    cr_assert_eq(stat(path, &st), 0);
    close(fd);
}

/* A file, and a link l to it. */
static const char *guard_input(void)
{
    const char *in = file_text("f.fa", "x\n");

    cr_assert_eq(symlink(in, path_of("l")), 0);
    return in;
}

Test(files, guard_refuses_inputs_indices_and_second_outputs)
{
    const char *in = guard_input(), *out = path_of("o"), *link_ = path_of("l");
    struct bird_text t = {0};

    bird_guard_begin();
    WORKS(bird_guard_input(in));
    cr_assert_eq(bird_guard_input(in), 0, "an input may be opened again");
    cr_assert_eq(bird_file_write(in, "y", 1), BIRD_EINVAL);
    cr_assert_eq(bird_file_write(link_, "y", 1), BIRD_EINVAL);
    cr_assert_eq(bird_file_write(path_of("f.fa.fai"), "y", 1), BIRD_EINVAL);
    WORKS(bird_guard_expect(out));
    cr_assert_eq(bird_guard_expect(out), BIRD_EINVAL, "announced twice");
    WORKS(bird_file_write(out, "y", 1));
    cr_assert_eq(bird_file_write(out, "y", 1), BIRD_EINVAL, "a second output");
    cr_assert_eq(bird_file_read(&t, out), BIRD_EINVAL, "an output as input");
    SAYS(out);
    for (int i = 0; i < 2; i++)
        WORKS(bird_guard_expect("/dev/null"));
    bird_guard_end();
    bird_text_free(&t);
    cr_assert_eq(files_in(folder), 3, "something was left");
}

Test(files, guard_is_off_until_a_run_begins_and_forgets_when_it_ends)
{
    const char *in = guard_input(), *out = path_of("o");
    struct bird_text t = {0};

    for (int run = 0; run < 2; run++) { /* without one: as often as one likes */
        WORKS(bird_file_read(&t, in));
        WORKS(bird_file_write(out, "y", 1));
        WORKS(bird_file_read(&t, out));
        WORKS(bird_file_write(out, "y", 1));
        WORKS(bird_file_write(in, "y", 1));
    }
    for (int run = 0; run < 2; run++) { /* each run by itself */
        bird_guard_begin();
        WORKS(bird_file_read(&t, in));
        WORKS(bird_file_write(out, "y", 1));
        bird_guard_begin(); /* another one */
        WORKS(bird_file_read(&t, out));
        WORKS(bird_file_write(in, "y", 1));
    }
    bird_guard_end();
    bird_text_free(&t);
    cr_assert_eq(files_in(folder), 3, "something was left");
}

Test(files, guard_takes_leftovers_away)
{
    const char *made = path_of("made");
    struct bird_out o;

    bird_guard_begin();
    WORKS(bird_out_open(&o, path_of("o")));
    WORKS(bird_folder_make(made));
    cr_assert_eq(access(o.temporary, F_OK), 0);
    bird_guard_clean();
    cr_assert_neq(access(o.temporary, F_OK), 0);
    cr_assert_neq(access(made, F_OK), 0);
    bird_out_abort(&o);
    bird_guard_end();
    cr_assert_eq(files_in(folder), 0);
}

Test(base, sha256_of_abc)
{
    char hex[65];

    /* FIPS 180-2, appendix B.1 */
    bird_sha256(hex, "abc", 3);
    cr_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223"
                          "b00361a396177a9cb410ff61f20015ad");
}

static void square(void *context, int64_t task, int worker)
{
    int64_t *out = context;

    cr_assert_lt(worker, bird_threads());
    out[task] = task * task;
}

Test(base, parallel_runs_every_task_once)
{
    int64_t out[100] = {0};

    for (int t = 1; t <= 2; t++) {
        bird_threads_set(t);
        memset(out, 0, sizeof(out));
        bird_parallel(100, square, out);
        for (int64_t i = 0; i < 100; i++)
            cr_assert_eq(out[i], i * i);
    }
}
