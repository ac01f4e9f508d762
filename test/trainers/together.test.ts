/**
 * A training over two machines with a stand-in for Levanter, on a real Temporal server: one machine fails, the other is
 * ended with it, both begin anew, and the export becomes the checkpoint. Needs PyTorch for the scripts around it. Costs
 * about 30 s of CPU.
 */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { enginesConfigSchema } from '../../data/schemas/engines.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { readCheckpoint } from '../../model/checkpoint/checkpoint.ts';
import { skipsPython } from '../python/python.ts';
import { markedProcesses } from '../support/processes.ts';
import { localServer } from '../support/temporal.ts';
import { smallTraining } from './small-training.ts';
import { standInForLevanter } from './stand-in-levanter.ts';
import { queuesOf, smallInput, startMachine, trainTogether } from './together-training.ts';

const skipped = skipsPython('a training over several machines');

it.skipIf(skipped)('all machines train together, and again when one fails', async () => {
  const server = await localServer();
  onTestFinished(() => server.teardown());
  const { directory } = await smallTraining();
  const run = `together-${randomUUID().slice(0, 8)}`;
  const storeUri = pathToFileURL(join(directory, 'store')).href;
  const store = await openStore(storeUri);
  for (const [index, queue] of queuesOf(run).entries()) {
    const scratch = join(directory, String(index));
    await startMachine('together-worker.ts', [server.address, queue, storeUri, scratch], { STP_SCRATCH: scratch });
  }
  const python = await standInForLevanter(directory);
  await writeFile(join(directory, 'fail-1'), '');
  await writeFile(join(directory, 'hang-0'), '');
  const engines = enginesConfigSchema.parse({ trainer: { kind: 'levanter', python } });
  await trainTogether(server, engines, await smallInput(store, run, 20), async (start) => {
    const trained = await start();
    expect(trained).toMatchObject({ steps: 20, loss: expect.closeTo(4 - 18.5 / 20, 6) });
    const [, folder] = /^(checkpoints\/sft-[0-9a-f]{8})\//.exec(
      trained.checkpoint.manifest.uri.slice(store.root.length + 1),
    )!;
    const { training, manifest } = await readCheckpoint(join(directory, 'store', folder!, 'checkpoint'));
    expect(manifest.model).toBe(trained.checkpoint.model);
    expect(training).toMatchObject({ steps: 20, parent: null });
    // Both machines had the same configuration, but for their own folders.
    const config = async (machine: string) => parse(await readFile(join(directory, `config${machine}.yaml`), 'utf8'));
    const [first, second] = [await config('0'), await config('1')];
    expect(first.trainer.checkpointer).toEqual(second.trainer.checkpointer);
    expect(first.trainer.id).toBe(second.trainer.id);
    expect(first.initialize_from_hf).not.toBe(second.initialize_from_hf);
    expect(markedProcesses(run)).toEqual([]);
    // What is done is not done again: there is no Levanter any more.
    await writeFile(python, '#!/bin/sh\nexit 1\n');
    expect(await start()).toEqual(trained);
  });
});
