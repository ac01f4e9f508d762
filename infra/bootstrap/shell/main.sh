main() {
  umask 022
  mkdir -p "$STATE/steps" "$SOFTWARE" "$PRIVATE"
  chmod 700 "$PRIVATE"
  # Two runs at once (a boot, and a person by hand) would undo each other's work.
  exec 9>"$STATE/startup.lock"
  flock --nonblock 9 || die 'another start-up is under way'
  read_settings
  printf '%s node %s, machine %s, run %s\n' "$NODE_KIND" "$NODE" "$NUMBER" "$RUN"
  step 10 packages "$PACKAGES" install_packages
  step 20 user "$WORKER_USER" make_user
  step 30 bundle "$BUNDLE_SHA256" install_bundle
  step 40 secrets '' fetch_secrets
  step 50 lean "$LEAN_TOOLCHAIN $MATHLIB_REVISION" install_lean
  install_environments
  step 80 services '' start_services
  step 90 ready '' check_services
}

# Output goes to the log on the node; the end of each step's output also goes to the store.
main "$@" > >(tee -a "$LOG") 2>&1
