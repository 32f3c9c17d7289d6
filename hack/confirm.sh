# `confirm TARGET` asks for confirmation of the make target. It ends the script unless the answer is "yes" or YES=1 is set.
confirm() {
  [ "${YES:-}" != 1 ] || return 0
  if [ ! -t 0 ]; then
    echo "Nothing was deleted: there is no terminal to ask for confirmation. To confirm, run \`make $1 YES=1\`." >&2
    exit 1
  fi
  read -r -p 'Type "yes" to confirm: ' answer
  [ "$answer" = yes ] || { echo 'Nothing was deleted.' >&2; exit 1; }
}
