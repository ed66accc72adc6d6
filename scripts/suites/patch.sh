# GNU patch's own tests, with patch and everything else that they use inside the sandbox. The suite itself expects two to fail.
debian_source patch || exit
gnu_helpers
programs='patch'
expected_to_fail=$(makefile_words "$source/tests/Makefile.am" XFAIL_TESTS)
for file in $(makefile_words "$source/tests/Makefile.am" TESTS); do
    case " ${expected_to_fail//$'\n'/ } " in
        *" $file "*) verdict skip "tests/$file" "the suite expects it to fail" ;;
        *) gnu_test "tests/$file" tests "built_programs=patch" PATCH=/bin/patch ;;
    esac
done
