# The store, by the JSON API of Google Cloud Storage with this node's own token. The token is in a file that root alone
# reads and reaches curl by that file: a command line can be read by every process.

readonly STORAGE=${STP_GCS_ENDPOINT:-https://storage.googleapis.com}
readonly TOKEN_SECONDS_LEAST=300

# Leaves the header with a token that holds for some minutes yet.
refresh_token() {
  local answer left
  if [ -s "$PRIVATE/authorization" ] && [ "$(date +%s)" -lt "$(cat "$PRIVATE/authorization-until")" ]; then return; fi
  answer=$(metadata instance/service-accounts/default/token) || die 'the metadata server gives no token: the node has no service account'
  [[ "$answer" =~ \"access_token\"[[:space:]]*:[[:space:]]*\"([^\"]+)\" ]] || die 'the metadata server gave a token that cannot be read'
  (umask 077 && printf 'Authorization: Bearer %s\n' "${BASH_REMATCH[1]}" >"$PRIVATE/authorization")
  left=0
  if [[ "$answer" =~ \"expires_in\"[[:space:]]*:[[:space:]]*([0-9]+) ]]; then left=${BASH_REMATCH[1]}; fi
  printf '%s' "$(($(date +%s) + left - TOKEN_SECONDS_LEAST))" >"$PRIVATE/authorization-until"
}

# encoded TEXT: as one part of an address.
encoded() {
  local text=$1
  text=${text//\%/%25}
  printf '%s' "${text//\//%2F}"
}

# fetch URI FILE: an object of a bucket. It is whole or not there.
fetch() {
  local path=${1#gs://}
  refresh_token
  curl --silent --show-error --fail --location --retry 5 --retry-connrefused --max-time 3600 \
    --header "@$PRIVATE/authorization" --output "$2.partial" \
    "$STORAGE/storage/v1/b/${path%%/*}/o/$(encoded "${path#*/}")?alt=media"
  mv "$2.partial" "$2"
}

# put NAME TYPE: standard input as an object of the run, in place of what is there.
put() {
  local path=${STORE#gs://} prefix=''
  [ "$path" = "${path%%/*}" ] || prefix="${path#*/}/"
  refresh_token
  curl --silent --show-error --fail --retry 3 --retry-connrefused --max-time 60 --output /dev/null \
    --header "@$PRIVATE/authorization" --header "Content-Type: $2" --data-binary @- \
    "$STORAGE/upload/storage/v1/b/${path%%/*}/o?uploadType=media&name=$(encoded "$prefix$RUN/nodes/$NODE/$NUMBER/$1")"
}

# Standard input as the inside of a JSON text: printable ASCII, a line feed as \n.
json_text() {
  tr -c '\n -~' '?' | sed --null-data 's/\\/\\\\/g; s/"/\\"/g; s/\n/\\n/g' | tr -d '\0'
}
