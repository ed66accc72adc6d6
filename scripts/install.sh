#!/bin/sh
# Installs codepod: the program, its completions, its manual pages, and parts.
#
#   install.sh [--prefix DIRECTORY] [--parts NAMES] FROM
#
# FROM is a directory, or an address (https://…), that has the archives of a release and their
# SHA256SUMS. Nothing is fetched from anywhere else. PREFIX, or --prefix, is where it goes; without
# one that is ~/.local. The digests protect against damage; that FROM is the right place is yours
# to know.
#
# --parts says which parts come with the program: names with commas between, `all` or `none`.
# Without it those that lie in a directory FROM do, and from an address none, because they are
# larger than the program.
set -eu

fail() {
    echo "error: $1" >&2
    echo "hint: $2" >&2
    exit "${3:-1}"
}

usage="install.sh [--prefix DIRECTORY] [--parts NAMES|all|none] FROM, where FROM has the archives and SHA256SUMS of a release"
prefix=${PREFIX:-}
parts=
from=
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ $# -gt 1 ] || fail "\`--prefix\` needs a directory" "$usage" 2
            prefix=$2
            shift
            ;;
        --prefix=*) prefix=${1#*=} ;;
        --parts)
            [ $# -gt 1 ] || fail "\`--parts\` needs names" "$usage" 2
            parts=$2
            shift
            ;;
        --parts=*) parts=${1#*=} ;;
        -h | --help)
            echo "usage: $usage"
            exit 0
            ;;
        -*) fail "there is no option \`$1\`" "$usage" 2 ;;
        *)
            [ -z "$from" ] || fail "\`$1\` is a second place to install from" "$usage" 2
            from=$1
            ;;
    esac
    shift
done
[ -n "$from" ] || fail "it is not said where to install from" "$usage" 2
if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || fail "there is no home directory" "say where with --prefix DIRECTORY"
    prefix=$HOME/.local
