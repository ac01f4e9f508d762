/**
 * `stp nodes run | clean`: runs a command or a clean-up on every machine of a run, through the machines' queues or
 * ssh.
 */
import { randomUUID } from 'node:crypto';
import { StpError } from '@stp/base';
import type { Client } from '@temporalio/client';
import type { CommandResult } from '../../activities/every-node/run-on-node.ts';
import { inventoryWorkers, readInventory } from '../../infra/nodes/inventory.ts';
import type { CleanUpReport } from '../../infra/nodes/nodes.ts';
import { onHost } from '../../infra/nodes/ssh.ts';
import { CLEAN_NODES_TYPE, CONTROL_QUEUE, EVERY_NODE_TYPE } from '../../workflows/control/contracts.ts';
import type { HostOutcome } from '../../workflows/nodes/every-node.ts';
import { table } from '../shared/table.ts';
import { type NodesOptions, namedNodes, openRunProvider } from './config.ts';
import { queuesOfRun, withClient } from './runs.ts';

const OUTPUT_CHARS_MAX = 16_384;

export interface WorkOptions extends NodesOptions {
  /** Use ssh, for machines of an inventory whose workers are not running. */
  readonly ssh?: boolean;
  readonly together?: boolean;
  readonly timeout: number;
}

/** Runs a command on every machine. Sets exit code 1 if it failed on one. */
export async function run(command: readonly string[], options: WorkOptions): Promise<void> {
  if (options.ssh === true) return runBySsh(command, options);
  const outcomes = await withClient(async (client) => {
    const queues = await queuesFor(client, options);
    const { run, together = false, timeout: timeoutSeconds } = options;
    const id = `stp-every-node/${run}/${randomUUID().slice(0, 8)}`;
    const input = { run, queues, command, timeoutSeconds, together };
    return (await client.workflow.execute(EVERY_NODE_TYPE, {
      workflowId: id,
      taskQueue: CONTROL_QUEUE,
      args: [input],
      staticSummary: command.join(' ').slice(0, 200),
    })) as HostOutcome<CommandResult>[];
  });
  show(outcomes, options.json === true, ({ exitCode, seconds, output }) => [
    `code ${exitCode}, ${seconds.toFixed(1)} s`,
    output.trim(),
  ]);
}

/** Ends the run's remaining processes on every machine, and removes its scratch files. */
export async function clean(options: NodesOptions): Promise<void> {
  const outcomes = await withClient(async (client) => {
    const queues = await queuesFor(client, options);
    return (await client.workflow.execute(CLEAN_NODES_TYPE, {
      workflowId: `stp-clean-nodes/${options.run}/${randomUUID().slice(0, 8)}`,
      taskQueue: CONTROL_QUEUE,
      args: [{ run: options.run, queues }],
    })) as HostOutcome<CleanUpReport>[];
  });
  show(outcomes, options.json === true, ({ processesEnded, memoryBytesFreed }) => [
    `${processesEnded} processes ended, ${(memoryBytesFreed / 1e6).toFixed(0)} MB freed`,
    '',
  ]);
}

/** Returns the queues of the run's memo, or else those that the provider knows for manually created machines. */
async function queuesFor(client: Client, options: NodesOptions): Promise<readonly string[]> {
  const known = await queuesOfRun(client, options.run);
  if (known !== null && known.length > 0) return known;
  const { nodes } = namedNodes(options, 'send');
  const { provider, name } = openRunProvider(nodes, options.run, 'plan');
  const state = await provider.state({ run: name, generation: 1 });
  if (state.kind === 'ready') return state.hosts.map((host) => host.taskQueue);
  throw new StpError(
    'STP1605',
    `run ${options.run} has no machines: ${state.kind}`,
    'Look with `bin/stp nodes ls`, or get some with `bin/stp nodes up`.',
  );
}

async function runBySsh(command: readonly string[], options: WorkOptions): Promise<void> {
  const { nodes } = namedNodes(options, 'send');
  if (nodes.provider !== 'inventory')
    throw new StpError(
      'STP1002',
      '--ssh is for machines of an inventory',
      'Leave --ssh out: other machines are reached through their workers.',
    );
  const hosts = readInventory(nodes.file);
  const timeoutMs = options.timeout * 1_000;
  const outcomes = await Promise.all(
    hosts.map(async (host): Promise<HostOutcome<CommandResult>> => {
      const queue = inventoryWorkers([host])[0]!.taskQueue;
      const { exitCode, output, seconds, timedOut, isUnreachable } = await onHost(host, command, { timeoutMs });
      if (isUnreachable) return { kind: 'lost', queue, why: output.trim().slice(-500) };
      const result = {
        node: host.name,
        exitCode,
        signal: null,
        timedOut,
        output: output.slice(-OUTPUT_CHARS_MAX),
        seconds,
        logPath: '',
      };
      if (exitCode === 0) return { kind: 'done', queue, result };
      return { kind: 'failed', queue, why: timedOut ? 'took too long' : `ended with code ${exitCode}`, result };
    }),
  );
  show(outcomes, options.json === true, ({ exitCode, seconds, output }) => [
    `code ${exitCode}, ${seconds.toFixed(1)} s`,
    output.trim(),
  ]);
}

function show<T>(outcomes: readonly HostOutcome<T>[], json: boolean, text: (result: T) => [string, string]): void {
  if (outcomes.some(({ kind }) => kind !== 'done')) process.exitCode = 1;
  if (json) {
    console.log(JSON.stringify(outcomes, null, 2));
    return;
  }
  const rows = outcomes.map((outcome) => {
    const result = 'result' in outcome ? outcome.result : null;
    const why = 'why' in outcome ? outcome.why : '';
    const [summary, output] = result === null ? ['', ''] : text(result);
    return { line: [outcome.queue, outcome.kind, why || summary], output };
  });
  console.log(table([['queue', 'outcome', ''], ...rows.map(({ line }) => line)]));
  for (const { line, output } of rows) if (output !== '') console.log(`\n== ${line[0]}\n${output}`);
}
