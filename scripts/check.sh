#!/bin/sh
# Runs every check, whatever the others say, and names those that failed.
set -u

bin=$1
sources='rensai tests bench scripts'
failed=''
check() { # check <name> <command>...
    name=$1
    shift
    echo "== $name"
    "$@" || failed="$failed, $name"
}

# shellcheck disable=SC2086 # a list of folders
check 'format' "$bin/ruff" format --check --quiet $sources
# shellcheck disable=SC2086
check 'lint' "$bin/ruff" check --quiet --output-format concise $sources
check 'types' "$bin/basedpyright"
check 'floors and rooms' "$bin/lint-imports"
check 'architecture' "$bin/pytest" tests/architecture -n 0
# A timeout would leave what runs without a transaction half done; it holds up no reader or writer.
loose=$(grep -l '^-- rensai: no transaction' rensai/migrations/*.sql)
# shellcheck disable=SC2046
check 'migrations' "$bin/squawk" $(grep -L '^-- rensai: no transaction' rensai/migrations/*.sql)
# shellcheck disable=SC2086
check 'migrations without a transaction' "$bin/squawk" --no-assume-in-transaction \
    --exclude require-lock-timeout,require-statement-timeout $loose
check 'known vulnerabilities' "$bin/python" scripts/audit.py requirements.lock requirements-dev.lock

if [ -n "$failed" ]; then
    echo "FAILED: ${failed#, }" >&2
    exit 1
fi
