# Asks before an irreversible action. For scripts behind make targets, which source it.

# confirm TARGET: returns when the answer is yes or YES=1 is set, else ends the script.
confirm() {
  [ "${YES:-}" != 1 ] || return 0
  if [ ! -t 0 ]; then
    echo "Not done: there is no terminal to ask at. Run \`make $1 YES=1\` to go ahead." >&2
    exit 1
  fi
  read -r -p 'Type "yes" to go ahead: ' answer
  [ "$answer" = yes ] || { echo 'Nothing was deleted.' >&2; exit 1; }
}
