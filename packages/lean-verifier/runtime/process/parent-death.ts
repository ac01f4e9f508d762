/**
 * Ends Lean when its parent is killed; otherwise it would continue to compute. Without a sandbox `setpriv` of
 * util-linux makes the kernel kill it. Bubblewrap does so by itself (`--die-with-parent`), but not while it starts up.
 * So a shell inside waits on a lifeline, a pipe that this process holds open and never writes to, and kills everything
 * inside when the pipe closes. The next command (`infra/nodes/command-scratch.ts`) or the next worker ends any
 * processes that remain.
 */
import { spawnSync } from 'node:child_process';

const PROBE_TIMEOUT_MS = 10_000;
/** Linux alone knows the signal; BusyBox has a `setpriv` without the option. */
const SETPRIV = ['setpriv', '--pdeathsig', 'KILL'];
/** The parent may have been killed just before. */
const UNLESS_ORPHAN = '[ "$PPID" = "$0" ] || exit; exec "$@"';

/** The lifeline's file descriptor in the child: the first one behind the standard ones. */
const LIFELINE = 3;
/**
 * `kill -1` means every process that can be reached, so it is for a PID namespace of our own: the program of one has the
 * number 2 there, which outside is always the kernel's.
 */
const WAIT_AT_LIFELINE = `if [ $$ = 2 ]; then { read -r _; kill -s KILL -- -1; } <&${LIFELINE} >/dev/null 2>&1 & fi; exec ${LIFELINE}<&-; exec "$@"`;

let found: readonly string[] | null = null;

/** Words to put before a command line so that it ends with this process; empty if this machine has no way to do so. */
export function parentDeathPrefix(): readonly string[] {
  found ??= works() ? [...SETPRIV, '/bin/sh', '-c', UNLESS_ORPHAN, String(process.pid)] : [];
  return found;
}

/** The same inside a sandbox, where the lifeline is open. */
export function lifelinePrefix(): readonly string[] {
  return ['/bin/sh', '-c', WAIT_AT_LIFELINE, 'sh'];
}

function works(): boolean {
  const [program, ...options] = SETPRIV;
  return spawnSync(program!, [...options, 'true'], { stdio: 'ignore', timeout: PROBE_TIMEOUT_MS }).status === 0;
}
