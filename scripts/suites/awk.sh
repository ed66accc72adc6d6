# The one true awk's own tests. Ours speaks gawk's language, so real gawk is asked, too: a script T.* passes if it says BAD no
# oftener than with gawk, a program t.* or p.* if it prints what gawk prints, a bug once fixed (*.awk) as upstream or as gawk.
debian_source original-awk || exit
# What a build would have made: a program that prints its arguments, and awk.
printf '#!/bin/sh\nprintf "%%s\\n" "$*"\n' > "$source/testdir/echo"
printf '#!/bin/sh\nexec ${AWK:-awk} "$@"\n' > "$source/a.out"
chmod +x "$source/testdir/echo" "$source/a.out"

# Does as `inside`, with real gawk.
with_gawk() {
    (codepod=real; export AWK=gawk; inside "$@")
}

for file in $(cd "$source/testdir" && ls T.*); do
    script='cd testdir && export PATH=$PATH:. && { bash "./$1" 2>&1; true; }'
    test=$file.gawk
    with_gawk 120 "$script" bash "$file"
    test=$file
    if inside 120 "$script" bash "$file" \
        && [ -z "$(comm -13 <(grep -a BAD "$logs/$file.gawk" | sort -u) <(grep -a BAD "$logs/$file" | sort -u))" ]; then
        verdict pass "$file"
    else
        verdict fail "$file"
    fi
done

# All programs in one go, inside and with the real awk, their output compared file by file.
compare() {
    local data=$1 expected file script
    test=programs-$data
    shift
    script='cd testdir && data=$1 && shift && for file; do
        ../a.out -f "$file" $data > out 2> err < /dev/null
        printf "== %s %s\n" "$file" "$?"
        cat out
    done'
    inside 300 "$script" bash "$data" "$@"
    expected=$logs/$test.gawk
    test=$test.gawk with_gawk 300 "$script" bash "$data" "$@"
    for file; do
        if cmp -s <(part "$file" "$logs/$test") <(part "$file" "$expected"); then
            verdict pass "$file"
        else
            verdict fail "$file"
            diff -a <(part "$file" "$expected") <(part "$file" "$logs/$test") > "$logs/$file"
        fi
    done
}

# Prints what the file $2 has under the heading of the program $1.
part() {
    awk -v name="$1" '/^== [a-z]/ { on = ($2 == name) } on' "$2"
}

cd "$source/testdir" || exit
compare test.data t.*
compare 'test.countries test.countries' p.? p.??*

cd "$source/bugs-fixed" || exit
for file in *.awk; do
    script='cd bugs-fixed && name=${1%.awk}
        if [ -f "$name.in" ]; then ../a.out -f "$1" "$name.in"; else ../a.out -f "$1"; fi 2>&1 < /dev/null'
    test=$file.gawk
    with_gawk 60 "$script" bash "$file"
    test=$file
    inside 60 "$script" bash "$file"
    if cmp -s "$logs/$file" "${file%.awk}.ok" || cmp -s "$logs/$file" <(sed 's/^gawk: /awk: /' "$logs/$file.gawk"); then
        verdict pass "$file"
    else
        verdict fail "$file"
    fi
done
