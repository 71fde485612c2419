# Functions of the other scripts: packages, building, counting; to be sourced.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# Requirements, as "how to detect it | Debian's package". A single word is a program,
# pc:A,B a library with one of these names for pkg-config.
needs_build='
cc                  gcc
deb:libc6-dev       libc6-dev
meson               meson
ninja               ninja-build
pkg-config          pkg-config
pc:htslib           libhts-dev
pc:openblas         libopenblas-openmp-dev
pc:libzstd          libzstd-dev
pc:zlib             zlib1g-dev
pc:libzip           libzip-dev
pc:jansson          libjansson-dev
pc:libcrypto        libssl-dev
'
needs_test='
pc:criterion        libcriterion-dev
samtools            samtools
bcftools            bcftools
bedtools            bedtools
tabix               tabix
xmllint             libxml2-utils
deb:libbigwig-dev   libbigwig-dev
/usr/bin/time       time
deb:libdnnl-dev     libdnnl-dev
pc:matio            libmatio-dev
mandoc              mandoc
zsh                 zsh
fish                fish
'
needs_check='
ccache              ccache
clang               clang
clang-format        clang-format
clang-tidy          clang-tidy
deb:libclang-rt-dev libclang-rt-dev
deb:libomp-dev      libomp-dev
pc:ompi-c,mpi-c,mpich libopenmpi-dev
mpirun              openmpi-bin
deb:slurm-wlm       slurm-wlm
deb:munge           munge
chromium            chromium
'

needs_package='
dpkg-buildpackage   dpkg-dev
dh                  debhelper
ccache              ccache
lintian             lintian
fakeroot            fakeroot
mmdebstrap          mmdebstrap
jq                  jq
buildah             buildah
git                 git
deb:build-essential build-essential
deb:python3-venv    python3-venv
'

say() { printf '%s\n' "$*" >&2; }

cores() { nproc 2>/dev/null || echo 2; }

# is_there HOW
is_there() {
    local name
    case $1 in
    pc:*)
        for name in $(echo "${1#pc:}" | tr , ' '); do
            pkg-config --exists "$name" 2>/dev/null && return 0
        done
        return 1
        ;;
    deb:*)
        command -v dpkg-query >/dev/null || return 0
        dpkg-query -W -f='${Status}' "${1#deb:}" 2>/dev/null |
            grep -q 'ok installed'
        ;;
    cc) command -v "${CC:-cc}" >/dev/null || command -v gcc >/dev/null ||
        command -v clang >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# missing LIST...: the packages of the lists that are not installed
missing() {
    local how package
    printf '%s\n' "$@" | while read -r how package; do
        [ -z "$how" ] || is_there "$how" || printf '%s ' "$package"
    done
}

# install_packages PACKAGE...: by apt, as root or through sudo
install_packages() {
    local sudo=
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "Missing: $*" "(install them as root: apt-get install $*)"
            return 1
        fi
        sudo=sudo
    fi
    say "Installing: $*"
    $sudo apt-get update -q >&2 || say "apt-get update failed; going on"
    $sudo env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "$@" >&2
}

# setup_packages build|test|check|package...: install what is missing
setup_packages() {
    local lists=() kind list
    for kind in "$@"; do
        list=needs_$kind
        lists+=("${!list}")
    done
    list=$(missing "${lists[@]}")
    if [ -n "$list" ]; then
        if ! command -v apt-get >/dev/null; then
            say "These are missing (names as in Debian): $list"
            say "Install them with this system's package manager, then again."
            return 1
        fi
        # shellcheck disable=SC2086 # a list of words
        install_packages $list || return 1
        list=$(missing "${lists[@]}")
        if [ -n "$list" ]; then
            say "Still missing after installing: $list"
            return 1
        fi
    fi
    case $(meson --version) in
    0.*)
        say "Meson $(meson --version) is too old: 1.0 or later is needed" \
            "(for example: pipx install meson)"
        return 1
        ;;
    esac
}

