/** Plays the runs of a rehearsal: one without faults, then one for each seed with its faults; makes the table. */
import { appendFile, cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { disturb } from './disturb.ts';
import { type Installation, WORKERS } from './installation.ts';
import { differences, doneTwice, type Kept, leftBehind, readKept, secretsIn } from './invariants.ts';
import { type PlannedFault, planFaults } from './plan.ts';
import { RUN_CONFIG, type RunOutcome, start, untilEnded } from './run.ts';

export interface RehearseOptions {
  readonly seeds: readonly number[];
  readonly faults: number;
  readonly only: string | null;
  readonly folder: string;
  readonly say: (line: string) => void;
}

interface Row {
  readonly name: string;
  readonly outcome: RunOutcome;
  /** Kinds of faults that began before the run ended. */
  readonly met: readonly string[];
  readonly databaseBytes: number;
  readonly problems: readonly string[];
}

/** Polls after the end of the run until its nodes must be clean. */
const CLEAN_POLLS_MAX = 20;
const CLEAN_POLL_MS = 3_000;
/** The janitor waits ten seconds for a node whose worker may still be starting. */
const POLLS_A_LOOK = 5;
/** Least pause between faults, for fast machines. */
const PAUSE_SECONDS_MIN = 5;

export async function rehearse(
  installation: Installation,
  options: RehearseOptions,
): Promise<{ table: string; problems: number }> {
  const { seeds, faults, only, folder, say } = options;
  await writeFile(join(installation.machine('control').disk, 'run.json'), JSON.stringify(RUN_CONFIG));
  const undisturbed = await oneRun(installation, 'undisturbed', [], 0, null, options);
  const rows = [undisturbed.row];
  const keep = (): Promise<void> => writeFile(join(folder, 'table.md'), tableOf(rows));
  await keep();
  if (undisturbed.kept === null) throw new Error(`the undisturbed run failed: ${undisturbed.row.problems.join('; ')}`);
  const pauseSeconds = Math.max(PAUSE_SECONDS_MIN, undisturbed.row.outcome.seconds / faults);
  for (const seed of seeds) {
    const plan = planFaults(seed, faults, WORKERS.length).filter(({ kind }) => only === null || kind === only);
    const { row } = await oneRun(installation, `seed-${seed}`, plan, pauseSeconds, undisturbed.kept, options);
    rows.push(row);
    await keep();
    say(`seed ${seed}: ${row.problems.length === 0 ? 'all holds' : row.problems.join('; ')}`);
  }
  return { table: tableOf(rows), problems: rows.reduce((sum, { problems }) => sum + problems.length, 0) };
}

async function oneRun(
  installation: Installation,
  name: string,
  plan: readonly PlannedFault[],
  pauseSeconds: number,
  reference: Kept | null,
  { folder, say }: RehearseOptions,
): Promise<{ row: Row; kept: Kept | null }> {
  const record = (line: string): Promise<void> => appendFile(join(folder, `${name}.faults.log`), `${line}\n`);
  const before = await installation.databaseBytes();
  const firstRequest = installation.bucket.requests.length;
  await start(installation, name);
  const over = new AbortController();
  const ending = untilEnded(installation, name, say).finally(() => over.abort());
  const disturbing = disturb(installation, plan, pauseSeconds, over.signal, async (line) => {
    say(`  ${line}`);
    await record(line);
  });
  const outcome = await ending;
  const met = await disturbing;
  const objects = join(folder, name);
  await takeObjects(installation, name, objects);
  const kept = await readKept(objects).catch(() => null);
  const problems = [
    ...(outcome.status.endsWith('COMPLETED') ? [] : [`the run ended as ${outcome.status}`]),
    ...(kept === null ? ['it left no summary'] : reference === null ? [] : differences(reference, kept)),
    ...doneTwice(installation.bucket.requests.slice(firstRequest), `runs/${name}/`),
    ...(await untilClean(installation, name)),
  ];
  await takeLogs(installation, name, folder);
  problems.push(...(await secretsIn([join(folder, 'logs'), objects], installation.secrets)));
  const row = { name, outcome, met, databaseBytes: (await installation.databaseBytes()) - before, problems };
  await writeFile(join(folder, `${name}.json`), JSON.stringify(row, null, 2));
  return { row, kept };
}

/** Copies all objects of the run from the bucket. */
async function takeObjects(installation: Installation, name: string, to: string): Promise<void> {
  const from = join(installation.machine('bucket').disk, name);
  await installation.bucket.copy(`runs/${name}/`, `/mnt/disk/${name}`);
  await cp(from, to, { recursive: true });
  await rm(from, { recursive: true });
}

/** Copies the run's history and the workers' logs. */
async function takeLogs(installation: Installation, name: string, folder: string): Promise<void> {
  const show = ['workflow', 'show', '--workflow-id', `stp/${name}`, '--output', 'json'];
  const history = await installation.onControl('temporal', show, { reject: false });
  await writeFile(join(folder, name, 'history.json'), String(history.stdout));
  for (const worker of WORKERS) {
    const cat = ['-c', 'cat /home/prover/.stp-selfplay/*.log'];
    const { stdout } = await installation.machine(worker).run('sh', cat, { reject: false });
    await writeFile(join(folder, 'logs', `${worker}.worker.log`), String(stdout));
  }
}

/**
 * Waits until nodes are clean. One that was away at the run's end is cleaned by its worker's start or by the janitor.
 */
async function untilClean(installation: Installation, run: string): Promise<string[]> {
  await installation.startWorkers();
  const look = ['schedule', 'trigger', '--schedule-id', 'stp-janitor'];
  for (let poll = 1; ; poll += 1) {
    const problems = await leftBehind(installation, run);
    if (poll % POLLS_A_LOOK === 1) await installation.onControl('temporal', look, { reject: false });
    if (problems.length === 0 || poll === CLEAN_POLLS_MAX) return problems;
    await sleep(CLEAN_POLL_MS);
  }
}

function tableOf(rows: readonly Row[]): string {
  const line = ({ name, outcome, met, databaseBytes, problems }: Row): string =>
    `| ${[
      name,
      met.length,
      outcome.status.replace('WORKFLOW_EXECUTION_STATUS_', '').toLowerCase(),
      `${outcome.seconds.toFixed(0)} s`,
      outcome.waits.length,
      outcome.historyEvents,
      `${(outcome.historyBytes / 1_000).toFixed(0)} kB`,
      `${(databaseBytes / 1e6).toFixed(1)} MB`,
      problems.length === 0 ? 'all hold' : problems.slice(0, 4).join('; '),
    ].join(' | ')} |`;
  return [
    '| run | faults | ended | took | waits for a person | events | history | database grew by | invariants |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map(line),
    '',
  ].join('\n');
}
