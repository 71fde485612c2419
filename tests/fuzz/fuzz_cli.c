/*
 * Any command line: a word a line, the first ones name the command. Nothing
 * can be opened, made or removed; what computes without a file ends behind its
 * options. What must hold: the status is one of the documented ones, and what
 * ends with another than 0 said why. SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>

#include "fuzz_help.h"

int dnabird_main(int argc, char **argv);
#define main dnabird_main
#include "main.c"
#undef main

#include "opt.h"

enum { WORDS = 48 };

LEAKS_ARE_EXPECTED /* lists of names live as long as the program */

    /* --- what is linked instead ----------------------------------------------- */

    static FILE *said;
static int running; /* else it is libFuzzer that calls */

#define STAND_IN(type, name, parameters, arguments, refused)                   \
    type __real_##name parameters;                                             \
    type __wrap_##name parameters;                                             \
    type __wrap_##name parameters                                              \
    {                                                                          \
        if (!running)                                                          \
            return __real_##name arguments;                                    \
        errno = EACCES;                                                        \
        return refused;                                                        \
    }

/* glibc's names of these where offsets have 64 bits */
STAND_IN(int, open, (const char *path, int flags, unsigned mode),
         (path, flags, mode), -1)
STAND_IN(int, open64, (const char *path, int flags, unsigned mode),
         (path, flags, mode), -1)
STAND_IN(FILE *, fopen, (const char *path, const char *mode), (path, mode),
         NULL)
STAND_IN(FILE *, fopen64, (const char *path, const char *mode), (path, mode),
         NULL)
STAND_IN(int, mkstemp64, (char *path), (path), -1)
STAND_IN(int, mkdir, (const char *path, unsigned mode), (path, mode), -1)
STAND_IN(char *, mkdtemp, (char *path), (path), NULL)
STAND_IN(int, mkstemp, (char *path), (path), -1)
STAND_IN(int, rename, (const char *from, const char *to), (from, to), -1)
STAND_IN(int, unlink, (const char *path), (path), -1)
STAND_IN(int, unlinkat, (int fd, const char *path, int flags),
         (fd, path, flags), -1)
STAND_IN(int, rmdir, (const char *path), (path), -1)
STAND_IN(void *, opendir, (const char *path), (path), NULL)
STAND_IN(int, fork, (void), (), -1)
/* libFuzzer's handlers stay */
STAND_IN(int, sigaction, (int n, const void *act, void *old), (n, act, old), 0)
STAND_IN(int, raise, (int n), (n), 0)

int __real_fclose(FILE *f);
int __wrap_fclose(FILE *f);

/* Standard output stays, as there is a next run. */
int __wrap_fclose(FILE *f)
{
    return f == stdout ? fflush(f) : __real_fclose(f);
}

int __real_opt_parse(int *argc, char ***argv, const struct opt *opts, int n_opt,
                     const struct opt_usage *u);
int __wrap_opt_parse(int *argc, char ***argv, const struct opt *opts, int n_opt,
                     const struct opt_usage *u);

/* Commands that need no file would draw patterns, make weights and measure. */
static const char *const without_file[] = {"pattern", "tokenizer kmer", "init",
                                           "bench"};

static int needs_no_file(const char *command)
{
    for (size_t i = 0; i < sizeof(without_file) / sizeof(*without_file); i++)
        if (!strncmp(command, without_file[i], strlen(without_file[i])))
            return 1;
    return 0;
}

int __wrap_opt_parse(int *argc, char ***argv, const struct opt *opts, int n_opt,
                     const struct opt_usage *u)
{
    int status = __real_opt_parse(argc, argv, opts, n_opt, u);

    return status == OPT_GO && needs_no_file(u->command) ? CLI_OK : status;
}

/* --- a run ----------------------------------------------------------------- */

/* Standard output and error, where nobody reads them; and back. */
static void redirect(int from[2], int back)
{
    fflush(stdout);
    fflush(stderr);
    for (int i = 0; i < 2; i++) {
        if (back) {
            dup2(from[i], i + 1);
            close(from[i]);
        } else {
            from[i] = dup(i + 1);
            dup2(fileno(said), i + 1);
        }
    }
}

/* The words end with NULL, as those of main() do. */
static int cut(char **word, char *text)
{
    static char name[] = "dnabird";
    int n = 0;

    word[n++] = name;
    for (char *s = text; s && n < WORDS;)
        word[n++] = strsep(&s, "\n");
    word[n] = NULL;
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size), *word[WORDS + 1];
    int from[2], n, status;

    MUST(text);
    if (!said) {
        int fd = memfd_create("said", MFD_CLOEXEC);

        MUST((said = fdopen(fd, "r+")));
    }
    n = cut(word, text);
    MUST(!ftruncate(fileno(said), 0) && !lseek(fileno(said), 0, SEEK_SET));
    redirect(from, 0);
    running = 1;
    cli_begin(n, word);
    status = cli_finish(run(n, word));
    bird_guard_end();
    running = 0;
    redirect(from, 1);
    MUST(status >= CLI_OK && status <= CLI_USAGE);
    MUST(lseek(fileno(said), 0, SEEK_END) > 0 || !status);
    free(text);
    return 0;
}
