# What this node is and is to be: from the metadata server, which needs no key and answers this machine only.

readonly METADATA="http://${GCE_METADATA_HOST:-metadata.google.internal}/computeMetadata/v1"
readonly SOFTWARE=/opt/stp
readonly STATE=/var/lib/stp
readonly PRIVATE=/run/stp
readonly LOG=/var/log/stp-startup.log
readonly WORKER_USER=stp

# metadata PATH: the value, or status 1 if it does not exist. A server that does not answer is asked again for a minute.
metadata() {
  curl --silent --fail --max-time 10 --retry 6 --retry-connrefused --header 'Metadata-Flavor: Google' "$METADATA/$1"
}

# attribute NAME [DEFAULT]
attribute() {
  metadata "instance/attributes/$1" || {
    [ "$#" -eq 2 ] || die "the metadata attribute $1 is missing; create the node with bin/stp nodes up"
    printf '%s' "$2"
  }
}

# valid NAME VALUE PATTERN: what comes from outside is held against a pattern before it is part of a path or a file.
valid() {
  [[ "$2" =~ ^$3$ ]] || die "the metadata attribute $1 is not what it should be: ${2:0:100}"
}

# Name of the node as the cloud calls it: a slice's hosts share one, an instance has its own.
node_name() {
  local environment
  if environment=$(metadata instance/attributes/tpu-env) && [[ "$environment" =~ NODE_ID:[[:space:]]*\'([^\']+)\' ]]; then
    printf '%s' "${BASH_REMATCH[1]}"
  else
    attribute stp-node "$(metadata instance/name)"
  fi
}

read_settings() {
  RUN=$(attribute stp-run)
  valid stp-run "$RUN" '[A-Za-z0-9][A-Za-z0-9._-]{0,199}'
  STORE=$(attribute stp-store)
  valid stp-store "$STORE" 'gs://[a-z0-9][a-z0-9._-]{1,220}[a-z0-9](/[A-Za-z0-9._/-]+)?'
  NODE=$(node_name)
  valid stp-node "$NODE" '[a-z][a-z0-9-]{0,99}'
  NUMBER=$(attribute agent-worker-number 0)
  valid agent-worker-number "$NUMBER" '[0-9]{1,4}'
  BUNDLE=$(attribute stp-bundle)
  valid stp-bundle "$BUNDLE" 'gs://[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]/[A-Za-z0-9._/-]+'
  BUNDLE_SHA256=$(attribute stp-bundle-sha256)
  valid stp-bundle-sha256 "$BUNDLE_SHA256" '[0-9a-f]{64}'
  TEMPORAL_ADDRESS=$(attribute stp-temporal-address)
  valid stp-temporal-address "$TEMPORAL_ADDRESS" '[A-Za-z0-9.-]+:[0-9]{1,5}'
  TEMPORAL_NAMESPACE=$(attribute stp-temporal-namespace default)
  valid stp-temporal-namespace "$TEMPORAL_NAMESPACE" '[A-Za-z0-9._-]{1,128}'
  # Lines of VARIABLE projects/P/secrets/S/versions/V: names only; no attribute holds their values.
  SECRETS=$(attribute stp-secrets '')
  local line
  while IFS= read -r line; do
    [ -z "$line" ] || valid stp-secrets "$line" '[A-Z][A-Z0-9_]{0,63} projects/[A-Za-z0-9:.-]+/secrets/[A-Za-z0-9_-]+/versions/([0-9]+|latest)'
  done <<<"$SECRETS"
  QUEUE="host/$NODE/$NUMBER"
}
