/** Carries out a plan of faults during a run, and repairs each in time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { breakIt } from './faults.ts';
import { type Installation, type MachineName, WORKERS } from './installation.ts';
import type { PlannedFault } from './plan.ts';

/**
 * Carries out faults in order. Several may be open at once, but only one on a machine. When the run is over, open
 * faults are repaired at once. Returns the kinds of the faults, once all are repaired.
 */
export async function disturb(
  installation: Installation,
  plan: readonly PlannedFault[],
  pauseSeconds: number,
  over: AbortSignal,
  record: (line: string) => Promise<void>,
): Promise<string[]> {
  const met: string[] = [];
  const broken = new Map<string, Promise<void>>();
  const begun = Date.now();
  const at = (): string => `${((Date.now() - begun) / 1_000).toFixed(0)} s`;
  for (const waiting = [...plan]; waiting.length > 0; ) {
    await sleep(1_000 * pauseSeconds * waiting[0]!.pause, undefined, { signal: over }).catch(() => undefined);
    // The first fault whose target has no open fault; the others keep their order.
    const next = waiting.findIndex((fault) => !broken.has(machineOf(fault)));
    if (over.aborted) break;
    if (next === -1) continue;
    const [fault] = waiting.splice(next, 1) as [PlannedFault];
    const machine = machineOf(fault);
    try {
      const { how, mend } = await breakIt(installation, fault, over);
      await record(`${at()}: ${fault.kind} (${how})`);
      met.push(fault.kind);
      const mending = mend()
        .catch((error: Error) => record(`${at()}: ${fault.kind}: ${error.message.split('\n')[0]}`))
        .then(() => record(`${at()}: ${fault.kind} is over`))
        .finally(() => broken.delete(machine));
      broken.set(machine, mending);
    } catch (error) {
      await record(`${at()}: ${fault.kind} could not be done: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  await Promise.all(broken.values());
  return met;
}

function machineOf({ kind, worker }: PlannedFault): MachineName {
  if (kind === 'control worker killed') return 'control';
  if (kind === 'Temporal restarted' || kind === 'PostgreSQL restarted') return 'temporal';
  if (kind === 'bucket unwell' || kind === 'worker killed in an upload') return 'bucket';
  if (kind === 'Lean service killed' || kind === 'Lean eats memory') return 'lean';
  return WORKERS[worker]!;
}
