# GNU grep's own tests, with grep and everything else that they use inside the sandbox.
debian_source grep || exit
gnu_helpers
programs='grep'
for file in $(makefile_words "$source/tests/Makefile.am" TESTS); do
    gnu_test "tests/$file" tests "VERSION=3.8 PACKAGE_VERSION=3.8 GREP_TEST_NAME=$file PCRE_WORKS=1 built_programs='grep egrep fgrep'"
done
