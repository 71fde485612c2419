/*
 * Before the libraries' constructors run. OpenBLAS (0.3.21) asks in its own for
 * its buffers, 128 MiB of address space each, again and again until it gets
 * them: under a lower limit (ulimit -v) the program would turn for ever before
 * main(). This check reports it instead.
 *
 * What runs here runs before the C library's own constructor: system calls only.
 * Preinit functions are ELF's; AddressSanitizer is not ready for one yet.
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli.h"

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !defined(__SANITIZE_THREAD__) && !HAS_FEATURE(address_sanitizer) &&        \
    !HAS_FEATURE(thread_sanitizer) && !HAS_FEATURE(memory_sanitizer)
enum { LOAD_S = 5 }; /* of the processor: loading takes hundredths of one */

static int watching;

static void give_up(int signal)
{
    static const char text[] =
        "dnabird: the libraries cannot be loaded: OpenBLAS finds no memory for "
        "its buffers within the limit of the address space: raise it (ulimit "
        "-v)\n";

    (void)signal;
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        _exit(CLI_FAILED);
    _exit(CLI_FAILED);
}

static void set_timer(long seconds)
{
    struct itimerval t = {.it_value = {.tv_sec = seconds}};

    setitimer(ITIMER_PROF, &t, NULL);
}

static void begin(void)
{
    struct sigaction a = {.sa_handler = give_up};
    struct rlimit r;

    if (getrlimit(RLIMIT_AS, &r) || r.rlim_cur == RLIM_INFINITY ||
        sigaction(SIGPROF, &a, NULL))
        return;
    watching = 1;
    set_timer(LOAD_S);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const first)(void) = begin;

void cli_loaded(void)
{
    struct sigaction a = {.sa_handler = SIG_DFL};

    if (!watching)
        return;
    set_timer(0);
    sigaction(SIGPROF, &a, NULL);
}
#else
void cli_loaded(void)
{
}
#endif
