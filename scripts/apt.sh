#!/bin/sh
# Installs Debian's packages as root, and waits while somebody else installs. Fails elsewhere.
set -eu

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
get() {
    apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends "$@" >/dev/null
}

# The lists at hand may do, and new ones take a while. Whether new ones came shows in the end.
get "$@" 2>/dev/null && exit 0
apt-get update -qq || true
get "$@"
