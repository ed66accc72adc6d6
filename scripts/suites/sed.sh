# GNU sed's own tests, with sed and everything else that they use inside the sandbox.
debian_source sed || exit
gnu_helpers
programs='sed'
# One test calls the program by its place in a build.
printf '#!/bin/sh\nexec /bin/sed "$@"\n' > "$source/sed/sed"
chmod +x "$source/sed/sed"
for file in $(makefile_words "$source/testsuite/local.mk" T); do
    gnu_test "$file" . "VERSION=4.9 PACKAGE_VERSION=4.9 SED_TEST_NAME=${file##*/} CONFIG_HEADER=/dev/null top_srcdir=. built_programs=sed"
done
