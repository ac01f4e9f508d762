# Steps: each is said to the store when it starts and when it is done, skipped or failed, with the end of what it wrote. A
# step that is done is not done again after a reboot, unless what it was done with has changed.

readonly TAIL_BYTES=4000
readonly TRIES=3
readonly PAUSE_SECONDS=${STP_PAUSE_SECONDS:-20}
# Of a step that no second try mends, such as a wrong checksum.
readonly FOR_GOOD=3

die() {
  printf '%s\n' "$*" >&2
  exit "$FOR_GOOD"
}

# report NUMBER NAME STATE SECONDS LOG
report() {
  local body
  body=$(printf '{"node":"%s","number":%s,"run":"%s","step":"%s","state":"%s","seconds":%s,"at":"%s","log":"%s"}\n' \
    "$NODE" "$NUMBER" "$RUN" "$2" "$3" "$4" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(tail -c "$TAIL_BYTES" "$5" 2>/dev/null | json_text)")
  # A store that cannot be reached must not keep the node from being set up: the log on the node says it too.
  printf '%s' "$body" | put "steps/$1-$2.json" application/json || printf 'the step could not be reported\n' >&2
}

# step NUMBER NAME FINGERPRINT COMMAND…: an empty fingerprint is done at every start.
step() {
  local number=$1 name=$2 fingerprint=$3 mark log status=0 started try
  shift 3
  mark=$STATE/steps/$name
  log=$STATE/steps/$name.log
  if [ -n "$fingerprint" ] && [ "$(cat "$mark" 2>/dev/null)" = "$fingerprint" ]; then
    printf 'step %s %s: done before\n' "$number" "$name"
    report "$number" "$name" skipped 0 /dev/null
    return
  fi
  printf 'step %s %s\n' "$number" "$name"
  report "$number" "$name" started 0 /dev/null
  started=$SECONDS
  rm -f "$mark"
  for ((try = 1; try <= TRIES; try++)); do
    status=0
    # A shell of its own, in which the first command that fails ends the step.
    (
      set -e
      "$@"
    ) >"$log" 2>&1 &
    wait $! || status=$?
    cat "$log"
    if [ "$status" -eq 0 ] || [ "$status" -eq "$FOR_GOOD" ] || [ "$try" -eq "$TRIES" ]; then break; fi
    printf 'step %s %s failed (status %s), try %s of %s\n' "$number" "$name" "$status" "$try" "$TRIES"
    sleep "$PAUSE_SECONDS"
  done
  if [ "$status" -ne 0 ]; then
    report "$number" "$name" failed "$((SECONDS - started))" "$log"
    printf 'step %s %s failed (status %s); nothing after it is done\n' "$number" "$name" "$status" >&2
    exit 1
  fi
  [ -z "$fingerprint" ] || printf '%s' "$fingerprint" >"$mark"
  report "$number" "$name" 'done' "$((SECONDS - started))" "$log"
}
