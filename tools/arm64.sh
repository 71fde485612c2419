#!/bin/bash
# Build for arm64 with Debian's cross compiler and run the unit, kernel and golden
# tests under qemu-user. The arm64 libraries are unpacked into a folder that the
# compiler uses as its system root (build-arm64-root). The machine gets no packages of
# another architecture; only the tools are installed on it. The last line is
# "N passed, N failed[, N skipped]".
# SPDX-License-Identifier: MIT
#
#   tools/arm64.sh [TEST...]     default: all of the three suites
#
# Criterion's tests restart themselves, so the kernel must know what runs an arm64
# program: qemu's name is registered in a user namespace of the run (Linux 6.7 or
# later); on older kernels qemu-user-binfmt must be installed.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/setup.sh

root=$PWD/build-arm64-root
dir=build-arm64
lib=usr/lib/aarch64-linux-gnu
packages=libc6-dev,libhts-dev,libopenblas-openmp-dev,libzstd-dev,libzip-dev
packages+=,libjansson-dev,libssl-dev,libcriterion-dev,libbigwig-dev,libdnnl-dev

needs_arm64='
aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
qemu-aarch64          qemu-user
mmdebstrap            mmdebstrap
'

# make_root: unpack packages, and do by hand the work of their scripts
make_root() {
    local list=() f l to
    for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
        /etc/apt/sources.list.d/*.sources; do
        [ -s "$f" ] && list+=("$f")
    done
    rm -rf "$root"
    # shellcheck disable=SC1091 # the system's file
    (. /etc/os-release && mmdebstrap --quiet --variant=extract \
        --architectures=arm64 --include=$packages "$VERSION_CODENAME" \
        "$root.new" "${list[@]}") || return 1
    # absolute links lead out of the root
    find "$root.new" -type l -lname '/*' | while read -r l; do
        to=$root.new$(readlink "$l")
        [ ! -e "$to" ] || ln -sfrn "$to" "$l"
    done
    # Debian's alternatives
    for f in libblas.so.3 liblapack.so.3 libopenblas.so libopenblas.so.0; do
        ln -sfn openblas-openmp/$f "$root.new/$lib/$f"
    done
    mv "$root.new" "$root"
}

cross_file() {
    cat <<EOT
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-gcc-ar'
nm = 'aarch64-linux-gnu-nm'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-aarch64', '-L', '$root']
[built-in options]
c_args = ['--sysroot=$root']
c_link_args = ['--sysroot=$root', '-Wl,-rpath-link,$root/$lib']
[properties]
sys_root = '$root'
pkg_config_libdir = ['$root/$lib/pkgconfig',
  '$root/$lib/openblas-openmp/pkgconfig', '$root/usr/share/pkgconfig']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'armv8-a'
endian = 'little'
EOT
}

# with_qemu COMMAND...: in an environment whose kernel hands arm64 programs to qemu
with_qemu() {
    local magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    export QEMU_LD_PREFIX=$root
    if "$dir/tools/dnabird" --help >/dev/null 2>&1; then
        "$@"
        return
    fi
    # shellcheck disable=SC2016 # for the shell inside
    unshare --user --map-root-user --mount bash -c '
        mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
            printf %s ":dnabird-arm64:M::$0:$1:$2:OC" \
                >/proc/sys/fs/binfmt_misc/register || exit 125
        shift 2
        "$@"' "$magic" "$mask" "$(command -v qemu-aarch64)" "$@"
}

arm64_tests() {
    if ! "$dir/tools/dnabird" --version; then
        say "This kernel starts no arm64 program: install qemu-user-binfmt"
        echo "0 passed, 1 failed"
        return 1
    fi
    run_tests "$dir" --timeout-multiplier 10 "$@"
}

if ! setup_packages build arm64; then
    echo "0 passed, 1 failed"
    exit 1
fi
if [ ! -d "$root" ] && ! make_root; then
    say "No arm64 libraries: the root of Debian's packages was not made"
    echo "0 passed, 1 failed"
    exit 1
fi
cross_file >"$root/cross.ini"
if ! build "$dir" --cross-file "$root/cross.ini" --buildtype=release; then
    echo "0 passed, 1 failed"
    exit 1
fi
[ $# -gt 0 ] || set -- --suite unit --suite kernel --suite golden
export dir
export -f arm64_tests run_tests count_tests say
with_qemu bash -c 'arm64_tests "$@"' bash "$@"
