# Sourced by ../interoperation.sh: what diff makes, patch takes: ours and the real ones crosswise.
mkdir -p old/sub
seq 1 300 > old/numbers
printf 'one\ntwo\nno end' > old/sub/unended
printf 'gone\n' > old/gone
printf 'h\303\251llo\nw\303\266rld\n' > 'old/a name with blanks'
cp -r old new
sed -i -e '3d' -e '100s/$/ changed/' -e '200a more' new/numbers
printf 'one\n2\nno end at all' > new/sub/unended
rm new/gone
printf 'new\n' > new/sub/made
printf 'hello\nw\303\266rld\n' > 'new/a name with blanks'
chmod -R a+rwX old new

for form in -u -c -U0 '-U10 -p' --normal --ed; do
    name=${form//[ -]/}
    case $form in
        --normal) of=numbers options='' ;;
        --ed) of=numbers options=-e ;;
        *) of='' options=$form ;;
    esac
    if [ -n "$of" ]; then
        diff $options old/numbers new/numbers > "out.$name" || true
        inside "diff $options old/numbers new/numbers > in.$name"
        apply="cp old/numbers taken && patch -s taken"
        compare='cmp taken new/numbers'
    else
        diff -rN $options old new > "out.$name" || true
        inside "diff -rN $options old new > in.$name"
        apply='rm -rf taken && cp -r old taken && cd taken && patch -s -p1'
        compare='diff -r taken new'
    fi || true
    check "diff $form is the same" cmp <(sed -E '/^(---|\+\+\+|\*\*\*) /s/\t.*//' "in.$name") <(sed -E '/^(---|\+\+\+|\*\*\*) /s/\t.*//' "out.$name")
    [ "$form" != --ed ] || continue
    check "diff $form from inside, patch outside" bash -c "($apply < '$work/in.$name') && $compare"
    rm -rf taken
    inside "$apply < '/mnt/out.$name'" || true
    check "diff $form from outside, patch inside" bash -c "$compare"
    rm -rf taken
done
