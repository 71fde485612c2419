#!/bin/bash
# Run tools/demo.sh and tools/test.sh from a fresh clone in a minimal Debian, as a new
# user would. Needs root, mmdebstrap (installed if it is missing) and apt's sources. The
# machine's own packages and mounts stay as they are: the root is a folder, entered in
# its own namespaces.
# SPDX-License-Identifier: MIT
#
#   tools/clean_root.sh [plain|reference]...
#
# reference: libblas-dev, the reference BLAS, is already installed. Default: both, one
# after the other. A root in which something failed remains (build-root-*, with
# test.log), with KEEP=1 every root. The last line of each is "N passed, N failed";
# status 0: the demo succeeded and no test failed.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/setup.sh
. tools/root.sh
here=$PWD KEEP=${KEEP-}
[ $# -gt 0 ] || set -- plain reference

may_enter_roots || exit 1

# timed NAME COMMAND...: run it and print its time
timed() {
    local name=$1 start=$SECONDS rc
    shift
    "$@"
    rc=$?
    echo "== $name: status $rc, $((SECONDS - start)) s"
    return $rc
}

try() { # plain|reference
    local root=$here/build-root-$1 status=0
    rm -rf "$root"
    make_root "$root" && git clone -q "$here" "$root/dnabird" || return 1
    echo "== $1: $(inside "$root" 'dpkg-query -f . -W | wc -c') packages"
    if [ "$1" = reference ]; then
        inside "$root" 'apt-get update -q &&
            DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
                --no-install-recommends libblas-dev' >/dev/null 2>&1 || return 1
    fi
    timed "$1: tools/demo.sh" inside "$root" 'cd /dnabird && tools/demo.sh' || status=1
    inside "$root" '/dnabird/build/tools/dnabird --version | grep ^BLAS:' || status=1
    timed "$1: tools/test.sh" inside "$root" 'cd /dnabird && tools/test.sh' \
        >"$root/test.log" 2>&1 || status=1
    grep -E '^(not ok|.*(FAIL|ERROR|TIMEOUT)) |^== |^[0-9]+ passed' \
        "$root/test.log"
    [ "$status$KEEP" != 0 ] || rm -rf "$root"
    return $status
}

status=0
for what in "$@"; do
    case $what in
    plain | reference) try "$what" || status=1 ;;
    *)
        say "tools/clean_root.sh: '$what' is neither plain nor reference"
        exit 2
        ;;
    esac
done
exit $status
