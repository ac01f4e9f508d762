/**
 * Do the compiled theorems say what was to be proved? The statements of our own record are compiled into a module of their
 * own over the file's imports (`stated-module.ts`). Then a process that has seen no proof text loads that and the compiled
 * file, and asks Lean to take each theorem for the statement:
 *
 *     import MODULE
 *     import STATED
 *     theorem _stpNONCE_same3 : type_of% @_stpNONCE_stated3 := @_root_.NAME
 *     #print axioms _root_.NAME
 *     #print axioms _stpNONCE_same3
 *
 * A proof that changed what the words of later statements mean is found here, also where the change (an instance) is part of
 * the module: the statement was read without it. A coercion that helped would bring what it rests on, so the answer may
 * rest on nothing that the theorem itself does not rest on.
 */
import { randomBytes } from 'node:crypto';
import { commandOptions } from '../process/command-options.ts';
import { readLean } from '../process/its-own-end.ts';
import { parseAxioms } from '../verdict/axioms.ts';
import { FULL_NAMES } from '../verdict/batch-source.ts';
import { HEADER_TIMEOUT_MS } from '../verdict/limits.ts';
import type { Checker, CheckerAnswer, CompiledFile } from './checker.ts';
import { compileStatements, STATEMENT_TIMEOUT_MS, type StatedTheorem, statedName } from './stated-module.ts';

/** Of one theorem: the comparison, its axioms, the comparison's. */
const LINES_EACH = 3;

export function statementIdentity(stated: readonly StatedTheorem[]): Checker {
  return {
    name: 'statement identity',
    version: async (place) => place.environment.version,
    async check(file) {
      const known = new Map(stated.map((theorem) => [theorem.name, theorem]));
      const unknown = file.theorems.filter((name) => !known.has(name));
      if (unknown.length > 0)
        return { outcome: 'refused', detail: 'it is none of the theorems that were to be proved', theorems: unknown };
      return compareAll(
        file.theorems.map((name) => known.get(name)!),
        file,
      );
    },
  };
}

/** Statements that Lean cannot read leave no module; the others are compared without them. */
async function compareAll(theorems: readonly StatedTheorem[], file: CompiledFile): Promise<CheckerAnswer> {
  const nonce = randomBytes(8).toString('hex');
  const wrong = new Map<string, string>();
  for (const name of [`Stated${nonce}`, `Readable${nonce}`]) {
    const open = theorems.filter((theorem) => !wrong.has(theorem.name));
    if (open.length === 0) break;
    const compiled = await compileStatements(open, file, { name, nonce });
    if (compiled.problem !== undefined) return { outcome: 'failed', detail: compiled.problem };
    for (const [theorem, why] of compiled.wrong) wrong.set(theorem, why);
    if (compiled.wrong.size > 0) continue;
    const problem = await compare(open, file, { name, nonce }, wrong);
    if (problem !== null) return { outcome: 'failed', detail: problem };
    break;
  }
  if (wrong.size === 0) return { outcome: 'accepted', detail: '' };
  return { outcome: 'refused', detail: [...wrong.values()][0]!, theorems: [...wrong.keys()] };
}

/** Adds to `wrong` what is wrong with which theorem. Why nothing is known, or null. */
async function compare(
  theorems: readonly StatedTheorem[],
  file: CompiledFile,
  stated: { readonly name: string; readonly nonce: string },
  wrong: Map<string, string>,
): Promise<string | null> {
  const { place } = file;
  const environment = { ...place.environment, searchPath: [file.scratchDirectory, ...place.environment.searchPath] };
  const { lines, linesBefore } = source(theorems, file, stated);
  const axioms = new Map<number, readonly string[] | null>();
  let early = '';
  let complete = false;
  const exit = await readLean({
    ...place,
    environment,
    arguments: await commandOptions(place),
    input: `${lines.join('\n')}\n`,
    deadlineMs: HEADER_TIMEOUT_MS + theorems.length * STATEMENT_TIMEOUT_MS,
    memoryBytesMax: file.memoryBytesMax,
    signal: file.signal,
  });
  for (const { severity, line, text } of exit.messages) {
    if (line === lines.length && severity === 'information') complete = true;
    const theorem = theorems[Math.floor((line - linesBefore - 1) / LINES_EACH)];
    if (severity === 'information') axioms.set(line, axioms.has(line) ? null : parseAxioms(text));
    if (severity !== 'error') continue;
    if (theorem === undefined) early ||= text;
    else if (!wrong.has(theorem.name)) wrong.set(theorem.name, text);
  }
  if (!complete || early !== '') return `${exit.how}: ${early || exit.stderr.trim() || 'it did not come to the end'}`;
  for (const [index, { name }] of theorems.entries()) {
    const line = linesBefore + LINES_EACH * index + 2;
    const own = axioms.get(line);
    const ofComparison = axioms.get(line + 1);
    if (wrong.has(name)) continue;
    if (!own || !ofComparison) wrong.set(name, 'Lean does not say what it rests on');
    else if (!ofComparison.every((axiom) => own.includes(axiom)))
      wrong.set(name, 'it is taken for the statement only with axioms that it does not rest on itself');
  }
  return null;
}

function source(
  theorems: readonly StatedTheorem[],
  { importLines, module }: CompiledFile,
  { name: stated, nonce }: { readonly name: string; readonly nonce: string },
): { lines: string[]; linesBefore: number } {
  const before = [...importLines, `import ${module}`, `import ${stated}`, ...FULL_NAMES];
  const compared = theorems.flatMap(({ name }, index) => [
    `theorem _stp${nonce}_same${index} : type_of% @${statedName(nonce, index)} := @_root_.${name}`,
    `#print axioms _root_.${name}`,
    `#print axioms _stp${nonce}_same${index}`,
  ]);
  return { lines: [...before, ...compared, '#print "compared"'], linesBefore: before.length };
}
