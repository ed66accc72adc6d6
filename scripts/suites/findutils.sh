# GNU findutils' own shell tests, with find, xargs and everything else that they use inside the sandbox. Those for DejaGnu are not run.
debian_source findutils || exit
gnu_helpers
programs='find xargs'
for file in $(cd "$source" && ls tests/find/*.sh tests/xargs/*.sh tests/misc/*.sh); do
    gnu_test "$file" . "VERSION=4.9.0 PACKAGE_VERSION=4.9.0 top_srcdir=. built_programs='find xargs'"
done
