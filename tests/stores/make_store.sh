#!/bin/bash
# Makes the small store of a commit's format and engine revision anew: format<F>-engine<E>.db and its .json, in this folder.
#
#     make_store.sh COMMIT [ATTO]
#
# Builds `atto` of that commit in a scratch worktree, or takes ATTO, a program built from it. Wants what `make setup` installs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: $0 COMMIT [ATTO]" >&2; exit 2; }
commit=$(git -C "$here" rev-parse --verify "$1^{commit}")
scratch=$(mktemp -d)
tree=$scratch/tree
clean_up() {
  [ ! -d "$tree" ] || git -C "$here" worktree remove --force "$tree"
  rm -rf "$scratch"
}
trap clean_up EXIT

# Bits depend neither on the optimization nor on the instruction set (docs/design.md), so the quickest build will do: -O1, and one
# instruction set. A build type that the old CMakeLists.txt does not know keeps out its -O2 and -O3.
build() {
  git -C "$here" worktree add --quiet --detach "$tree" "$commit"
  [ ! -f "$tree/scripts/build_web.sh" ] || "$tree/scripts/build_web.sh"
  cmake -S "$tree" -B "$tree/build/old" -G Ninja -DCMAKE_BUILD_TYPE=MinSizeRel -DCMAKE_CXX_FLAGS_MINSIZEREL="-O1 -DNDEBUG" \
    -DCMAKE_CXX_FLAGS=-DHWY_COMPILE_ONLY_STATIC -DCMAKE_COMPILE_WARNING_AS_ERROR=OFF --log-level=WARNING
  cmake --build "$tree/build/old" --target atto
}

if [ $# -eq 2 ]; then
  atto=$(realpath "$2")
else
  build >&2
  atto=$tree/build/old/atto
fi

# In the scratch folder, where `reproduce` may leave its report. SSE4 is the slowest, so there is time to stop a run.
cd "$scratch"
export ATTO_TARGET=sse4
"$atto" reproduce tiny --studies "$here" --store store.db --threads 1
# Stopped as by Ctrl-C, which keeps a checkpoint from format 2 on. How far it came depends on the machine.
if timeout --signal=INT 0.1 "$atto" run unfinished --studies "$here" --store store.db --threads 1; then
  echo "$0: the run ended before it was stopped" >&2
  exit 1
fi

# Small pages, as most tables hold a few rows; then back to the journal that the program uses.
python3 - store.db << 'PYTHON'
import sqlite3
import sys
store = sqlite3.connect(sys.argv[1], isolation_level=None)
for command in "journal_mode = DELETE", "page_size = 1024":
    store.execute("PRAGMA " + command)
store.execute("VACUUM")
store.execute("PRAGMA journal_mode = WAL")
store.close()
PYTHON

name=$(python3 - store.db << 'PYTHON'
import sqlite3
import sys
store = sqlite3.connect(sys.argv[1])
(form,), (engine,) = store.execute("PRAGMA user_version").fetchone(), store.execute("SELECT DISTINCT engine_revision FROM runs").fetchone()
print(f"format{form}-engine{engine}")
store.close()
PYTHON
)
cp store.db "$here/$name.db"
python3 "$here/expected.py" "$here/$name.db" > "$here/$name.json"
echo "made $name.db and $name.json with atto of $commit"
