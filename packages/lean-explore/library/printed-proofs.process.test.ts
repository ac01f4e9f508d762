/**
 * Tests that proofs of the library are accepted as they are printed, even if they contain comments, which become
 * blanks. Real Lean, in the sandbox if there is one; about a minute of one core.
 */
import { readFileSync, rmSync } from 'node:fs';
import { LIBRARY_HEADER, openVerifier } from '@stp/lean-verifier';
import { scratchFolder } from '@stp/lean-verifier/testing';
import { afterAll, expect, test } from 'vitest';
import { machineSandbox } from '../../../test/support/sandbox.ts';
import { LIBRARY_DIRECTORY, libraryEnvironment } from '../testing/library.ts';
import { extractLibrary } from './extract.ts';

const SEARCHED = new URL('../../../data/sft/search.jsonl', import.meta.url);
const EACH = 60;

const environment = await libraryEnvironment();
const sandbox = await machineSandbox(environment);
const scratchDirectory = scratchFolder();
afterAll(() => rmSync(scratchDirectory, { recursive: true, force: true }));

/** Comments at the ends of lines, between lines, and as long as the blanks before a line: no token has another column. */
function withComments(proof: string): string {
  return proof
    .split('\n')
    .map((line) => {
      const blanks = line.length - line.trimStart().length;
      const before = blanks < 5 ? ' '.repeat(blanks) : `/-${'"'.repeat(blanks - 5)}-/ `;
      return `/- "𝔸\n -/\n${before}${line.trimStart()} -- sorry "`;
    })
    .join('\n');
}

/** Takes that many items of a list, from all its parts. */
function sample<T>(list: readonly T[], count: number): T[] {
  const step = Math.floor(list.length / count);
  return Array.from({ length: count }, (_, index) => list[index * step]!);
}

test('proofs of the library, as they are and with comments, are proved', { tags: ['slow'] }, async () => {
  const { theorems } = await extractLibrary(LIBRARY_DIRECTORY);
  const byName = new Map(theorems.map((theorem) => [theorem.name, theorem]));
  const searched = readFileSync(SEARCHED, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { theorem: string; proof: string })
    .flatMap(({ theorem, proof }) => (byName.has(theorem) ? [{ ...byName.get(theorem)!, proof }] : []));
  const long = theorems.filter(({ proof }) => proof.split('\n').length > 3);
  const chosen = [...sample(long, EACH), ...sample(searched, EACH)];
  const verifier = await openVerifier({
    environment,
    libraryHeader: LIBRARY_HEADER,
    processes: 2,
    cacheDirectory: null,
    scratchDirectory,
    ...(sandbox === null ? {} : { sandbox }),
  });
  const candidates = chosen.flatMap(({ name, header, statement, proof }, index) => [
    { id: `${name} ${index}`, header, statement, proof },
    { id: `${name} ${index} with comments`, header, statement: `${statement} /- " -/`, proof: withComments(proof) },
  ]);
  const results = await verifier.check(candidates);
  await verifier.close();
  expect(results.filter(({ kind }) => kind !== 'proved').map(({ id, kind, messages }) => [id, kind, messages])).toEqual(
    [],
  );
});
