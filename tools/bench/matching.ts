/**
 * Measures matching of conjectures at the paper's size: a part of its unproved statements against all its conjectures,
 * with the activity's own code, extrapolated to all. Embeddings are artificial: clustered around a few directions, like
 * those of a model.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArtifactRef } from '@stp/config/records';
import { norm, randomStream, Transport } from '@stp/selfplay';
import { similarityRows, undecidedMadeExact } from '../../activities/host/match-conjectures.ts';
import { writeVectors } from '../../activities/records/vector-files.ts';
import { openVectorSet, type VectorSet } from '../../activities/records/vector-set.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { row } from './measure.ts';

const CONJECTURES = 20_000;
const TARGETS = 64_000;
const DIMENSIONS = 4_096;
/** About what the activity computes at once. */
const TARGETS_MEASURED = 1_600;
const VECTORS_PER_FILE = 4_000;
const DIRECTIONS = 16;
const CAP = { weightCap: 3, capInclusive: false };

export async function benchMatching(directory: string): Promise<void> {
  const { signal } = new AbortController();
  const store = await openStore(pathToFileURL(join(directory, 'matching')).href);
  const random = randomStream(1, 'matching');
  const directions = Array.from({ length: DIRECTIONS }, () => random.next());
  const vector = (): Float32Array => {
    const centre = directions[Math.floor(random.next() * DIRECTIONS)]!;
    const made = Float32Array.from({ length: DIMENSIONS }, (_, d) => Math.sin(centre * d) + 2 * (random.next() - 0.5));
    const length = norm(made);
    return made.map((value) => value / length);
  };
  const set = async (name: string, count: number): Promise<VectorSet> => {
    const refs: ArtifactRef[] = [];
    for (let at = 0; at < count; at += VECTORS_PER_FILE) {
      const vectors = Array.from({ length: Math.min(VECTORS_PER_FILE, count - at) }, vector);
      refs.push(await writeVectors(store, `${name}/${at}-*`, vectors, signal));
    }
    return openVectorSet(store, refs, join(directory, name));
  };
  const [conjectures, targets] = [await set('conjectures', CONJECTURES), await set('targets', TARGETS_MEASURED)];
  try {
    const transport = new Transport(CONJECTURES, new Array<number>(TARGETS_MEASURED).fill(1), CAP);
    const started = performance.now();
    let exact = 0;
    for await (const found of similarityRows(targets, conjectures, signal)) {
      exact += await undecidedMadeExact(transport, found, 1, conjectures);
      transport.receive(found.similarities, 1);
    }
    const seconds = (performance.now() - started) / 1_000;
    const products = TARGETS_MEASURED * CONJECTURES * DIMENSIONS;
    row('matching: matrix product and choice', (2 * products) / seconds / 1e9, 'GFLOP/s');
    row('matching: computed again in 64 bits', exact / TARGETS_MEASURED, 'a statement', 2);
    row(
      `matching ${CONJECTURES} × ${TARGETS} × ${DIMENSIONS}, extrapolated`,
      (seconds * TARGETS) / TARGETS_MEASURED / 60,
      'minutes',
      1,
    );
    row('matching: memory', process.memoryUsage().rss / 2 ** 20, 'MiB');
  } finally {
    await conjectures.close();
    await targets.close();
  }
}
