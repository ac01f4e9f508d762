/**
 * Ends Lean when its parent is killed; otherwise Lean would continue to compute. Without a sandbox, `setpriv` of
 * util-linux has the kernel kill it. Bubblewrap does the same (`--die-with-parent`), but not while it starts. So a
 * shell inside waits on a lifeline: a pipe that this process holds open and never writes to. When the pipe closes, the
 * shell kills everything inside. The next command (`infra/nodes/command-scratch.ts`) or the next worker ends any
 * processes that remain.
 */
import { spawnSync } from 'node:child_process';

const PROBE_TIMEOUT_MS = 10_000;
/** Only Linux has this signal, and the `setpriv` of BusyBox lacks the option. */
const SETPRIV = ['setpriv', '--pdeathsig', 'KILL'];
/** Exits if the parent was killed before the signal was set. */
const UNLESS_ORPHAN = '[ "$PPID" = "$0" ] || exit; exec "$@"';

/** File descriptor of the lifeline in the child: the first after the standard ones. */
const LIFELINE = 3;
/**
 * `kill -1` reaches every process, so it is safe only in a PID namespace of our own. There the shell has process id 2,
 * which outside always belongs to the kernel.
 */
const WAIT_AT_LIFELINE = `if [ $$ = 2 ]; then { read -r _; kill -s KILL -- -1; } <&${LIFELINE} >/dev/null 2>&1 & fi; exec ${LIFELINE}<&-; exec "$@"`;

let found: readonly string[] | null = null;

/** Arguments to put before a command line so that it ends with this process; empty if this machine offers no way. */
export function parentDeathPrefix(): readonly string[] {
  found ??= works() ? [...SETPRIV, '/bin/sh', '-c', UNLESS_ORPHAN, String(process.pid)] : [];
  return found;
}

/** The same for a command inside a sandbox in which the lifeline is open. */
export function lifelinePrefix(): readonly string[] {
  return ['/bin/sh', '-c', WAIT_AT_LIFELINE, 'sh'];
}

function works(): boolean {
  const [program, ...options] = SETPRIV;
  return spawnSync(program!, [...options, 'true'], { stdio: 'ignore', timeout: PROBE_TIMEOUT_MS }).status === 0;
}
