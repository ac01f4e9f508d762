/**
 * Recorded histories replay: the workflows' code still makes the same decisions. Those of a real run were recorded by
 * `record-histories.ts`, those of runs to which things happen by `record-scenarios.ts`. Costs about 15 s.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, expect, it } from 'vitest';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';

const directory = join(import.meta.dirname, '..', 'histories');
const names = readdirSync(directory).sort();
const read = (name: string) => {
  const bytes = readFileSync(join(directory, name));
  const text = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  return JSON.parse(text.toString('utf8')) as { workflowId: string; history: { events: HistoryEvent[] } };
};
/** What of an event is looked at here, as it is written to JSON. */
interface HistoryEvent {
  readonly eventType: string;
  readonly activityTaskStartedEventAttributes?: { readonly attempt?: number };
}
const eventsOf = (name: string) => read(name).history.events;
const typesOf = (name: string): Set<string> => new Set(eventsOf(name).map(({ eventType }) => eventType));
let codePath: string;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  codePath = await workflowBundle(workerSettings().cacheDirectory);
});

it('there are histories of all that happens to a run', () => {
  // A whole run with real work.
  expect(names.filter((name) => name.endsWith('.json'))).toEqual(['baseline.json', 'round.json', 'selfplay.json']);
  for (const name of ['retries', 'retries-round'])
    expect(
      eventsOf(`${name}.json.gz`).some((event) => (event.activityTaskStartedEventAttributes?.attempt ?? 1) > 2),
    ).toBe(true);
  expect(typesOf('failed-round.json.gz')).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_FAILED');
  const retried = typesOf('retried-round.json.gz');
  expect(retried).toContain('EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED');
  expect(retried).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED');
  expect(typesOf('continued-1.json.gz')).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW');
  expect(typesOf('continued-2.json.gz')).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED');
  const asked = eventsOf('cloud.json.gz').filter((event) => JSON.stringify(event).includes('"requestNodes"'));
  expect(asked).toHaveLength(2);
  expect(names).toEqual(
    expect.arrayContaining([
      'cloud-round.json.gz',
      'evaluation.json.gz',
      'grown.json.gz',
      'grown-round.json.gz',
      'grown-round-one-pass.json.gz',
      'janitor.json.gz',
    ]),
  );
});

it('every one of them replays', async () => {
  const results = Worker.runReplayHistories({ workflowBundle: { codePath } }, names.map(read));
  const replayed = await Array.fromAsync(results);
  expect(replayed.flatMap(({ workflowId, error }) => (error ? [`${workflowId}: ${error.stack}`] : []))).toEqual([]);
  expect(replayed).toHaveLength(names.length);
});

it('a history in which an activity has another name does not replay', async () => {
  const { workflowId, history } = read('round.json');
  const altered = JSON.parse(JSON.stringify(history).replaceAll('"planShards"', '"cutShards"')) as unknown;
  await expect(Worker.runReplayHistory({ workflowBundle: { codePath } }, altered, workflowId)).rejects.toThrow();
});
