/**
 * Headers of odd forms, checked by a warm process beside honest snippets: each has the verdict that Lean has of the text
 * as a whole file, whatever came before it. Costs about 40 s of CPU, most of it starting Lean.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { check, type Served, serveLean } from '../testing/served.ts';
import { whole } from '../testing/whole-file.ts';
import { splitSnippet } from './split-snippet.ts';

/** Time limit for many processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 600_000 });

const HONEST = 'import Init\ntheorem ok : 1 = 1 := rfl';
const FALSE = '\ntheorem bad : 1 = 2 := rfl';

/** Found by hand and by the random texts below. */
const ODD = [
  'import Init\t#check 1',
  'import Init\ntheorem a : 1 = 1 := rfl\nimport',
  'import Init\nimport',
  'import 5',
  'import "Mathlib"',
  'import (x)',
  'public import',
  'import Init\r#check 1',
  'import Init\n\r',
  'import Init\n-- why\n\t#check 1',
  'import Init \t',
  '\timport Init',
  'import\tInit',
  'import Init\n/- no end',
  '/- no end',
  '/-- no end',
  'import Init\n\f#check 1',
  'import Init\v',
  'import Init\u00a0',
  'import\u00a0Init',
  '\ufeffimport Init',
  'import Init.',
  'import Init. Prelude',
  'import Init.5',
  'import Init..x',
  'import Init.(x)',
  'import «Init»',
  'import «In',
  'import Init\n«In',
  '«In',
  "'",
  "'\\",
  '0x',
  '1e',
  '"a',
  'module «a',
  "import Init\n'",
  'import Init /-! doc -/ import Init',
  '/-! doc -/ import Init',
  'import all Init',
  'import all all',
  'meta import Init',
  'public import Init',
  'meta public import Init',
  'module module',
  'prelude module',
  'prelude prelude',
  'prelude\nimport Init.Prelude',
  'public theorem a : 1 = 1 := rfl',
  'import open',
  'import private Init',
  'private import Init',
  'importInit',
  'import.Init',
  'import.',
  'importλ',
  'import `Init',
  '/-/- a -/ import Init -- b\t\r c',
  'import Init import',
  'import Init«',
  'import Init(\t',
  'theorem\tx',
  'section/- no end',
  '..\t',
  'end Imports',
  '.x',
  'x',
];

describe('with one warm process', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serveLean({ driver: 'server', processes: 1 });
  });

  /** Line and text of each message, beside the text itself for the report of a failure. */
  async function answersTo(code: string) {
    const [[answer], said] = await Promise.all([check(served.server, [code]), whole(code.replaceAll('\r\n', '\n'))]);
    const [honest] = await check(served.server, [HONEST]);
    return {
      outcome: answer?.outcome,
      messages: answer?.response?.messages?.map(({ pos, data }) => `${pos.line}: ${data}`).sort(),
      said: said.map(({ line, data }) => `${line}: ${data}`).sort(),
      honest: { outcome: honest?.outcome, response: honest?.response },
    };
  }

  const isFine = { outcome: 'checked', response: { env: 0 } };

  it.each(ODD)('%j is answered as Lean answers it, and so is the next snippet', async (odd) => {
    const { messages, said, honest } = await answersTo(`${odd}${FALSE}`);
    expect(messages).toEqual(said);
    expect(honest).toEqual(isFine);
  });

  it('random headers too', { tags: ['slow'] }, async () => {
    const property = fc.asyncProperty(oddHeader, async (odd) => {
      const { outcome, messages, said, honest } = await answersTo(`${odd}${FALSE}`);
      expect(['checked', 'header_error']).toContain(outcome);
      expect(messages).not.toBeUndefined();
      // Drivers differ in the positions of some messages of commands, and in their messages on incomplete commands.
      if (outcome === 'header_error' && !said.some((text) => /object file|No directory/.test(text)))
        expect(said).toEqual(expect.arrayContaining(messages!));
      if (outcome === 'checked') expect(said.length).toBeGreaterThan(0);
      expect(honest).toEqual(isFine);
    });
    await fc.assert(property, { seed: 48, numRuns: 150, endOnFailure: true });
  });
});

const PIECES = [
  ...['import', 'Init', 'module', 'prelude', 'public', 'meta', 'all', 'import Init', 'import Init.Prelude'],
  ...[' ', '  ', '\n', '\t', '\r', '\r\n', '\f', '\u00a0', '-- c', '/- c -/', '/-', '-/', '/-- d -/', '/-! d -/'],
  ...['.', '..', '.x', '«', '»', '«a b»', "'", '"', '"s"', '5', '0x', '1e', 'λ', 'é', '#', '#check 1', '(', ')', '`'],
  ...['theorem', 'open Nat', 'section', 'end', 'end Imports', '@[', 'r"', '\\', '\u0000', '𝔸', 'private'],
];
const oddHeader = fc
  .array(fc.constantFrom(...PIECES, ' ', ' ', '\n', 'import Init'), { minLength: 1, maxLength: 9 })
  .map((pieces) => pieces.join(''));

it('never leaves a body that Lean could read as imports, and loses no text', () => {
  fc.assert(
    fc.property(oddHeader, (code) => {
      const { header, body, broken } = splitSnippet(code);
      if (broken === null) {
        expect(header).toMatch(/ section Imports end Imports$/);
        expect(code.endsWith(body.trimStart())).toBe(true);
      } else expect(code.startsWith(header.replace(/\r $/, '\r'))).toBe(true);
    }),
    { seed: 48, numRuns: 2_000 },
  );
});
