#!/bin/bash
# Builds the playground: build/page/index.html, one file with the engine inside. Does again only what changed.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build_engine.sh
scripts/build_web.sh  # the packages of web/ come with it
web/node_modules/.bin/tsc --project web
node web/build_page.mjs build/page
size=$(stat --format=%s build/page/index.html)
packed=$(gzip -9 --stdout build/page/index.html | wc -c)
printf 'build/page/index.html: %.2f MB, %.2f MB compressed\n' "$((size / 10000))e-2" "$((packed / 10000))e-2"
