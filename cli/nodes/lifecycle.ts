/** `stp nodes up | ls | down | sweep`: acquires and releases machines manually, outside any workflow. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StpError } from '@stp/base';
import { deleteEach } from '../../infra/cloud/deletions.ts';
import { readInventory } from '../../infra/nodes/inventory.ts';
import { startWorkers, stopWorkers } from '../../infra/nodes/inventory-workers.ts';
import { mayBeLabelOf } from '../../infra/nodes/names.ts';
import type { NodeHost, NodeProvider, NodeSet, OwnedResource } from '../../infra/nodes/provider.ts';
import { workerSettings } from '../../workers/settings.ts';
import { table } from '../shared/table.ts';
import { type NodesOptions, namedNodes, openRunProvider } from './config.ts';
import { workerEnvironment } from './environment.ts';
import { makePlan, plan } from './plan.ts';
import { openRuns } from './runs.ts';

const POLL_FIRST_MS = 5_000;
const POLL_MAX_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Maximum consecutive failed calls. Clouds fail temporarily, and machines that are left behind cost money. */
const FAILURES_MAX = 5;

/** Requests the machines and waits until they are ready. Their workers start by themselves. */
export async function up(
  options: NodesOptions & {
    readonly dryRun?: boolean;
    readonly bundleFile?: string;
    readonly env?: readonly string[];
  },
): Promise<void> {
  if (options.dryRun === true) {
    plan(options);
    return;
  }
  const { nodes } = namedNodes(options, 'send');
  if (nodes.provider === 'inventory') {
    const results = await startWorkers(readInventory(nodes.file), {
      bundleFile: options.bundleFile ?? null,
      environment: workerEnvironment(options.env ?? []),
      onProgress: (line) => console.error(line),
    });
    return report(options, results);
  }
  const { price } = makePlan(options);
  const { provider, name } = openRunProvider(nodes, options.run, 'send');
  console.error(price.perHour === null ? price.basis : `${price.perHour.toFixed(2)} USD an hour: ${price.basis}`);
  const hosts = await waitForNodes(provider, { run: name, generation: 1 }, nodes.validUntilMinutes * 60_000);
  if (options.json === true) console.log(JSON.stringify(hosts, null, 2));
  else
    console.log(
      table([['machine', 'queue', 'address'], ...hosts.map((host) => [host.name, host.taskQueue, host.address ?? ''])]),
    );
  console.error(
    'No run watches these machines: nodes.hoursMax ends nothing here. Give them back with `bin/stp nodes down`.',
  );
}

async function waitForNodes(provider: NodeProvider, set: NodeSet, timeoutMs: number): Promise<readonly NodeHost[]> {
  const deadlineMs = Date.now() + timeoutMs;
  let said = '';
  for (let attempt = 1, pause = POLL_FIRST_MS, asks = true; ; pause = Math.min(pause * 2, POLL_MAX_MS)) {
    let line = '';
    if (asks) {
      const asked = await persistently(() => provider.request(set, attempt));
      attempt += 1;
      if (asked.kind === 'no-capacity') line = asked.reason;
    }
    const state = await persistently(() => provider.state(set));
    if (state.kind === 'ready') return state.hosts;
    if (state.kind === 'lost' || state.kind === 'failed')
      throw new StpError(
        'STP1602',
        state.reason,
        'Give the remaining machines back with `bin/stp nodes down`, then try again.',
      );
    asks = state.kind !== 'waiting';
    if (state.kind !== 'absent') line ||= state.reason;
    if (line !== said) console.error(`waiting: ${line}`);
    said = line;
    if (Date.now() >= deadlineMs)
      throw new StpError(
        'STP1602',
        `the machines were not ready in time: ${line}`,
        'They may still start and cost money: give them back with `bin/stp nodes down`, or wait longer (nodes.validUntilMinutes).',
      );
    await sleep(pause);
  }
}

/** Makes the call, and repeats it after temporary failures. */
async function persistently<T>(call: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1)
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StpError && error.retryable) || failures >= FAILURES_MAX) throw error;
      console.error(`${error.message}; again in ${POLL_FIRST_MS / 1_000} s`);
      await sleep(POLL_FIRST_MS);
    }
}

export async function list(options: NodesOptions & { readonly all?: boolean }): Promise<void> {
  const { nodes } = namedNodes(options, 'send');
  const { provider, label } = openRunProvider(nodes, options.run, 'plan');
  print(await provider.list(options.all === true ? null : label), options.json === true);
}

