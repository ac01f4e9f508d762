/**
 * The library of a run that grows (`library: grow`): what earlier rounds certified, conjectures and statements of the dataset, becomes
 * theorems that later proofs may name, and lemmas that later conjectures may have to share.
 */
import { z } from 'zod';
import { ownDefinitions } from '../../data/lean-text/own-definitions.ts';
import { type ArtifactRef, artifactRefSchema } from '../../data/schemas/artifact.ts';
import { type Proved, provedSchema, type Statement } from '../../data/schemas/records.ts';
import type { RoundManifest } from '../../data/schemas/round.ts';
import type { RunConfig } from '../../data/schemas/run-config.ts';
import type { ObjectStore } from '../../infra/stores/object-store.ts';
import { grownMarks } from '../../lean/library/grow.ts';
import { closingLines } from '../../lean/trust/header.ts';
import { GROWN_NAMESPACE, headerOf, LEMMA_MARKS } from '../../lean/trust/kept-theorem.ts';
import { readSignature } from '../../selfplay/signature.ts';
import { PROPOSITION } from '../../selfplay/slots/slot-table.ts';
import { withHeartbeat } from '../edge.ts';
import type { Ports } from '../ports.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';
import { readManifests } from '../run/history.ts';
import type { RoundContext } from './conjecture.ts';

export const grownTheoremSchema = z.strictObject({
  /** `Grown.g17`: short and numbered in the order of growth, so that a model can learn it. */
  name: z.string().regex(/^Grown\.g[1-9]\d*$/),
  /** Round that proved it. */
  round: z.number().int().nonnegative(),
  origin: z.enum(['dataset', 'conjecture']).default('conjecture'),
  statementId: z.string(),
  header: z.string().nullable(),
  statement: z.string(),
  proof: z.string(),
  /** Library and grown theorems that the proof names. */
  premises: z.array(z.string()),
  /** Grown theorems that its compiled proof mentions; missing in older libraries. */
  restsOn: z.array(z.string()).optional(),
  /** How proofs that open the library's marks use it (`lean/trust/kept-theorem.ts`). */
  marks: z.array(z.enum(LEMMA_MARKS)).default([]),
  /** Ids of statements of an evaluation that it states in other words; as little as itself may they have its marks. */
  restates: z.array(z.string()).optional(),
});
export type GrownRecord = z.infer<typeof grownTheoremSchema>;

/**
 * Theorems that a round adds at most, those proved least often first: each costs compiling once a node and a place in the
 * environment of every later check. A thousand compile in some ten seconds.
 */
const GROWN_PER_ROUND_MAX = 1_000;

const grownSchema = z.strictObject({ library: artifactRefSchema.nullable() });

/** The theorems of a library in order; none for null. */
export async function* grownTheorems(store: ObjectStore, library: ArtifactRef | null): AsyncGenerator<GrownRecord> {
  if (library !== null) yield* readRecords(store, library, grownTheoremSchema);
}

/**
 * The namespace whose marks a statement may have; null where there is none. For a theorem of the library, and what it states in
 * other words (`restates`), it is that of the rounds before: its own mark would prove it.
 */
export function marksFor(
  grown: readonly GrownRecord[],
): (statement: Pick<Statement, 'id' | 'header'>) => string | null {
  const rounds = new Map<string, number>();
  for (const { statementId, restates = [], round } of grown)
    for (const id of [statementId, ...restates]) rounds.set(id, Math.min(round, rounds.get(id) ?? round));
  const before = new Map<number, ReadonlyMap<string | null, string>>();
  const marksBefore = (round: number): ReadonlyMap<string | null, string> => {
    const known = before.get(round) ?? grownMarks(grown.filter((one) => one.round < round));
    before.set(round, known);
    return known;
  };
  return ({ id, header }) => marksBefore(rounds.get(id) ?? Number.POSITIVE_INFINITY).get(header) ?? null;
}

