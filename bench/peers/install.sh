#!/bin/bash
# Installs JAX from PyPI into environments of their own: the current one, and 0.4.31, the last before XLA's CPU runtime was
# replaced by one that is slower on many small models. What does not install is left out, and said so.
# usage: bench/peers/install.sh FOLDER
set -euo pipefail

folder="$1"
mkdir -p "$folder"

# name of the environment, what pip is asked for
environment() {
  local place="$folder/$1"
  [ -e "$place/installed" ] && return
  rm -rf "$place"
  echo "installing $2 into $place" >&2
  if /usr/bin/python3 -m venv "$place" && "$place/bin/pip" install --quiet --disable-pip-version-check "$2"; then
    touch "$place/installed"
  else
    rm -rf "$place"
    echo "$2 did not install: the comparison goes on without it" >&2
  fi
}

environment jax jax
environment jax-0.4.31 "jax[cpu]==0.4.31"
