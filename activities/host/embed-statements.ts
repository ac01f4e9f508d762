/** Embeds statements for the transport (docs/algorithm.md, section 7), with the model that conjectured them. */

import type { RunConfig } from '@stp/config';
import { type ArtifactRef, artifactRefSchema, type CheckpointRef } from '@stp/config/records';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import { metricsAt } from '../metrics.ts';
import type { RunModel, RunMonitor, RunScratch, RunStore } from '../ports.ts';
import { once, readRecords } from '../records/record-files.ts';
import { writeVectors } from '../records/vector-files.ts';
import { fetchCheckpoint } from '../training/checkpoints.ts';

/** Schema of a record that is embedded: only its text is read. */
const embeddableSchema = z.object({ text: z.string() });

/** Texts in a vector file; at 4,096 dimensions the file has 64 MiB. Finished files are not computed again. */
const VECTORS_PER_FILE = 4_096;

export interface EmbedStatementsInput {
  readonly run: string;
  /** Folder of the vectors. */
  readonly name: string;
  /** Records with a `text`. */
  readonly statements: ArtifactRef;
  readonly checkpoint: CheckpointRef;
  readonly config: Pick<RunConfig, 'modelThreads'>;
}

export function embedStatementsActivity(ports: RunStore & RunScratch & RunModel<'embed'> & RunMonitor) {
  return {
    /** Writes vector files in the order of the statements, with at most `VECTORS_PER_FILE` vectors each. */
    async embedStatements(input: EmbedStatementsInput): Promise<ArtifactRef[]> {
      const { run, name, checkpoint, statements } = input;
      const store = await ports.store(run);
      return once(store, `${name}/embedded.json`, z.array(artifactRefSchema), () =>
        withHeartbeat(async (signal, report) => {
          const directory = await fetchCheckpoint(store, checkpoint, await ports.scratch(run), signal);
          const generator = await ports.generator(run, directory, input.config.modelThreads, signal);
          const started = performance.now();
          const files: ArtifactRef[] = [];
          let texts: string[] = [];
          const finishFile = async (): Promise<void> => {
            const batch = texts;
            texts = [];
            const part = `${name}/${String(files.length).padStart(4, '0')}`;
            const ref = await once(store, `${part}.json`, artifactRefSchema, async () =>
              writeVectors(store, `${part}-*.vectors`, await generator.embed(batch, { signal }), signal),
            );
            files.push(ref);
            report({ embedded: files.reduce((sum, file) => sum + file.count, 0), of: statements.count });
          };
          for await (const { text } of readRecords(store, statements, embeddableSchema)) {
            texts.push(text);
            if (texts.length === VECTORS_PER_FILE) await finishFile();
          }
          if (texts.length > 0) await finishFile();
          const monitor = await ports.monitor(run);
          const seconds = (performance.now() - started) / 1_000;
          await monitor.log(metricsAt(name, 0, { embeddings_per_second: statements.count / seconds }));
          return files;
        }),
      );
    },
  };
}
