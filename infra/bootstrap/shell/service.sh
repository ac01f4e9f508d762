# The worker as services of systemd. Nothing listens: workers ask the Temporal server for work.

readonly SECRET_MANAGER=${STP_SECRETS_ENDPOINT:-https://secretmanager.googleapis.com}

# Secrets into a file that root alone reads and systemd gives to the worker. They go through pipes and are no argument.
fetch_secrets() {
  local target=$PRIVATE/worker.secrets line variable name node=$SOFTWARE/worker/node_modules/node/bin/node
  rm -f "$target.partial"
  (umask 077 && : >"$target.partial")
  while IFS= read -r line; do
    [ -n "$line" ] || continue
    variable=${line%% *}
    name=${line#* }
    refresh_token
    curl --silent --show-error --fail --retry 5 --max-time 60 --header "@$PRIVATE/authorization" \
      "$SECRET_MANAGER/v1/$name:access" | "$node" "$SOFTWARE/worker/infra/bootstrap/secret-line.ts" "$variable" >>"$target.partial" ||
      die "the secret $name cannot be read: give this node's service account the role Secret Manager Secret Accessor on it"
    printf 'secret for %s: there\n' "$variable"
  done <<<"$SECRETS"
  mv "$target.partial" "$target"
}

write_environment() {
  cat >"$STATE/worker.env" <<END
TEMPORAL_ADDRESS=$TEMPORAL_ADDRESS
TEMPORAL_NAMESPACE=$TEMPORAL_NAMESPACE
STP_HOST_QUEUE=$QUEUE
STP_STORE=$STORE
STP_CACHE=$STATE/cache
STP_SCRATCH=$STATE/scratch
STP_LEAN=$SOFTWARE/lean
STP_LEAN_PROJECT=$SOFTWARE/mathlib
NODE_ENV=production
PATH=$SOFTWARE/worker/node_modules/node/bin:$SOFTWARE/venv/vllm/bin:$SOFTWARE/venv/vllm-tpu/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
END
}

# unit NAME ROLE
unit() {
  cat >"/etc/systemd/system/stp-$1.service" <<END
[Unit]
Description=stp-selfplay: $2
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
User=$WORKER_USER
WorkingDirectory=$SOFTWARE/worker
EnvironmentFile=$STATE/worker.env
EnvironmentFile=$PRIVATE/worker.secrets
ExecStart=$SOFTWARE/worker/node_modules/node/bin/node workers/$1.ts
Restart=always
RestartSec=5
KillMode=control-group
TimeoutStopSec=30
NoNewPrivileges=yes
ProtectSystem=full
LimitNOFILE=1048576

[Install]
WantedBy=multi-user.target
END
}

# One worker a node: with an accelerator it trains, samples and checks; without one it checks.
worker_role() {
  if [ "$NODE_KIND" = lean ]; then printf lean; else printf host; fi
}

# The service is not started by systemd at boot: this script runs at every boot and has the secrets fetched first.
start_services() {
  local role
  role=$(worker_role)
  write_environment
  unit "$role" 'models and Lean of this node'
  systemctl daemon-reload
  systemctl restart "stp-$role.service"
}

check_services() {
  local role
  role=$(worker_role)
  sleep "${STP_CHECK_SECONDS:-10}"
  systemctl is-active "stp-$role.service" || {
    journalctl --no-pager --lines 40 --unit "stp-$role.service" || true
    return 1
  }
}
