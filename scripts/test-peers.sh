#!/bin/sh
# Brings the real programs that tests talk to or run: Chromium, Redis, PgBouncer, Node and PHP, and
# from npm those that make the same identities as ours.
# Debian's packages as root; elsewhere Playwright's own Chromium, and clear words for the rest.
set -eu

python=$1
missing=''
need() { # need <debian package> <program>...
    package=$1
    shift
    for program; do
        if command -v "$program" >/dev/null 2>&1 || [ -x "/usr/sbin/$program" ]; then
            return 0
        fi
    done
    missing="$missing $package"
}
look() {
    missing=''
    need redis-server redis-server
    need pgbouncer pgbouncer
    need chromium chromium chromium-browser google-chrome
    need nodejs node nodejs
    need php-cli php
}

"$python" -c 'from bench.node import install; install("identity")'

look
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing for the tests:$missing"
    # The packages would start services of their own; the tests start theirs.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
        trap 'rm -f "$policy"' EXIT
    fi
    # shellcheck disable=SC2086 # a list of packages
    sh "$(dirname "$0")/apt.sh" $missing || true # what is missing still is told below
    look
fi

case $missing in
*chromium*)
    echo "Fetching Chromium through Playwright"
    if "$python" -m playwright install chromium; then
        missing=$(echo "$missing" | sed 's/ chromium//')
    fi
    ;;
esac

if [ -n "$missing" ]; then
    echo "The tests need these programs, and they could not be installed from here:$missing" >&2
    echo "On Debian or Ubuntu: sudo apt-get install$missing" >&2
    echo "On macOS: brew install redis pgbouncer node php, and Chromium from its own site" >&2
    exit 1
fi
