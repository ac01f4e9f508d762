/** Recorded histories of a real run replay: the workflows' code still makes the same decisions. Costs about 5 s. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, expect, it } from 'vitest';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';

const directory = join(import.meta.dirname, '..', 'histories');
const names = readdirSync(directory).filter((name) => name.endsWith('.json'));
const read = (name: string) =>
  JSON.parse(readFileSync(join(directory, name), 'utf8')) as { workflowId: string; history: unknown };
let codePath: string;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  codePath = await workflowBundle(workerSettings().cacheDirectory);
});

it('there are histories of the run, its baseline and a round', () => {
  expect(names.sort()).toEqual(['baseline.json', 'round.json', 'selfplay.json']);
});

it.each(names)('%s replays', async (name) => {
  const { workflowId, history } = read(name);
  await Worker.runReplayHistory({ workflowBundle: { codePath } }, history, workflowId);
});

it('a history in which an activity has another name does not replay', async () => {
  const { workflowId, history } = read('round.json');
  const altered = JSON.parse(JSON.stringify(history).replaceAll('"planShards"', '"cutShards"')) as unknown;
  await expect(Worker.runReplayHistory({ workflowBundle: { codePath } }, altered, workflowId)).rejects.toThrow();
});
