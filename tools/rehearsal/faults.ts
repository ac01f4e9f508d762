/** The faults of a rehearsal: each breaks a part of an installation and returns the function that repairs it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { GREEDY } from './deadly-texts.ts';
import { type Installation, type MachineName, WORKERS } from './installation.ts';
import type { Machine, Service } from './machine.ts';
import { cut, slow } from './network.ts';
import type { PlannedFault } from './plan.ts';

export const CLOCK_LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const CLOCK_SECONDS = 120;
const WORKER_PROCESS = /workers\/host\.ts/;
/** Maximum wait for an upload. */
const UPLOAD_WAIT_MS = 120_000;
const GREEDY_AT_ONCE = 4;

export interface Broken {
  /** The exact action, for the record. */
  readonly how: string;
  readonly mend: () => Promise<void>;
}

/** @param over aborted when the run is over; all faults are then repaired at once */
export async function breakIt(installation: Installation, fault: PlannedFault, over: AbortSignal): Promise<Broken> {
  const name: MachineName = WORKERS[fault.worker]!;
  const machine = installation.machine(name);
  const ms = 1_000 * fault.lastsSeconds;
  const after = (how: string, mend: () => Promise<void>): Broken => ({
    how: `${how}, ${fault.lastsSeconds} s`,
    mend: () => unlessOver(ms, over).then(mend),
  });
  const restart = async (service: Service, signal: NodeJS.Signals, again: () => Promise<unknown>, how: string) => {
    await service.end(signal);
    return after(how, async () => {
      await again();
    });
  };
  switch (fault.kind) {
    case 'node killed':
      await machine.kill();
      return after(name, async () => {
        await machine.boot();
        await installation.startWorkers();
      });
    case 'clock apart': {
      await machine.kill();
      const offset = `${fault.sign > 0 ? '+' : '-'}${CLOCK_SECONDS}`;
      return after(`${name} comes back with its clock at ${offset} s`, async () => {
        await machine.boot({ library: CLOCK_LIBRARY, offset });
        await installation.startWorkers();
      });
    }
    case 'node cut off':
      return after(name, await cut(name));
    case 'node slow': {
      const { how, heal } = await slow(name);
      return after(`${name}: ${how}`, heal);
    }
    case 'worker killed':
      await killWorker(machine);
      return after(name, () => installation.startWorkers());
    case 'worker killed in an upload':
      return { how: 'at the next upload of a checkpoint', mend: () => killInUpload(installation, ms, over) };
    case 'disk full':
      return after(name, await machine.fillDisk());
    case 'control worker killed':
      return restart(installation.control, 'SIGKILL', async () => installation.control.start(), 'SIGKILL');
    case 'Temporal restarted':
      return restart(installation.temporal, 'SIGKILL', () => installation.startTemporal(), 'SIGKILL');
    case 'PostgreSQL restarted':
      return restart(installation.postgres, 'SIGQUIT', async () => installation.postgres.start(), 'immediate shutdown');
    case 'Lean service killed':
      return restart(installation.leanService, 'SIGKILL', async () => installation.leanService.start(), 'SIGKILL');
    case 'bucket unwell':
      installation.bucket.set({ kind: 'unwell' });
      return after('every second request: 503, or the connection cut', async () =>
        installation.bucket.set({ kind: 'well' }),
      );
    case 'Lean eats memory': {
      const asked = Promise.all(Array.from({ length: GREEDY_AT_ONCE }, () => installation.askLean(GREEDY)));
      return after(`${GREEDY_AT_ONCE} checks that grow without end`, async () => {
        if (!(await asked).some((answer) => answer.includes('"memory"')))
          throw new Error('no check was ended for its memory');
      });
    }
  }
}

/** Waits that long, or until the run is over. */
function unlessOver(ms: number, over: AbortSignal): Promise<null> {
  return sleep(ms, null, { signal: over }).catch(() => null);
}

/**
 * Stops the next upload of a checkpoint in its first bytes, kills the worker that it comes from, and starts it again.
 */
async function killInUpload(installation: Installation, downMs: number, over: AbortSignal): Promise<void> {
  const caught = installation.bucket.next('caught');
  installation.bucket.set({ kind: 'catch-upload', name: 'checkpoints/' });
  const upload = await Promise.race([caught, unlessOver(UPLOAD_WAIT_MS, over)]);
  try {
    if (upload === null) throw new Error('no upload came');
    const uploader = WORKERS.map((name) => installation.machine(name)).find(({ address }) => address === upload.peer);
    if (uploader === undefined) throw new Error(`the upload came from ${upload.peer}, which is no worker node`);
    await killWorker(uploader);
  } finally {
    installation.bucket.set({ kind: 'well' });
  }
  await unlessOver(downMs, over);
  await installation.startWorkers();
}

async function killWorker(machine: Machine): Promise<void> {
  for (const pid of await machine.pids(WORKER_PROCESS)) process.kill(pid, 'SIGKILL');
}
