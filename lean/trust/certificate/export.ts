/**
 * The declarations that theorems rest on, as lines of JSON (`leanexport`, `lean4export`): what a kernel that is not Lean's
 * reads. The exporter maps the compiled module, so it runs in the sandbox like the compiler, and the judge reads text only.
 */
import { join } from 'node:path';
import { STANDARD_AXIOMS } from '../verdict/axioms.ts';
import type { CheckerAnswer, CompiledFile } from './checker.ts';
import { EXPORTER, findTool } from './find-tools.ts';
import { answerOf, runTool } from './run-tool.ts';

/**
 * Constants to which Lean's kernel gives a meaning of its own: a judge compares them, so they have to be in the export
 * (`primitiveTargets` of Lake/CLI/Check.lean in Lean 4.35).
 */
const KERNEL_CONSTANTS = [
  ...['Quot', 'Quot.mk', 'Quot.lift', 'Quot.ind', 'Nat', 'String', 'Char', 'List'],
  ...[
    'add',
    'sub',
    'mul',
    'pow',
    'gcd',
    'div',
    'mod',
    'beq',
    'ble',
    'land',
    'lor',
    'xor',
    'shiftLeft',
    'shiftRight',
  ].map((name) => `Nat.${name}`),
  ...['String.ofList', 'String.mk', 'Char.ofNat', 'eagerReduce', 'optParam', 'autoParam', 'semiOutParam', 'outParam'],
];

type Exported = { readonly path: string; readonly problem?: never } | { readonly problem: CheckerAnswer };

/** Path of the export of these theorems of this module. */
export async function exportTheorems(file: CompiledFile, module: string, name: string): Promise<Exported> {
  const program = await findTool(EXPORTER, file.place);
  if (program === null) return { problem: { outcome: 'failed', detail: 'the exporter is gone' } };
  const path = join(file.scratchDirectory, `${name}.ndjson`);
  const exit = await runTool(file, {
    command: [program, module, '--', ...file.theorems, ...STANDARD_AXIOMS, ...KERNEL_CONSTANTS],
    outputFile: path,
    writable: [file.scratchDirectory],
    workingDirectory: file.directory,
  });
  const answer = answerOf(exit, { refuses: [] });
  return answer.outcome === 'accepted'
    ? { path }
    : { problem: { outcome: 'failed', detail: `export: ${answer.detail}` } };
}
