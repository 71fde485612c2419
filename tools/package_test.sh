#!/bin/bash
# Test Debian's packages from beginning to end: the release's archive (meson dist), the
# packages built from it with tests, lintian, a root with Debian's base only,
# installation, the tests of debian/tests in it without a network, purging, and the files
# that remain. Needs root and apt's sources; see packaging/README.md.
# SPDX-License-Identifier: MIT
#
#   tools/package_test.sh [all|short|installed]
#
# all: the suites unit, kernel and cli during the build; short: some of their tests;
# installed: nothing is built, the packages are those of the last run, which remain in
# build-deb. The last commit is packed. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
exec </dev/null
. tools/setup.sh
. tools/root.sh
here=$PWD out=$PWD/build-deb
may_enter_roots && setup_packages build package || exit 1

# archive: from a clone, since a release has only committed files
archive() (
    git clone -q "$here" "$out/clone" && cd "$out/clone" &&
        meson setup build -Dtests=disabled >/dev/null &&
        meson dist -C build --no-tests --formats gztar &&
        mv build/meson-dist/* "$out/" && cd "$out" &&
        sha256sum -c dnabird-*.tar.gz.sha256sum &&
        tar -xzf dnabird-*.tar.gz && rm -rf clone
)

packages() (
    cd "$out"/dnabird-*/ && PATH=/usr/lib/ccache:$PATH \
        CCACHE_DIR=$cache dpkg-buildpackage -us -uc -b -j"$(cores)"
)

no_lint() {
    lintian --fail-on error --info --tag-display-limit 0 "$out"/*.changes
}

# files ROOT: all of its files, except the records of apt and dpkg
files() {
    (cd "$1" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o \
        -path ./tmp -o -path ./var/cache -o -path ./var/log -o \
        -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./packages -o \
        -path ./source \) -prune -o -print | LC_ALL=C sort)
}

install_them() {
    inside "$root" 'apt-get install -y -q --no-install-recommends \
        /packages/*.deb' &&
        inside "$root" 'dnabird --version && dpkg -l "*dnabird*"'
}

# depends TEST, tests: of debian/tests/control
tests() { awk '/^Tests:/ { print $2 }' debian/tests/control; }
depends() {
    awk -v t="$1" '/^Tests:/ { on = $2 == t }
        on && sub(/^Depends: /, "") { gsub(/,/, ""); print }' \
        debian/tests/control
}

# What the tests use in addition to the packages: installed before, and left there
test_needs() {
    local list
    list=$(for t in $(tests); do depends "$t"; done | tr ' ' '\n' | sort -u |
        grep -v dnabird | tr '\n' ' ')
    inside "$root" "apt-get update -q && apt-get install -y -q \
        --no-install-recommends $list"
}

as_installed() { # TEST
    ROOT_NET=none inside "$root" "cd /source && mkdir -p /tmp/t.$1 &&
            AUTOPKGTEST_TMP=/tmp/t.$1 HOME=/tmp/t.$1 debian/tests/$1"
}

purge() {
    inside "$root" 'apt-get purge -y -q dnabird dnabird-data libdnabird1 \
        libdnabird-dev && apt-get autoremove --purge -y -q'
}

nothing_left() {
    files "$root" | comm -13 "$out/before" - >"$out/left"
    inside "$root" 'dpkg -l "*dnabird*"' 2>/dev/null | grep -E '^(i|r)' \
        >>"$out/left"
    cat "$out/left"
    [ ! -s "$out/left" ]
}

root=$out/root cache=${CCACHE_DIR:-$(ccache -k cache_dir 2>/dev/null)}
case ${1-all} in
all | installed) ;;
short) export DNABIRD_TESTS="base opt tokenizer promoter variant session product \
program fasta" ;;
*)
    say "tools/package_test.sh: '$1' is none of all, short, installed"
    exit 2
    ;;
esac
if [ "${1-}" = installed ]; then
    rm -rf "$root"
else
    rm -rf "$out"
    mkdir -p "$out"
    check archive archive || finish
    check packages packages || finish
fi
(cd "$out" && sha256sum -- *.tar.gz && ls -l -- *.deb)
check lintian no_lint
(grep -E '^[EWI]: ' "$out/lintian.log" || echo "lintian: nothing to tell") |
    cut -c 1-120
export ROOT_BASE=$here/build-root-base.tar
check root make_root "$root" && check "what the tests need" test_needs || finish
files "$root" >"$out/before"
mkdir "$root/packages" && cp "$out"/*.deb "$root/packages/" &&
    rm -f "$root"/packages/*-dbgsym_*
mkdir "$root/source" && git archive HEAD | tar -x -C "$root/source"
check install install_them || finish
for t in $(tests); do
    check "installed $t" as_installed "$t"
done
check purge purge
check "nothing left" nothing_left
[ "$failed" != 0 ] || [ -n "${KEEP-}" ] || rm -rf "$root"
finish
