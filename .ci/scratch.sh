# What the checks of this folder begin with (they source it): a clean copy of the last commit in a
# scratch folder that goes away in the end. Needs bash, git, python3 and a C compiler.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
step() { printf '\n=== %3ds  %s\n' "$SECONDS" "$1"; }
repository() { git -c safe.directory='*' "$@"; }
quietly() { "$@" >"$scratch/log" 2>&1 || { tail -n 60 "$scratch/log"; exit 1; }; }

step "a clean copy of $(repository log -1 --format='%h %s')"
[ -z "$(repository status --porcelain)" ] || echo "(what is not committed is not checked)"
root=$PWD
mkdir "$scratch/tree"
repository archive HEAD | tar -x -C "$scratch/tree"
cd "$scratch/tree"
