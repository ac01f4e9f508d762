/**
 * Records the histories that `replay.process.test.ts` replays: `node test/workflows/record-histories.ts RUN_DIR` for a finished run,
 * its Temporal database still in the run folder. Writes test/histories/*.json.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { temporalExecutable } from '../../cli/temporal.ts';
import { startDevServer } from '../../infra/temporal/dev-server.ts';
import { workerSettings } from '../../workers/settings.ts';
import { roundWorkflowId, selfplayWorkflowId } from '../../workflows/control/contracts.ts';

const runDirectory = resolve(process.argv[2] ?? '');
const run = basename(runDirectory);
const { executable } = await temporalExecutable(workerSettings(), console.error);
const server = await startDevServer({ executable, dbFilename: join(runDirectory, 'temporal', 'history.db') });
const connection = await Connection.connect({ address: server.address });
try {
  const client = new Client({ connection });
  const directory = join(import.meta.dirname, '..', 'histories');
  await mkdir(directory, { recursive: true });
  for (const [name, workflowId] of [
    ['selfplay', selfplayWorkflowId(run)],
    ['baseline', roundWorkflowId(run, 0)],
    ['round', roundWorkflowId(run, 1)],
  ] as const) {
    const history = await client.workflow.getHandle(workflowId).fetchHistory();
    const text = JSON.stringify({ workflowId, history: JSON.parse(historyToJSON(history)) });
    await writeFile(join(directory, `${name}.json`), `${text}\n`);
    console.log(`${name}: ${history.events?.length} events`);
  }
} finally {
  await connection.close();
  await server.stop();
}
