#!/bin/bash
# Unpacks Debian's arm64 libraries into build/arm/sysroot, for the cross compiler and qemu. apt reads the lists of that
# architecture into a folder of its own, so nothing of this machine changes, and no library has to stand beside its twin.
set -euo pipefail
cd "$(dirname "$0")/.."

# The libraries that the build and the tests link or include (scripts/packages.txt), and those of the compiler.
mapfile -t packages < <(awk '$1 ~ /^(build|test)$/ && $2 ~ /-dev$/ && $2 != "python3-dev" {print $2}' scripts/packages.txt)
packages+=(libstdc++-12-dev)
folder=$PWD/build/arm
stamp="$folder/sysroot/made-from"
[ "$(cat "$stamp" 2> /dev/null)" != "${packages[*]}" ] || exit 0

rm -rf "$folder/sysroot" "$folder/apt"
mkdir -p "$folder/sysroot" "$folder"/apt/{state/lists/partial,cache/archives/partial}
touch "$folder/apt/state/status"  # nothing is installed there, so all that these packages need comes along
cat > "$folder/apt/apt.conf" << CONF
APT::Architecture "arm64";
APT::Architectures "arm64";
APT::Sandbox::User "$(id -un)";
Dir::State "$folder/apt/state";
Dir::State::status "$folder/apt/state/status";
Dir::Cache "$folder/apt/cache";
CONF
export APT_CONFIG="$folder/apt/apt.conf"
echo "fetching Debian's arm64 libraries into build/arm" >&2
apt-get update -qq >&2 || echo "apt-get update failed; trying with the package lists there are" >&2
apt-get install -y -qq --no-install-recommends --download-only "${packages[@]}" > /dev/null
for package in "$folder"/apt/cache/archives/*.deb; do
  dpkg-deb --extract "$package" "$folder/sysroot"
done
rm -rf "$folder/apt"
# Absolute links would lead out of the folder.
find "$folder/sysroot" -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
  ln -sfr "$folder/sysroot$target" "$link"
done
echo "${packages[*]}" > "$stamp"
