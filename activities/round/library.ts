/**
 * The library of a run that grows (`library: grow`). Certified conjectures and dataset statements become theorems that
 * later proofs may name, and lemmas that later conjectures may have to share. The library grows twice a round: by the
 * previous round, and by the round's own conjectures before its statements are tried.
 */

import type { RunConfig } from '@stp/config';
import {
  type ArtifactRef,
  type ObjectStore,
  type Proved,
  provedSchema,
  type RoundManifest,
  type Statement,
} from '@stp/config/records';
import { ownDefinitions } from '@stp/lean-text';
import { closingLines, GROWN_NAMESPACE, grownMarks, headerOf, LEMMA_MARKS } from '@stp/lean-verifier';
import { PROPOSITION, readSignature } from '@stp/selfplay';
import { z } from 'zod';
import type { LibraryGrowth, RunStore } from '../ports.ts';
import { readRecords } from '../records/record-files.ts';

export const grownTheoremSchema = z.strictObject({
  /** Such as `Grown.g17`: short and numbered in the order of growth, so that a model can learn it. */
  name: z.string().regex(/^Grown\.g[1-9]\d*$/),
  /** Round that proved it. */
  round: z.number().int().nonnegative(),
  /** Index of the growth that added it. */
  generation: z.number().int().nonnegative(),
  origin: z.enum(['dataset', 'conjecture']),
  statementId: z.string(),
  header: z.string().nullable(),
  statement: z.string(),
  proof: z.string(),
  /** Library and grown theorems that the proof names. */
  premises: z.array(z.string()),
  /** Grown theorems that its compiled proof mentions; missing where the proof has no certificate below these alone. */
  restsOn: z.array(z.string()).optional(),
  /** How proofs that open the library's marks may use it (`packages/lean-verifier/trust/kept-theorem.ts`). */
  marks: z.array(z.enum(LEMMA_MARKS)),
  /** Ids of evaluated statements that it states in other words. They may not use its marks either. */
  restates: z.array(z.string()).optional(),
});
export type GrownRecord = z.infer<typeof grownTheoremSchema>;

/**
 * Most theorems that one growth adds under a header; those proved least often come first. Each is compiled once on each
 * node and enlarges the environment of every later check under that header. A thousand compile in some ten seconds.
 */
const GROWN_AT_ONCE_MAX = 1_000;

/** Libraries that stay in memory: all shards of a round read the same one. */
const LIBRARIES_KEPT = 2;
const kept = new Map<string, Promise<readonly GrownRecord[]>>();

/**
 * Returns the theorems of a library in order; none for null. Equal libraries are one array, so what is made from it can
 * be kept with it.
 */
export function grownLibrary(store: ObjectStore, library: ArtifactRef | null): Promise<readonly GrownRecord[]> {
  const key = JSON.stringify(library);
  const found = kept.get(key) ?? Array.fromAsync(grownTheorems(store, library));
  kept.delete(key);
  kept.set(key, found);
  found.catch(() => kept.delete(key));
  if (kept.size > LIBRARIES_KEPT) kept.delete(kept.keys().next().value!);
  return found;
}

/** Yields the theorems of a library in order; none for null. */
export async function* grownTheorems(store: ObjectStore, library: ArtifactRef | null): AsyncGenerator<GrownRecord> {
  if (library !== null) yield* readRecords(store, library, grownTheoremSchema);
}

/**
 * Returns the namespace whose marks a statement may use, or null. A theorem of the library, or a statement that one
 * restates (`restates`), may use only the marks of earlier generations: its own mark would prove it.
 */
export function marksFor(
  grown: readonly GrownRecord[],
): (statement: Pick<Statement, 'id' | 'header'>) => string | null {
  const generations = new Map<string, number>();
  for (const { statementId, restates = [], generation } of grown)
    for (const id of [statementId, ...restates])
      generations.set(id, Math.min(generation, generations.get(id) ?? generation));
  const before = new Map<number, ReadonlyMap<string | null, string>>();
  const marksBefore = (generation: number): ReadonlyMap<string | null, string> => {
    const known = before.get(generation) ?? grownMarks(grown.filter((one) => one.generation < generation));
    before.set(generation, known);
    return known;
  };
  return ({ id, header }) => marksBefore(generations.get(id) ?? Number.POSITIVE_INFINITY).get(header) ?? null;
}

/** The certificates by which a library grows. */
export type Certificates = Pick<RoundManifest, 'round' | 'library' | 'proved'>;

/** Returns the library below certified proofs with the theorems that they add. */
export async function libraryAfter(
  ports: RunStore & LibraryGrowth,
  run: string,
  certificates: Certificates,
  { verification }: Pick<RunConfig, 'verification'>,
  signal: AbortSignal,
): Promise<{ readonly before: ArtifactRef | null; readonly added: readonly GrownRecord[] }> {
  const store = await ports.store(run);
  const { library: before } = certificates;
  const earlier = await Array.fromAsync(grownTheorems(store, before));
  const next = await nextTheorems(store, certificates, earlier);
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
  { proved, round }: Certificates,
  earlier: readonly GrownRecord[],
): Promise<GrownRecord[]> {
  const known = new Set(earlier.map((theorem) => theorem.statementId));
  const shortest = new Map<string, Proved>();
  for await (const proof of readRecords(store, proved, provedSchema)) {
    if (known.has(proof.statementId)) continue;
    const seen = shortest.get(proof.statementId);
    if (seen === undefined || isShorter(proof, seen)) shortest.set(proof.statementId, proof);
  }
  const generation = 1 + Math.max(-1, ...earlier.map((one) => one.generation));
  const first = 1 + Math.max(0, ...earlier.map(({ name }) => Number(name.slice(GROWN_NAMESPACE.length + 2))));
  const headers = new Set([...shortest.values()].map(({ header }) => header));
  const growing = new Set([...headers].filter(canGrow));
  const sorted = [...shortest.values()]
    .filter(({ header }) => growing.has(header))
    .sort((a, b) => a.passRate - b.passRate || (a.statementId < b.statementId ? -1 : 1));
  const byHeader = Map.groupBy(sorted, ({ header }) => header);
  const added = new Set([...byHeader.values()].flatMap((own) => own.slice(0, GROWN_AT_ONCE_MAX)));
  return sorted
    .filter((one) => added.has(one))
    .map(({ statementId, header, statement, proof, premises, certificate: { restsOn }, origin }, index) => {
      const name = `${GROWN_NAMESPACE}.g${first + index}`;
      const marks: GrownRecord['marks'] = isConditional(statement) ? ['grind ='] : [...LEMMA_MARKS];
      return { name, round, generation, origin, statementId, header, statement, proof, premises, restsOn, marks };
    });
}

/**
 * Returns whether theorems under a header can join the library. A header's definitions are missing under another header
 * and would be repeated under the same one. A namespace or section that the header leaves open would enclose the grown
 * theorems and everything after them in one file.
 */
function canGrow(header: string | null): boolean {
  return ownDefinitions(header).length === 0 && closingLines(headerOf(header)).length === 0;
}

/** Has the statement hypotheses? As a rewrite rule it would make `simp` prove them wherever its left side occurs. */
function isConditional(statement: string): boolean {
  const signature = readSignature(statement);
  if (signature === null) return true;
  return signature.antecedents.length > 0 || signature.binders.some(({ type }) => PROPOSITION.test(type));
}

function isShorter(a: Proved, b: Proved): boolean {
  return a.proof.length < b.proof.length || (a.proof.length === b.proof.length && a.proof < b.proof);
}
