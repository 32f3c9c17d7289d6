# Asks before an irreversible action. For scripts behind make targets, which source it.

# confirm TARGET: returns when the answer is yes or YES=1 is set, else ends the script.
confirm() {
  [ "${YES:-}" != 1 ] || return 0
  if [ ! -t 0 ]; then
    echo "Nothing was deleted: there is no terminal to ask for confirmation. To confirm, run \`make $1 YES=1\`." >&2
    exit 1
  fi
  read -r -p 'Type "yes" to confirm: ' answer
  [ "$answer" = yes ] || { echo 'Nothing was deleted.' >&2; exit 1; }
}
