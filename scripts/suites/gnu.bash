# Sourced by ../suites.sh: how the suites of GNU are run, whose tests are scripts that end with 0, 77 for skipped, or anything else.

# Writes what the suites expect a build to have made: `get-mb-cur-max` tells which locales there are.
gnu_helpers() {
    mkdir -p "$source/helpers"
    cat > "$source/helpers/get-mb-cur-max" << 'EOF'
#!/bin/sh
case $1 in
    C | POSIX) echo 1 ;;
    tr_*) exit 1 ;;
    *.UTF-8 | *.utf8) echo 6 ;;
    *) exit 1 ;;
esac
EOF
    chmod +x "$source/helpers/get-mb-cur-max"
}

# Prints the words of the variable $2 of the makefile $1.
makefile_words() {
    awk -v name="$2" '$0 ~ "^" name "[ \t]*[+]?=" { on = 1; sub(/^[^=]*=/, "") }
        on { line = $0; sub(/\\$/, "", line); print line; if ($0 !~ /\\$/) on = 0 }' "$1" | tr -s ' \t' '\n' | grep .
}

# Runs the test $1 in the directory $2 of the suite with the environment after them.
gnu_test() {
    local file=$1 directory=$2
    test=$file
    case $file in
        *.pl) gnu_perl_test "$@" ;;
        *) inside 120 'directory=$1 file=$2; shift 2; cd "$root/$directory" || exit 99
            export LC_ALL=C AWK=awk abs_top_builddir=$root abs_top_srcdir=$root abs_srcdir=$root/$directory PERL=false \
                SHELL=/bin/bash PATH=$root/helpers:$PATH TMPDIR=/tmp srcdir=. top_srcdir=.. host_triplet=x86_64-pc-linux-gnu
            for value; do eval "export $value"; done
            bash "$root/$file" 9>&2' bash "$directory" "$file" "${@:3}" ;;
    esac
    case $? in
        0) verdict pass "$file" ;;
        77) verdict skip "$file" "$(grep -a -m 1 -o 'skipped test: .*' "$logs/${file//\//-}" | cut -c 15-)" ;;
        *) verdict fail "$file" ;;
    esac
}

# Runs a test written in Perl outside, with tools that call the sandbox.
gnu_perl_test() {
    local file=$1 directory=$2 wrappers program status
    wrappers=$(mktemp -d)
    if [ "$codepod" != real ]; then
        for program in $programs; do
            printf '#!/bin/sh\nexec "%s" exec --mount "%s:/suite:rw" --env "LC_ALL=$LC_ALL" --cwd "/suite${PWD#%s}" -- %s "$@"\n' \
                "$codepod" "$source" "$source" "$program" > "$wrappers/$program"
            chmod +x "$wrappers/$program"
        done
    fi
    (cd "$source/$directory" && export LC_ALL=C srcdir=. top_srcdir=.. abs_top_srcdir=$source abs_srcdir=$source/$directory
        for value in "${@:3}"; do eval "export $value"; done
        PATH=$wrappers:$PATH timeout 120 perl -w "-I$source/${file%/*}" -MCuSkip -MCoreutils "-MCuTmpdir qw(${file##*/})" "$source/$file"
    ) > "$logs/${test//\//-}" 2>&1 < /dev/null
    status=$?
    rm -rf "$wrappers"
    return $status
}
