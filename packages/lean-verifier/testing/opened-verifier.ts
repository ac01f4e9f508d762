/** Opens verifiers for a test file, closes them after each test, and makes candidates for them. */
import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { openVerifier, type VerifierOptions } from '../trust/open-verifier.ts';
import type { Candidate, LeanEnvironment, Verifier } from '../verifier.ts';
import { coreEnvironment, scratchFolder } from './environment.ts';

/** A header below `import Init`, a statement, and a proof. */
export type Row = readonly [header: string, statement: string, proof: string];

export const scratchDirectory = scratchFolder();
export let environment: LeanEnvironment;
const opened: Verifier[] = [];
type OwnPoolOptions = Exclude<VerifierOptions, { readonly pool: unknown }>;

beforeAll(async () => {
  environment = await coreEnvironment();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((verifier) => verifier.close()));
});
afterAll(() => rmSync(scratchDirectory, { recursive: true, force: true }));

export async function open(options: Partial<OwnPoolOptions> = {}): Promise<Verifier> {
  const common = { environment, libraryHeader: '', processes: 2, cacheDirectory: null, scratchDirectory };
  const verifier = await openVerifier({ ...common, ...options });
  opened.push(verifier);
  return verifier;
}

export const COMMUTES = 'theorem commutes (a b : Nat) : a + b = b + a';

export function candidate(id: string, proof: string, statement = COMMUTES): Candidate {
  return { id, header: null, statement, proof };
}

/** Makes `count` correct proofs of different statements, so that none is answered from the cache. */
export function honest(count: number): Candidate[] {
  return Array.from({ length: count }, (_, index) =>
    candidate(`honest ${index}`, '  omega', `theorem t (a b : Nat) : a + b + ${index} = b + a + ${index}`),
  );
}

/** The kernel counts down from a hundred million, which takes minutes and gigabytes but few heartbeats. */
export const HEAVY = candidate('heavy', '  decide +kernel', 'theorem heavy : (List.range 100000000).length = 3');

/** A Lean process with more resident memory has imported its header. */
export const LEAN_LOADED_BYTES = 200_000_000;

export function kindsOf(results: readonly { id: string; kind: string }[]): Record<string, string> {
  return Object.fromEntries(results.map(({ id, kind }) => [id, kind]));
}

/** Checks the rows in one batch. Returns the kind of verdict for each key. */
export async function verdicts(rows: Readonly<Record<string, Row>>): Promise<Record<string, string>> {
  const verifier = await open({ batchSize: 100 });
  const candidates = Object.entries(rows).map(
    ([id, [header, statement, proof]]): Candidate => ({ id, header: `import Init\n${header}`, statement, proof }),
  );
  return kindsOf(await verifier.check(candidates));
}
