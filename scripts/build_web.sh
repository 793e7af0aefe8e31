#!/bin/bash
# Builds the browser's side of a report (web/) into build/web: report.js, report.css, licences.txt and page.html.
# CMake embeds them in atto.
# Does nothing when they are those of the present sources.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "$0: $1" >&2
  exit 1
}

hash_of() {
  sha256sum "$@" | sha256sum | cut -d ' ' -f 1
}

is_stamped() {  # FILE TEXT
  [ -f "$1" ] && [ "$(< "$1")" = "$2" ]
}

built=build/web
mapfile -t sources < <(find web -path web/node_modules -prune -o -type f -print | LC_ALL=C sort)
state=$(hash_of "${sources[@]}")
files=("$built"/{report.js,report.css,licences.txt,page.html})
if is_stamped "$built/stamp" "$state" && [ "$(ls "${files[@]}" 2> /dev/null | wc -l)" -eq ${#files[@]} ]; then
  exit 0
fi

command -v node > /dev/null && command -v npm > /dev/null ||
  fail "the report's page is built with Node 18 or newer and npm: run scripts/setup.sh build, or install them from nodejs.org"
version=$(node --print 'process.versions.node')
[ "${version%%.*}" -ge 18 ] || fail "the report's page is built with Node 18 or newer, and $(command -v node) is $version: install a newer one
from nodejs.org, before the older one on the PATH"
# A change of our own files does not need the network: the packages stay until their list changes.
packages=$(hash_of web/package.json web/package-lock.json)
if ! is_stamped web/node_modules/.stamp "$packages"; then
  # The bundler is a package of development, which NODE_ENV=production would leave out.
  npm ci --prefix web --include=dev --loglevel=error > /dev/null ||
    fail "npm could not install the packages of web/package-lock.json (above is what it says). It needs its registry once;
behind a proxy or with a mirror, set one: npm config set proxy URL, npm config set registry URL"
  echo "$packages" > web/node_modules/.stamp
fi

mkdir -p "$built"
rm -f "$built/stamp"
node web/build.mjs "$PWD/$built" || fail "the page of the report could not be bundled"
echo "$state" > "$built/stamp"