export function libraryActivities(ports: Ports) {
  return {
    /**
     * The library of a round: that of the round before and, of its certified statements, the shortest proof each that
     * compiles. Null while no module exists.
     */
    async growLibrary(input: Omit<RoundContext, 'library'>): Promise<ArtifactRef | null> {
      const { run, name, history, config } = input;
      const store = await ports.store(run);
      const last = history.at(-1);
      if (last === undefined) return null;
      const { library } = await once(store, `${name}/library.json`, grownSchema, () =>
        withHeartbeat(async (signal) => {
          const { before, added } = await libraryAfter(ports, run, last, config, signal);
          if (added.length === 0) return { library: before };
          const all = [...(await Array.fromAsync(grownTheorems(store, before))), ...added];
          return { library: await writeRecords(store, `${name}/library-*.jsonl`, all, signal) };
        }),
      );
      return library;
    },
  };
}

/** The library that a round had, and what its certified statements add to it. */
export async function libraryAfter(
  ports: Pick<Ports, 'store' | 'growable'>,
  run: string,
  round: ArtifactRef,
  { verification }: Pick<RunConfig, 'verification'>,
  signal: AbortSignal,
): Promise<{ readonly before: ArtifactRef | null; readonly added: readonly GrownRecord[] }> {
  const store = await ports.store(run);
  const [manifest] = await readManifests(store, [round]);
  const { library: before } = manifest!;
  const earlier = await Array.fromAsync(grownTheorems(store, before));
  const next = await nextTheorems(store, manifest!, earlier);
  if (next.length === 0) return { before, added: [] };
  const fit = await ports.growable(run, earlier, next, verification, signal);
  const marks = new Map(fit.map((theorem) => [theorem.name, [...theorem.marks]]));
  return {
    before,
    added: next.flatMap((one) => (marks.has(one.name) ? [{ ...one, marks: marks.get(one.name)! }] : [])),
  };
}

async function nextTheorems(
  store: ObjectStore,
  { proved, round }: RoundManifest,
  earlier: readonly GrownRecord[],
): Promise<GrownRecord[]> {
  const known = new Set(earlier.map((theorem) => theorem.statementId));
  const shortest = new Map<string, Proved>();
  for await (const proof of readRecords(store, proved, provedSchema)) {
    if (known.has(proof.statementId)) continue;
    const seen = shortest.get(proof.statementId);
    if (seen === undefined || isShorter(proof, seen)) shortest.set(proof.statementId, proof);
  }
  const first = 1 + Math.max(0, ...earlier.map(({ name }) => Number(name.slice(GROWN_NAMESPACE.length + 2))));
  const headers = new Set([...shortest.values()].map(({ header }) => header));
  const growing = new Set([...headers].filter(canGrow));
  return [...shortest.values()]
    .filter(({ header }) => growing.has(header))
    .sort((a, b) => a.passRate - b.passRate || (a.statementId < b.statementId ? -1 : 1))
    .slice(0, GROWN_PER_ROUND_MAX)
    .map(({ statementId, header, statement, proof, premises, restsOn, origin }, index) => {
      const name = `${GROWN_NAMESPACE}.g${first + index}`;
      const marks: GrownRecord['marks'] = isConditional(statement) ? ['grind ='] : [...LEMMA_MARKS];
      return { name, round, origin, statementId, header, statement, proof, premises, restsOn, marks };
    });
}

/**
 * What a header defines is not there for another header, and twice under its own. A namespace or section that it leaves open would
 * hold its grown theorems, and all that stands below them in one file.
 */
function canGrow(header: string | null): boolean {
  return ownDefinitions(header).length === 0 && closingLines(headerOf(header)).length === 0;
}

/** Has it hypotheses? As a rewrite rule it would have `simp` prove them wherever its left side stands. */
function isConditional(statement: string): boolean {
  const signature = readSignature(statement);
  if (signature === null) return true;
  return signature.antecedents.length > 0 || signature.binders.some(({ type }) => PROPOSITION.test(type));
}

function isShorter(a: Proved, b: Proved): boolean {
  return a.proof.length < b.proof.length || (a.proof.length === b.proof.length && a.proof < b.proof);
}
