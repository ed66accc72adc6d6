# curl's own tests of HTTP: those that start the program and need no server but its server of HTTP. That server and the
# judge run outside; each `curl` is one of a sandbox, which may reach the server by a name. The rule is for tcp, so that
# curl is judged by its own bytes; with RULE=http the gateway stands between, which writes heads anew.
archive=$(ls -d "${cache%/suites}"/sources/curl-* 2> /dev/null | head -n 1)
[ -n "$archive" ] || { echo "curl: its sources come with the guests: run \`cargo xtask guests\`" >&2; exit 1; }
build=$cache/sources/curl
if [ ! -x "$build/tests/server/servers" ]; then
    rm -rf "$build"
    cp -a "$archive" "$build"
    # What the machine's own build lacks is found out by the tests; TLS is none of theirs.
    (cd "$build" && ./configure -q --disable-shared --without-ssl --without-libpsl --disable-ldap --without-brotli \
        --without-zstd --disable-docs && make -s -C lib && make -s -C src curl curlinfo \
        && make -s -C tests/server) > "$logs/build" 2>&1 || { echo "curl: see $logs/build" >&2; exit 1; }
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -a "$build" "$work/curl"
cd "$work/curl/tests" || exit
command=(./runtests.pl -a -am -n)
if [ "$codepod" != real ]; then
    # Inside, 127.0.0.1 is the sandbox itself.
    sed -i 's/%HOSTIP\b\|\b127\.0\.0\.1\b/host.test/g' data/test*[0-9]
    variables=$(perl -0ne 'print "$1\n" while /<setenv>(.*?)<\/setenv>/sg' data/test*[0-9] | grep -o '^[A-Za-z_][A-Za-z0-9_]*' | sort -u)
    cat > "$work/curl-inside" << WRAPPER
#!/bin/bash
environment=()
for name in ${variables//$'\n'/ }; do
    [ "\$name" = HOME ] || [ -z "\${!name+set}" ] || environment+=(--env "\$name=\${!name}")
done
# A test's directory is no home of codepod's own.
home=\$HOME
export HOME=$HOME
exec "$codepod" exec --timeout 60 --mount "$work:$work:rw" --cwd "\$PWD" "\${environment[@]}" \
    --env "HOME=\$home" --allow-host '${RULE:-tcp}://host.test:*' --resolve host.test=127.0.0.1 -- curl "\$@"
WRAPPER
    chmod +x "$work/curl-inside"
    command+=(-c "$work/curl-inside" -vc "$work/curl/src/curl" -ac "$work/curl/src/curl")
fi
for file in data/test*[0-9]; do
    grep -q '<tool' "$file" || perl -0ne '/<server>(.*?)<\/server>/s or exit 1; my %all = map { $_ => 1 } split " ", $1;
        delete $all{none}; delete $all{file}; exit !(keys %all == 1 && $all{http})' "$file" || continue
    echo "${file##*/test}"
done | sort -n > "$work/numbers"
# shellcheck disable=SC2046
"${command[@]}" $(cat "$work/numbers") > "$logs/all" 2>&1
while IFS=' :' read -r word number name; do
    case $word in
        PASS) verdict pass "$number" ;;
        FAIL) verdict fail "$number" "${name#- }" ;;
        SKIP) verdict skip "$number" "${name#- }" ;;
    esac
done < <(grep -a -E '^(PASS|FAIL|SKIP): [0-9]+' "$logs/all")