fi
case $prefix in
    /*) ;;
    *) prefix=$(pwd)/$prefix ;;
esac

# The names of archives that run here, the best first. A static program runs with any C library.
platforms() {
    case $(uname -m) in
        x86_64 | amd64) processor=x64 ;;
        aarch64 | arm64) processor=arm64 ;;
        *) return ;;
    esac
    case $(uname -s) in
        Linux)
            # Where glibc is missing, only the static program starts.
            for loader in /lib64/ld-linux-*.so.? /lib/ld-linux-*.so.?; do
                if [ -e "$loader" ]; then
                    echo "linux-$processor"
                    break
                fi
            done
            echo "linux-$processor-musl"
            ;;
        Darwin) echo "darwin-$processor" ;;
    esac
}

# Puts a file of the release into a place.
bring() {
    case $from in
        https://* | http://localhost[:/]* | http://127.0.0.1[:/]*)
            # Not wget: some do not look at certificates, or follow to http.
            command -v curl >/dev/null 2>&1 || fail "there is no curl" \
                "install it, or download the files and name their directory"
            curl --fail --silent --show-error --location --proto-redir '=https' \
                --output "$2" "${from%/}/$1"
            ;;
        *://*)
            fail "\`$from\` is not an address that is safe to install from" \
                "use https://, or download the files and name their directory"
            ;;
        *) cp "$from/$1" "$2" ;;
    esac
}

# Puts a file of the release into a place, and compares it with the digest of the release.
bring_checked() {
    bring "$1" "$2" ||
        fail "\`$1\` cannot be had from \`$from\`" "try again, or download it by hand"
    wanted=$(grep -F "  $1" "$work/SHA256SUMS" | cut -c 1-64)
    is=$(digest "$2" | cut -c 1-64)
    [ "$is" = "$wanted" ] || fail "\`$1\` is damaged: its SHA-256 is ${is:-unknown}, not $wanted" \
        "download it again; if that does not help, do not use this place"
}

digest() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum <"$1"
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 <"$1"
    else
        fail "there is neither sha256sum nor shasum" "install one of them: nothing is installed unchecked"
    fi
}

work=$(mktemp -d) || fail "no temporary directory can be made" "set TMPDIR to one that you may write to"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

bring SHA256SUMS "$work/SHA256SUMS" ||
    fail "\`$from\` has no SHA256SUMS" "name the directory or address of a release"
found=$(platforms)
[ -n "$found" ] || fail "there is no codepod for $(uname -s) on $(uname -m)" \
    "build it from source: CONTRIBUTING.md says how"
archive=
names=
for platform in $found; do
    names="${names:+$names or }$platform"
    # A line is a digest, two spaces and a name without directories.
    archive=$(sed -n "s/^[0-9a-f]\{64\}  \(codepod-[0-9][0-9A-Za-z.+-]*-$platform\.tar\.xz\)\$/\1/p" \
        "$work/SHA256SUMS")
    [ -z "$archive" ] || break
done
case $archive in
    '') fail "the release has no archive for $names" \
        "name another release, or build it from source: CONTRIBUTING.md says how" ;;
    *'
'*) fail "there are several releases in \`$from\`" "name a directory with one" ;;
esac

bring_checked "$archive" "$work/archive"

# From here on no word is a pattern for files.
set -f
# The names of the release's parts for this platform. A part does not depend on the C library.
of_parts=${platform%-musl}
known=$(sed -n "s/^[0-9a-f]\{64\}  \([a-z][a-z0-9]*\)-[0-9][0-9A-Za-z.+]*-$of_parts\.part\.zst\$/\1/p" \
    "$work/SHA256SUMS")
part_file() {
    sed -n "s/^[0-9a-f]\{64\}  \($1-[0-9][0-9A-Za-z.+]*-$of_parts\.part\.zst\)\$/\1/p" "$work/SHA256SUMS"
}
case $parts in
    none) chosen= ;;
    all) chosen=$known ;;
    '')
        chosen=
        for part in $known; do
            [ ! -f "$from/$(part_file "$part")" ] || chosen="$chosen $part"
        done
        ;;
    *)
        chosen=$(echo "$parts" | tr ',' ' ')
        for part in $chosen; do
            case " $(echo $known) " in
                *" $part "*) ;;
                *) fail "the release has no part \`$part\` for $of_parts" \
                    "it has: $(echo ${known:-none})" ;;
            esac
        done
        ;;
esac
mkdir "$work/tree" "$work/parts"
for part in $chosen; do
    bring_checked "$(part_file "$part")" "$work/parts/$part.part.zst"
done

tar -xJf "$work/archive" -C "$work/tree" ||
    fail "\`$archive\` cannot be unpacked" "install tar and xz"
tree=$work/tree/${archive%.tar.xz}
[ -f "$tree/bin/codepod" ] || fail "\`$archive\` has no program" "name the directory or address of a release"
"$tree/bin/codepod" --version >/dev/null ||
    fail "the program for $platform does not start here" \
        "the message above says why; an old glibc needs the archive whose name ends in -musl"

no_place="give another place with --prefix DIRECTORY, or become somebody who may write there"
mkdir -p "$prefix/bin" "$prefix/share" || fail "\`$prefix\` cannot be written to" "$no_place"
# In one step, so that a program that runs goes on.
exchange() {
    cp "$tree/bin/codepod" "$1" && chmod 755 "$1" && mv -f "$1" "$prefix/bin/codepod"
}
if ! exchange "$prefix/bin/.codepod.$$"; then
    rm -f "$prefix/bin/.codepod.$$"
    fail "\`$prefix/bin/codepod\` cannot be written" "$no_place"
fi
cp -R "$tree/share/." "$prefix/share/" || fail "\`$prefix/share\` cannot be written to" "$no_place"
# Where the program looks for parts; those of another release are of no use to it.
lib=$prefix/lib/codepod
for part in $known; do
    rm -f "$lib/$part.part.zst" "$lib/$part.part" || fail "\`$lib\` cannot be written to" "$no_place"
done
for part in $chosen; do
    mkdir -p "$lib" && cp "$work/parts/$part.part.zst" "$lib/" ||
        fail "\`$lib\` cannot be written to" "$no_place"
done

echo "installed $("$prefix/bin/codepod" --version) in $prefix/bin/codepod"
[ -z "$chosen" ] || echo "with the parts in $lib:" $chosen
missing=
for part in $known; do
    case " $(echo $chosen) " in *" $part "*) ;; *) missing="${missing:+$missing,}$part" ;; esac
done
[ -z "$missing" ] || echo "not installed: $missing (\`--parts all\` brings every part)"
case :$PATH: in
    *":$prefix/bin:"*) echo "try it: codepod run 'echo hi'" ;;
    *) echo "add $prefix/bin to PATH, or try it: $prefix/bin/codepod run 'echo hi'" ;;
esac
