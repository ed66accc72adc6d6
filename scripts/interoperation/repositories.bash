# Sourced by ../interoperation.sh: repositories made by our git are sound for the real one, and the other way round.

# What a repository says about itself; both gits have to agree on it to the letter.
summary='git log --all --graph --oneline --decorate | cat
git log --format="%H %P %an %ae %at %s" main
git log --stat --follow --format=%s -- sub/moved
git status --short --branch
git branch -a -v
git tag -n
git show --stat v1 | cat
git ls-tree -r -t HEAD
git rev-parse HEAD HEAD~1 main^{tree} v1^{commit}
git diff HEAD~2 HEAD
git blame -s file
git stash list
git config --get user.name'

# A history with a merge, a rename, a mode, a link, a binary file, tags, a stash and a conflict that was settled.
history='set -e
git init -q -b main .
git config user.name Maker; git config user.email maker@example.com
commit() { count=$((${count:-0} + 1)); GIT_AUTHOR_DATE="$((1700000000 + count * 60)) +0100" GIT_COMMITTER_DATE="$((1700000000 + count * 60)) +0100" git commit -q "$@"; }
mkdir -p sub/deep; seq 1 50 > file; seq 1 40 > sub/plain; printf "\\0\\1\\2\\377" > binary; printf "#!/bin/sh\necho hi\n" > run; chmod +x run
ln -s file link; printf "caf\\303\\251\n" > "sub/deep/n\303\244me with blanks"
git add .; commit -m "first"
git mv sub/plain sub/moved; echo more >> sub/moved; git add .; commit -m "moved"
git tag light; GIT_COMMITTER_DATE="1700001000 +0000" git tag -a -m "the first release" v1
git checkout -q -b side; sed -i "5s/.*/side/" file; echo side > only-side; git add .; commit -m "on the side"
git checkout -q main; sed -i "45s/.*/main/" file; rm binary; git add -A; commit -m "on main"
GIT_AUTHOR_DATE="1700002000 +0000" GIT_COMMITTER_DATE="1700002000 +0000" git merge -q -m "both" side
git branch other HEAD~1
echo unfinished >> file; GIT_AUTHOR_DATE="1700003000 +0000" GIT_COMMITTER_DATE="1700003000 +0000" git stash -q'

mkdir -m 777 ours theirs
inside "cd ours; $history"
check 'repository from inside: fsck' git -C ours fsck --strict --no-dangling
check 'repository from inside: clean' same '' "$(git -C ours status --porcelain)"
(cd theirs && bash -c "$history")
check 'both gits make the same commits' same "$(git -C theirs rev-parse main side other light v1)" "$(git -C ours rev-parse main side other light v1)"
chmod -R a+rwX theirs
check 'repository from inside: read outside' same "$(cd ours && inside "cd ours; $summary")" "$(cd ours && bash -c "$summary")"
check 'repository from inside: checkout outside' bash -c 'cd ours && git checkout -q side && [ -f only-side ] && git checkout -q v1 && [ -x run ] && git checkout -q main'
check 'repository from inside: clone outside' bash -c 'git clone -q ours copy && diff -r --exclude=.git ours copy'
check 'repository from inside: repacked' bash -c 'cd ours && git stash pop -q && git checkout -q file && git repack -adq && git fsck --strict --no-dangling'

git -C theirs gc -q
check 'repository from outside: packed' bash -c 'ls theirs/.git/objects/pack/*.pack && [ -f theirs/.git/packed-refs ]'
chmod -R a+rwX theirs
check 'repository from outside: read inside' same "$(cd theirs && bash -c "$summary")" "$(inside "cd theirs; $summary")"
check 'repository from outside: work inside' inside 'set -e; cd theirs; git checkout -q side; [ -f only-side ]; git checkout -q -b inner main
    git stash pop -q; grep -q unfinished file; git commit -qam "from inside"; git tag -a -m two v2; git merge -q --no-edit other
    git mv run sub/run; git commit -qm "moved run"; git worktree add -q ../tree side; git branch -D -q light-side 2> /dev/null || true'
check 'repository from outside: sound behind it' git -C theirs fsck --strict --no-dangling
check 'repository from outside: history behind it' same $'moved run\nfrom inside' "$(git -C theirs log --format=%s -2 inner)"
check 'repository from outside: clean behind it' same '' "$(git -C theirs status --porcelain)"
check 'a rename from inside is one' same 'R100	run	sub/run' "$(git -C theirs show --format= --name-status -M inner | cat)"
sed -i 's|^gitdir: /mnt|gitdir: '"$work"'|' tree/.git
check 'a worktree from inside' same $'side\n' "$(git -C tree rev-parse --abbrev-ref HEAD; git -C tree status --porcelain)
"
git -C theirs diff inner~2 inner > inner.patch
check 'a diff of git applied inside' inside 'set -e; git clone -q theirs applied; cd applied; git checkout -q inner~2; git apply ../inner.patch
    grep -q unfinished file; [ -f sub/run ]'
inside 'cd theirs; git diff main inner > ../inner.diff'
check 'a diff of git applied outside' bash -c 'git clone -q -b main theirs taken 2> /dev/null && cd taken && git apply ../inner.diff && grep -q unfinished file && [ -f sub/run ]'
