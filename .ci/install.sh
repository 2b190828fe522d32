# Sourced by the lanes: installs programs of Debian that tests need and npm does not bring.

# Some packages would start services of the system too; Debian's policy-rc.d forbids that.
install_packages() {
  local policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap "rm -f $policy" EXIT
    printf '#!/bin/sh\nexit 101\n' > "$policy" && chmod 755 "$policy"
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -qq --yes --no-install-recommends "$@" > /dev/null
}

# Usage: install_unless_there PROGRAM_OR_FILE PACKAGE...
install_unless_there() {
  local program_or_file=$1
  shift
  if ! command -v "$program_or_file" > /dev/null && [ ! -e "$program_or_file" ] && command -v apt-get > /dev/null; then
    (install_packages "$@") || echo "$* could not be installed: the tests that need it are skipped." >&2
  fi
}
