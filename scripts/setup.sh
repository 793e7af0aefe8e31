#!/bin/bash
# Installs the Debian packages of the named groups (scripts/packages.txt) that are not there yet.
# usage: scripts/setup.sh GROUP...    groups: the first column there
set -euo pipefail

list="$(dirname "$0")/packages.txt"
if [ $# -eq 0 ]; then
  echo "usage: $0 GROUP...   groups: $(awk '/^[a-z]/ {print $1}' "$list" | sort -u | xargs)" >&2
  exit 2
fi

wanted=()
for group in "$@"; do
  if ! grep -q "^$group " "$list"; then
    echo "$0: no group '$group' in $list" >&2
    exit 2
  fi
  while read -r package command; do
    if [ -z "$command" ] || ! command -v "$command" > /dev/null; then
      wanted+=("$package")
    fi
  done < <(awk -v group="$group" '$1 == group {print $2, $3}' "$list")
done

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  echo "not a Debian system: nothing installed; the build needs what these packages hold: ${wanted[*]}" >&2
  exit 0
fi

# dpkg-query fails when one name is unknown, yet still prints the others.
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2> /dev/null || true)
missing=()
for package in "${wanted[@]}"; do
  case $'\n'"$installed"$'\n' in
    *$'\n'"installed $package"$'\n'*) ;;
    *) missing+=("$package") ;;
  esac
done
[ ${#missing[@]} -eq 0 ] && exit 0

install="apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 ${missing[*]}"
if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo > /dev/null && { sudo -n true 2> /dev/null || [ -t 0 ]; }; then
  as_root=(sudo)
else
  command -v sudo > /dev/null && become="sudo sh -c" || become="su -c"
  echo "$become 'apt-get update && apt-get install -y --no-install-recommends ${missing[*]}'  # needs root; then run make again"
  exit 1
fi

echo "installing ${missing[*]}" >&2
# A mirror that is down now may not matter, as the lists may be there already: the installation decides.
"${as_root[@]}" apt-get update -qq >&2 || echo "apt-get update failed; trying with the package lists there are" >&2
# shellcheck disable=SC2086  # the words of $install are meant to be split
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive $install >&2
