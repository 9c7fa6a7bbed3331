#!/bin/sh
# The entry point of the container image. A server on SQLite that starts with an empty data folder makes an API key
# and prints it once; every later start finds the key in the database.
set -eu
if [ "${1:-}" = serve ] && [ -z "${TOWPATH_DATABASE:-}" ] && [ ! -e "$TOWPATH_DATA/towpath.db" ]; then
  echo "An API key for this new library. It is shown only now:"
  towpath keys create first
fi
exec towpath "$@"
