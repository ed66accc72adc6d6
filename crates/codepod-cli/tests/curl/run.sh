# Runs the cases: `bash run.sh CASES RESULTS`. Each leaves its output, its complaints, its status and a directory.
H=http://api.test S=https://tls.test M=https://mtls.test N=http://files.test T=https://tls.files.test
n=0
while IFS= read -r line; do
    case $line in '' | '#'*) continue ;; esac
    n=$((n + 1))
    mkdir -p "$2/$n.files"
    (cd "$2/$n.files" && eval "$line") >"$2/$n.stdout" 2>"$2/$n.stderr" </dev/null
    echo $? >"$2/$n.status"
done <"$1"
