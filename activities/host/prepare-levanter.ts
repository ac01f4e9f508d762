/** First part of a training by Levanter: one machine puts rows and first weights into the store. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { contentId } from '@stp/config/ids';
import { startingPoint, trainingId, writeRows } from '@stp/language-model';
import { withHeartbeat } from '../edge.ts';
import type { RunMark, RunScratch, RunStore } from '../ports.ts';
import { once, readJson } from '../records/record-files.ts';
import { fetchCheckpoint, storeCheckpoint } from '../training/checkpoints.ts';
import {
  emptyFolder,
  type LevanterInput,
  type PreparedTraining,
  preparedSchema,
  trainingRequest,
} from '../training/levanter.ts';
import { type Trained, trainedSchema } from '../training/training.ts';

export function prepareLevanterActivity(ports: RunStore & RunScratch & RunMark) {
  return {
    /** Stores the machines' input, once. `trained` is the result if the training is already done. */
    async prepareLevanter(input: LevanterInput): Promise<PreparedTraining & { readonly trained: Trained | null }> {
      const { run, engine, config } = input;
      const digest = contentId(
        'train by levanter',
        input.examples.crc32c,
        input.init?.model ?? '',
        JSON.stringify([config, input.optimiser]),
      );
      const name = `${input.name}-${digest.slice(0, 8)}`;
      const store = await ports.store(run);
      const prepared = await once(store, `${name}/prepared.json`, preparedSchema, () =>
        withHeartbeat(async (signal) => {
          const work = await emptyFolder(await ports.scratch(run), `prepare-${digest}`);
          const examplesPath = join(work, 'examples.jsonl');
          await store.download(input.examples, examplesPath);
          const { heldOut } = input;
          const heldOutPath = heldOut === null || heldOut.count === 0 ? null : join(work, 'held-out.jsonl');
          if (heldOut !== null && heldOutPath !== null) await store.download(heldOut, heldOutPath);
          const initDirectory =
            input.init === null ? null : await fetchCheckpoint(store, input.init, await ports.scratch(run), signal);
          const paths = { examplesPath, heldOutPath, initDirectory, outputDirectory: '', stateDirectory: null };
          const request = { ...trainingRequest(input), ...paths };
          const runMark = ports.runMark(run);
          const start = await startingPoint(request, engine.base, work, { runMark, signal });
          const rowsDirectory = join(work, 'rows');
          const script = { python: engine.python, threads: config.modelThreads, runMark, signal, work };
          const rows = await writeRows(request, start.initDirectory, rowsDirectory, script);
          for (const file of [...rows.train.files, ...rows.heldOut.files])
            await store.putFile(`${name}/rows/${file}`, join(rowsDirectory, file), { signal });
          const isFresh = input.init === null && engine.base === null;
          const init = isFresh
            ? await storeCheckpoint(store, `${name}/init`, start.initDirectory, { signal })
            : input.init;
          const id = await trainingId(request, engine, start.parent);
          await rm(work, { recursive: true, force: true });
          const written = ({ files, rows: count, tokens }: (typeof rows)['train']) => ({
            files: [...files],
            rows: count,
            tokens,
          });
          const { train, heldOut: scored } = rows;
          const facts = { name, id, steps: request.steps, init, parent: start.parent };
          return { ...facts, train: written(train), heldOut: written(scored) };
        }),
      );
      const done = await store.stat(`${name}/trained.json`);
      return { ...prepared, trained: done === null ? null : await readJson(store, done, trainedSchema) };
    },
  };
}
