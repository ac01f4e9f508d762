/** Embedding and matching over a real store: vector files, blocks, weights, and what is done once. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import { type ArtifactRef, NO_ROUND_COUNTS, type ObjectStore, type RoundManifest } from '@stp/config/records';
import { proved, statement } from '@stp/config/testing';
import { innerProduct } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseConjecturesActivity } from '../../activities/control/choose-conjectures.ts';
import { embedStatementsActivity } from '../../activities/host/embed-statements.ts';
import { matchConjecturesActivity, similarityRows } from '../../activities/host/match-conjectures.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { VectorFile, writeVectors } from '../../activities/records/vector-files.ts';
import { openVectorSet } from '../../activities/records/vector-set.ts';
import { chosenConjectureSchema, transportTargetSchema } from '../../activities/round/chosen-conjectures.ts';
import { conjectureRecordSchema } from '../../activities/round/conjecture-records.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { selectionConfig } from './measured-selection.ts';
import { writeSyntheticRound } from './synthetic-round.ts';

const { signal } = new AbortController();
let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-transport-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const run = <A, R>(activity: (input: A) => Promise<R>, input: A): Promise<R> =>
  new MockActivityEnvironment().run(activity, input) as Promise<R>;

/** A vector that depends on the text alone: towards the axis of its first letter, a bit to the one of its last. */
function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(26);
  const axis = (letter: string): number => letter.charCodeAt(0) % 26;
  vector[axis(text[0]!)] = 0.8;
  vector[axis(text.at(-1)!)]! += 0.6;
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

const vectorsOf = (values: readonly (readonly number[])[]): Float32Array[] =>
  values.map((row) => Float32Array.from(row));

describe('vector files', () => {
  const vectors = fc
    .record({
      length: fc.integer({ min: 1, max: 5 }),
      sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
    })
    .map(({ length, sizes }) =>
      sizes.map((size, file) =>
        vectorsOf(Array.from({ length: size }, (_, at) => Array.from({ length }, (__, d) => file + at / 7 + d / 13))),
      ),
    );

  it('come back in any part, over the bounds of files', async () => {
    let folder = 0;
    await fc.assert(
      fc.asyncProperty(vectors, fc.nat(20), fc.nat(20), async (files, a, b) => {
        folder++;
        const refs: ArtifactRef[] = [];
        for (const [index, file] of files.entries())
          refs.push(await writeVectors(store, `${folder}/${index}-*`, file, signal));
        const set = await openVectorSet(store, refs, join(directory, `${folder}`));
        const all = files.flat();
        const start = Math.min(a, all.length - 1);
        const count = Math.min(b, all.length - start);
        const target = new Float32Array(count * set.length);
        await set.read(start, count, target);
        expect(set.count).toBe(all.length);
        expect([...target]).toEqual(all.slice(start, start + count).flatMap((vector) => [...vector]));
        await set.close();
      }),
      { numRuns: 25, seed: 1 },
    );
  });
  it('refuse what is no number, and files of other lengths or kinds', async () => {
    await expect(writeVectors(store, 'nan', vectorsOf([[1, Number.NaN]]), signal)).rejects.toMatchObject({
      code: 'STP1301',
    });
    await expect(writeVectors(store, 'odd', vectorsOf([[1, 2], [1]]), signal)).rejects.toMatchObject({
      code: 'STP1301',
    });
    const two = [
      await writeVectors(store, 'a', vectorsOf([[1, 2]]), signal),
      await writeVectors(store, 'b', vectorsOf([[1]]), signal),
    ];
    await expect(openVectorSet(store, two, directory)).rejects.toMatchObject({ code: 'STP1402' });
    await writeFile(join(directory, 'text'), 'STPV but not vectors');
    await expect(VectorFile.open(join(directory, 'text'), 'text')).rejects.toMatchObject({ code: 'STP1402' });
  });
});

it('similarities are right in blocks of any size', async () => {
  const texts = Array.from({ length: 40 }, (_, index) =>
    String.fromCharCode(97 + (index % 26), 97 + ((index * 7) % 26)),
  );
  const vectors = texts.map(vectorOf);
  const refs = [
    await writeVectors(store, 'x', vectors.slice(0, 23), signal),
    await writeVectors(store, 'y', vectors.slice(23), signal),
  ];
  for (const [similarityBytes, blockBytes] of [
    [1e6, 1e6],
    [1, 1],
    [500, 300],
    [2_000, 26 * 4 * 7],
  ] as const) {
    const targets = await openVectorSet(store, [refs[1]!], directory);
    const conjectures = await openVectorSet(store, refs, directory);
    let row = 23;
    for await (const found of similarityRows(targets, conjectures, signal, { similarityBytes, blockBytes })) {
      expect([...found.vector]).toEqual([...vectors[row]!]);
      expect(found.tolerance).toBeLessThan(1e-5);
      for (const [column, vector] of vectors.entries())
        expect(Math.abs(found.similarities[column]! - innerProduct(vectors[row]!, vector))).toBeLessThan(
          found.tolerance,
        );
      row += 1;
    }
    expect(row).toBe(40);
    await targets.close();
    await conjectures.close();
  }
});

