/**
 * Do the compiled theorems say what was to be proved? A process that has seen no proof text loads the compiled module, states
 * every theorem anew from our own record of it, as an axiom, and asks Lean to take the compiled one for it:
 *
 *     import MODULE
 *     axiom _stpNONCE_stated3 SIGNATURE
 *     theorem _stpNONCE_same3 : type_of% @_stpNONCE_stated3 := @_root_.NAME
 *
 * A proof that changed what the words of later statements mean would be found here.
 */
import { randomBytes } from 'node:crypto';
import { commandOptions } from '../process/command-options.ts';
import { runLean } from '../process/lean-process.ts';
import { HEADER_TIMEOUT_MS } from '../verdict/limits.ts';
import type { Checker, CheckerAnswer, CompiledFile } from './checker.ts';

/** Elaborating a statement takes milliseconds; a whole file of them is given what a header is, and this for each. */
const STATEMENT_TIMEOUT_MS = 2_000;

export interface StatedTheorem {
  /** Full name in the compiled module. */
  readonly name: string;
  /** Opens and options above the statement, without imports. */
  readonly opens: string;
  /** Everything after the theorem's name: `(a b : Nat) : a + b = b + a`. */
  readonly signature: string;
}

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

async function compareAll(theorems: readonly StatedTheorem[], file: CompiledFile): Promise<CheckerAnswer> {
  const { text, lastLines, endLine } = source(theorems, file);
  const wrong = new Map<string, string>();
  let early = '';
  let complete = false;
  const exit = await runLean({
    ...file.place,
    arguments: await commandOptions(file.place),
    input: text,
    deadlineMs: HEADER_TIMEOUT_MS + theorems.length * STATEMENT_TIMEOUT_MS,
    memoryBytesMax: file.memoryBytesMax,
    signal: file.signal,
    onMessage: (message) => {
      if (message.line === endLine && message.severity === 'information') complete = true;
      if (message.severity !== 'error') return;
      const index = lastLines.findIndex((line) => message.line <= line);
      const name = theorems[index]?.name;
      // Above the first statement stand the imports.
      if (name === undefined || index === -1 || message.line < file.importLines.length + 2) early ||= message.text;
      else if (!wrong.has(name)) wrong.set(name, message.text);
    },
  });
  if (!complete || early !== '')
    return { outcome: 'failed', detail: `${exit.how}: ${early || exit.stderr.trim() || 'it did not come to the end'}` };
  if (wrong.size === 0) return { outcome: 'accepted', detail: '' };
  return { outcome: 'refused', detail: [...wrong.values()][0]!, theorems: [...wrong.keys()] };
}

function source(theorems: readonly StatedTheorem[], file: CompiledFile) {
  const nonce = randomBytes(8).toString('hex');
  const lines = [...file.importLines, `import ${file.module}`];
  const lastLines = theorems.map(({ name, opens, signature }, index) => {
    const block = [
      'section',
      opens,
      'set_option autoImplicit false',
      `axiom _stp${nonce}_stated${index}${signature}`,
      `theorem _stp${nonce}_same${index} : type_of% @_stp${nonce}_stated${index} := @_root_.${name}`,
      'end',
    ];
    lines.push(...block.join('\n').split('\n'));
    return lines.length;
  });
  lines.push('#print "compared"');
  return { text: `${lines.join('\n')}\n`, lastLines, endLine: lines.length };
}
