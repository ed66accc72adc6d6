# jq's own tests: files of programs that jq reads itself, and scripts. Debian's newer source package has the jq that ours is built from.
debian_source jq trixie || exit
printf '#!/bin/sh\nexec /bin/jq "$@"\n' > "$source/jq"
chmod +x "$source/jq"
for file in jq man manonig onig optional base64; do
    test=$file.test
    inside 300 'PAGER=less TZ=UTC jq -L tests/modules --run-tests "tests/$1"' bash "$test"
    read -r passed _ total _ < <(grep -aE '^[0-9]+ of [0-9]+ tests passed' "$logs/$test")
    for ((number = 1; number <= ${total:-1}; number++)); do
        if [ "$number" -le "${passed:-0}" ]; then verdict pass "$test"; else verdict fail "$test"; fi
    done
done
for test in shtest utf8test; do
    if inside 300 'bash "tests/$1"' bash "$test"; then verdict pass "$test"; else verdict fail "$test"; fi
done