# build DIR OPTION...: configure (again) and compile; the log of a failure
# goes to stderr
build() {
    local dir=$1 log
    shift
    log=$(mktemp)
    if [ -f "$dir/build.ninja" ]; then
        set -- --reconfigure "$dir" "$@"
    else
        set -- "$dir" "$@"
    fi
    say "Building in $dir"
    if ! { meson setup "$@" && meson compile -C "$dir" -j "$(cores)"; } \
        >"$log" 2>&1 </dev/null; then
        tail -n 60 "$log" >&2
        rm -f "$log"
        say "The build in $dir failed."
        return 1
    fi
    rm -f "$log"
}

# count_tests DIR: "N passed, N failed[, N skipped]" of the last meson test, after
# "FAILED NAME" of each failed test and, indented, its output that was not ok. Subtests
# count if a test printed TAP. Meson says ERROR, not FAIL, of a test that crashed or ended
# with a status: that is one more failure, unless the test itself named one.
count_tests() {
    awk '
    function told(s) {
        gsub(/\002/, "\"", s); gsub(/\001/, "\\", s)
        return "    " substr(s, 1, 300)
    }
    {
        gsub(/\\\\/, "\001"); gsub(/\\"/, "\002")
        n = split($0, part, "\"")
        result = out = name = said = ""
        for (i = 2; i < n; i++) {
            if (part[i + 1] != ": ") continue
            if (part[i] == "name" && name == "") name = part[i + 2]
            if (part[i] == "stdout" && out == "") out = part[i + 2]
            if (part[i] == "result" && result == "") result = part[i + 2]
        }
        good = wrong = left = of_wrong = 0
        m = split(out, line, /\\n/)
        for (i = 1; i <= m; i++) {
            # comments after a line that is not ok belong to it
            if (line[i] !~ /^#/) of_wrong = 0
            if (line[i] ~ /^ok.*# *(SKIP|skip)/) left++
            else if (line[i] ~ /^ok/) good++
            else if (line[i] ~ /^not ok.*# *(TODO|todo)/) left++
            else if (line[i] ~ /^not ok/) {
                wrong++
                of_wrong = 1
            }
            if (of_wrong) said = said told(line[i]) "\n"
        }
        if (result == "OK" || result == "EXPECTEDFAIL") {
            if (!good && !left) good = 1
        } else if (result == "SKIP") {
            if (!left) left = 1
        } else {
            if (!wrong) wrong = 1
            printf "FAILED %s: %s\n%s", name, result, said
        }
        passed += good; failed += wrong; skipped += left
    }
    END {
        printf "%d passed, %d failed", passed, failed
        if (skipped) printf ", %d skipped", skipped
        printf "\n"
    }' "$1/meson-logs/testlog.json"
}

# run_tests DIR OPTION...: run them all, show the failures, print the count; status 1
# if anything failed or nothing ran
run_tests() {
    local dir=$1 line status=0
    shift
    rm -f "$dir/meson-logs/testlog.json"
    OMP_WAIT_POLICY=passive meson test -C "$dir" --no-rebuild \
        --print-errorlogs "$@" </dev/null || status=1
    if [ ! -s "$dir/meson-logs/testlog.json" ]; then
        echo "FAILED $dir: no test ran"
        echo "0 passed, 1 failed"
        return 1
    fi
    line=$(count_tests "$dir")
    echo "$line"
    line=${line##*$'\n'}
    case $line in
    "0 passed"*) status=1 ;;
    *", 0 failed" | *", 0 failed, "*) ;;
    *) status=1 ;;
    esac
    return $status
}

# failures FILE: its "FAILED ..." and the indented lines after each
failures() { awk '/^FAILED/ || (of && /^    /) { of = 1; print; next } { of = 0 }' "$1"; }

# counts FILE: the numbers of its last "N passed, N failed[, N skipped]"
counts() {
    sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\{0,1\}$/\1 \2 \4/p' \
        "$1" | tail -n 1
}
