#!/bin/sh
# Pin requirements/*.in into requirements/*.lock, with hashes, for every Python from 3.11 on.
# pyright.lock is written by hand: it pins one file. usage: lock.sh   (called by `make lock`)
set -eu
cd "${0%/*}/.."
tools=.build/venv-lock
[ -x $tools/bin/uv ] || { "${PYTHON:-python3}" -m venv $tools && $tools/bin/pip install -q uv==0.13.8; }
for source in requirements/*.in; do
    also=
    # The laboratory says what it needs in its own pyproject.toml; it is not said twice.
    [ "$source" = requirements/lab.in ] && also='lab/pyproject.toml --extra replay'
    # shellcheck disable=SC2086 # words are wanted
    $tools/bin/uv pip compile --quiet --universal --python-version 3.11 --only-binary :all: \
        --generate-hashes --upgrade --no-header --no-annotate --no-emit-index-url \
        --no-emit-find-links --output-file "${source%.in}.lock" "$source" $also
    # pip reads which packages have no wheel from the lock file.
    { grep '^--no-binary' "$source" || :; cat "${source%.in}.lock"; } >$tools/lock
    mv $tools/lock "${source%.in}.lock"
    echo "${source%.in}.lock"
done