export async function down(options: NodesOptions & { readonly dryRun?: boolean }): Promise<void> {
  const { nodes } = namedNodes(options, 'send');
  if (nodes.provider === 'inventory') {
    if (options.dryRun === true) return plan(options);
    return report(options, await stopWorkers(readInventory(nodes.file), (line) => console.error(line)));
  }
  const { provider, label } = openRunProvider(nodes, options.run, 'plan');
  if (options.dryRun === true) return print(await provider.list(label), options.json === true);
  await requireThisStore(provider, label, options.run);
  await releaseAll(provider, label);
  if (options.json === true) console.log(JSON.stringify({ run: options.run, left: [] }));
  else console.log(`nothing of run ${options.run} is left`);
}

/**
 * The store is part of a run's label on machines. With the wrong store "nothing is left" would be false, and machines
 * would go on costing.
 */
async function requireThisStore(provider: NodeProvider, label: string, run: string): Promise<void> {
  const all = await persistently(() => provider.list(null));
  const elsewhere = all.filter(({ runLabel }) => runLabel !== label && mayBeLabelOf(runLabel, run));
  if (elsewhere.length === 0 || all.some(({ runLabel }) => runLabel === label)) return;
  throw new StpError(
    'STP1602',
    `run ${run} of the store ${workerSettings().storeUri} has no machines, but a run of that name in another store has: ${elsewhere[0]!.name}`,
    "Set STP_STORE to the store of the run's workers.",
    { facts: { run, labels: [...new Set(elsewhere.map(({ runLabel }) => runLabel))] } },
  );
}

async function releaseAll(provider: NodeProvider, label: string): Promise<void> {
  let failures = 0;
  let hasBegun = false;
  for (let pause = POLL_FIRST_MS; ; pause = Math.min(pause * 2, POLL_MAX_MS)) {
    try {
      const { left } = await provider.release(label, null);
      if (left.length === 0) return;
      console.error(`${left.length} still there: ${left.slice(0, 3).join(', ')}`);
      failures = 0;
      hasBegun = true;
    } catch (error) {
      failures += 1;
      // A resource that is being deleted may refuse a second deletion until it is gone.
      const mayPass = error instanceof StpError && (error.retryable || hasBegun);
      if (!mayPass || failures >= FAILURES_MAX) throw error;
      console.error(error.message);
    }
    await sleep(pause);
  }
}

/**
 * Releases machines that belong to no open run and are old enough. If no Temporal server answers, it needs `--force`.
 */
export async function sweep(
  options: NodesOptions & { readonly dryRun?: boolean; readonly olderThan: number; readonly force?: boolean },
): Promise<void> {
  const { nodes } = namedNodes(options, 'send');
  const { provider } = openRunProvider(nodes, options.run, 'plan');
  const open = options.force === true ? [] : await openRuns();
  // Checks runs of every store: this shell may use another store than the machines' workers.
  const isSpared = (label: string): boolean => open.some((run) => mayBeLabelOf(label, run));
  const before = Date.now() - options.olderThan * HOUR_MS;
  // The age of a run is that of its youngest resource: new resources may belong to a run that is about to appear.
  const byRun = Map.groupBy(await provider.list(null), (one) => one.runLabel);
  const old = [...byRun].filter(
    ([label, all]) => !isSpared(label) && all.every(({ createdAtMs }) => (createdAtMs ?? 0) < before),
  );
  print(
    old.flatMap(([, all]) => all),
    options.json === true,
  );
  if (options.dryRun === true) return;
  await deleteEach(old, ([label]) => releaseAll(provider, label));
}

function print(resources: readonly OwnedResource[], json: boolean): void {
  if (json) {
    console.log(JSON.stringify(resources, null, 2));
    return;
  }
  if (resources.length === 0) {
    console.log('nothing');
    return;
  }
  const age = (ms: number | null): string => (ms === null ? '' : `${((Date.now() - ms) / HOUR_MS).toFixed(1)} h`);
  console.log(
    table([
      ['kind', 'run', 'state', 'age', 'name'],
      ...resources.map((one) => [one.kind, one.runLabel, one.state, age(one.createdAtMs), one.name]),
    ]),
  );
}

/** Prints one line for each host. Sets exit code 1 if one failed. */
function report(options: NodesOptions, results: readonly { host: string; problem: string | null }[]): void {
  if (options.json === true) console.log(JSON.stringify(results, null, 2));
  else console.log(table([['host', 'result'], ...results.map(({ host, problem }) => [host, problem ?? 'done'])]));
  if (results.some(({ problem }) => problem !== null)) process.exitCode = 1;
}
