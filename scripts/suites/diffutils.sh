# GNU diffutils' own tests, with diff, cmp and everything else that they use inside the sandbox.
debian_source diffutils || exit
gnu_helpers
programs='diff cmp'
for file in $(makefile_words "$source/tests/Makefile.am" TESTS); do
    gnu_test "tests/$file" tests "VERSION=3.8 PACKAGE_VERSION=3.8 DIFFUTILS_TEST_NAME=$file PREFERABLY_POSIX_SHELL=/bin/sh built_programs='cmp diff'"
done