describe('matching', () => {
  const config = resolveConfig({ preset: 'stp-paper' });
  const match = async (conjectures: readonly string[], targets: readonly (readonly [string, number])[]) => {
    let embedded = 0;
    const generator = {
      embed: async (texts: readonly string[]) => {
        embedded += texts.length;
        return texts.map(vectorOf);
      },
    };
    const scratch = join(directory, 'scratch');
    // The checkpoint's folder is there already: nothing of a model is read.
    await mkdir(join(scratch, 'checkpoints', 'm-AAAAAA__'), { recursive: true });
    const ports = {
      store: async () => store,
      scratch: async () => scratch,
      generator: async () => generator,
      monitor: async () => ({ log: async () => undefined }),
    };
    const checkpoint = {
      model: 'm',
      manifest: { uri: 'file:///none', generation: '1', crc32c: 'AAAAAA==', bytes: 1, count: 1 },
    };
    const chosen = await writeRecords(
      store,
      'chosen.jsonl',
      conjectures.map((text, index) => ({ id: `c${index}`, text, withLemma: true, weight: 0.5 })),
    );
    const wanted = await writeRecords(
      store,
      'targets.jsonl',
      targets.map(([text, count], index) => ({ id: `t${index}`, text, count })),
    );
    const { embedStatements } = embedStatementsActivity(ports);
    const embed = (name: string, statements: ArtifactRef) =>
      run(embedStatements, { run: 'test', name, statements, checkpoint, config });
    const chosenVectors = await embed('v/c', chosen);
    const targetVectors = await embed('v/t', wanted);
    expect(await embed('v/t', wanted)).toEqual(targetVectors);
    expect(embedded).toBe(conjectures.length + targets.length);
    const input = { run: 'test', name: 'm', config, chosen, chosenVectors, targets: wanted, targetVectors };
    const matched = await run(matchConjecturesActivity(ports).matchConjectures, input);
    return readAll(store, matched, chosenConjectureSchema);
  };

  it('sends every statement to its nearest conjecture and drops those that none is near to', async () => {
    const matched = await match(
      ['ax', 'bx', 'cx', 'dx'],
      [
        ['ay', 1],
        ['bz', 1],
        ['ay', 1],
        ['cy', 1],
      ],
    );
    expect(matched.map(({ id, weight }) => [id, weight])).toEqual([
      ['c0', 1],
      ['c1', 0.5],
      ['c2', 0.5],
    ]);
  });
  it('conserves the sum of weights with matching counts above the number of conjectures', async () => {
    const matched = await match(
      ['ax', 'bx', 'cx'],
      [
        ['ay', 128],
        ['bz', 1],
      ],
    );
    expect(matched.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(0.5 * 3, 12);
  });
  it('refuses vectors of other statements', async () => {
    const ports = { store: async () => store, scratch: async () => directory };
    const one = [await writeVectors(store, 'one', vectorsOf([[1, 0]]), signal)];
    const chosen = await writeRecords(
      store,
      'two.jsonl',
      ['a', 'b'].map((id) => ({ id, text: id, withLemma: true, weight: 1 })),
    );
    const targets = await writeRecords(store, 'target.jsonl', [{ id: 't', text: 't', count: 1 }]);
    const input = { run: 'test', name: 'm', config, chosen, chosenVectors: one, targets, targetVectors: one };
    await expect(run(matchConjecturesActivity(ports).matchConjectures, input)).rejects.toMatchObject({
      code: 'STP1402',
    });
  });
});

describe('what is matched', () => {
  const choose = async (enabled: boolean) => {
    const round = await writeSyntheticRound(store, selectionConfig, 6_400, 200);
    const statements = ['a', 'b', 'c', 'd'].map((name) =>
      statement(`theorem ${name} : ${name} = ${name}`, { labels: ['set'] }),
    );
    const [now, earlier, open, other] = statements;
    const rate = (id: string) => ({ statementId: id, origin: 'dataset', attempts: 8, successes: 1 });
    const conjectures = await readAll(store, round.conjectures, conjectureRecordSchema);
    const one = conjectures[0]!;
    const rates = await writeRecords(store, 'earlier.jsonl', [rate(earlier!.id)]);
    const empty = await writeRecords(store, 'nothing.jsonl', []);
    const manifest = {
      round: 0,
      modelIn: 'm',
      rates,
      proved: empty,
      conjectures: null,
      conjecturerExamples: null,
      examples: null,
      library: null,
      shards: [],
      counts: NO_ROUND_COUNTS,
    } satisfies RoundManifest;
    const config = resolveConfig({ preset: 'stp-code', set: enabled ? {} : { 'conjectures.transport': null } });
    config.data.weights = {
      set: [
        { fromRound: 0, weight: 1 },
        { fromRound: 1, weight: 128 },
      ],
    };
    const ports = { store: async () => store, scratch: async () => directory };
    const data = { ...round.context.data, train: await writeRecords(store, 'train.jsonl', statements) };
    const chosen = await run(chooseConjecturesActivity(ports).chooseConjectures, {
      ...round.context,
      config,
      data,
      history: [await store.put('manifest.json', JSON.stringify(manifest))],
      conjectures: round.conjectures,
      rates: await writeRecords(store, 'rates.jsonl', [rate(now!.id), { ...rate(one.id), origin: 'conjecture' }]),
      proved: await writeRecords(store, 'proved.jsonl', [
        proved(now!.statement, 'rfl'),
        proved(one.statement, 'rfl', { statementId: one.id, origin: 'conjecture', premises: [one.lemma!] }),
      ]),
    });
    return { chosen, open: [open!.id, other!.id], one };
  };
  it('are the chosen conjectures and the statements without a certified proof in any round, at their weight of the round', async () => {
    const { chosen, open, one } = await choose(true);
    expect(await readAll(store, chosen.chosen, chosenConjectureSchema)).toMatchObject([
      { id: one.id, withLemma: true, weight: 1 },
    ]);
    const targets = await readAll(store, chosen.targets!, transportTargetSchema);
    expect(targets.map(({ id }) => id).sort()).toEqual(open.toSorted());
    expect(targets.map(({ count }) => count)).toEqual([128, 128]);
    expect(targets[0]!.text).toMatch(/^: (\w) = \1$/);
  });
  it('is nothing where the transport is off', async () => {
    expect((await choose(false)).chosen.targets).toBeNull();
  });
});
