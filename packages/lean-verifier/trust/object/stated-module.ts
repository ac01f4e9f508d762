/**
 * Our own record of the statements as a compiled module, made before any proof is loaded. `../stated-form.ts` defines
 * the form of a statement. The module fixes a statement's meaning over its imports alone. For reading only, a statement
 * may instead be a theorem with an open proof: the variables that this proof abstracts are the binders before the
 * statement's colon.
 */
import { join } from 'node:path';
import type { ProcessContext } from '../../runtime/process/spawn.ts';
import { closingLines, hasDefinitions } from '../header.ts';
import { implicitLines, inNamespace, type Stated, statedLines } from '../stated-form.ts';
import { HEADER_TIMEOUT_MS } from '../verdict/limits.ts';
import { type CompiledModule, type CompileTask, compileModule } from './compiled-module.ts';

/** Time for each statement, ms, in addition to that of a header. Elaborating a statement takes milliseconds. */
const STATEMENT_TIMEOUT_MS = 2_000;

export interface StatedTheorem extends Stated {
  /** Opens, options and definitions above the statement, without imports. */
  readonly opens: string;
}

/** Where and within which limits texts are compiled. */
export interface TextsTask {
  readonly processContext: ProcessContext;
  /** Folder for the module; it is recreated. */
  readonly directory: string;
  readonly memoryBytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

export interface StatedTask extends TextsTask {
  /** `import Foo`, one per line. */
  readonly importLines: readonly string[];
  /** Lines above all statements and below the imports. */
  readonly opening?: readonly string[];
  /** Default: the form of `statedLines`. */
  readonly form?: 'open theorem';
}

export interface StatedModule {
  /** Path of the module; null if no statement could be read, or nothing is known. */
  readonly path: string | null;
  /** Lean's messages about unreadable statements, by index. The module omits these. */
  readonly wrong: ReadonlyMap<number, string>;
  /** Why nothing is known about any statement; empty if something is known. */
  readonly problem: string;
}

/** Returns the name of the constant that states the theorem at this index. */
export const statedName = (index: number): string => `_stpStated${index}`;

/**
 * Makes a separate scope for opens and definitions: `open` contains them, `close` ends everything that they leave open.
 * Definitions in two scopes may have the same name, since each scope has a namespace, `name`.
 */
export function ownScope(name: string, opens: string): { readonly open: string; readonly close: string } {
  const isNamed = hasDefinitions(opens);
  const open = ['section', ...(isNamed ? [`namespace ${name}`] : []), opens];
  const close = [...closingLines(opens), ...(isNamed ? [`end ${name}`] : []), 'end'];
  return { open: open.join('\n'), close: close.join('\n') };
}

/** Returns the namespace of the definitions in the header of the statement at this index. */
export const givenNamespace = (index: number): string => `_stpGiven${index}`;

/**
 * The constant of each statement is `statedName` of its index. Unreadable statements are reported, and omitted from the
 * module.
 */
export function compileStatements(theorems: readonly StatedTheorem[], task: StatedTask): Promise<StatedModule> {
  const before = [...task.importLines, ...(task.opening ?? [])];
  const texts = theorems.map((theorem, index) => {
    const { opens, signature, namespace } = theorem;
    const name = statedName(index);
    const inForce = [...before, opens].join('\n');
    const stated =
      task.form === 'open theorem'
        ? inNamespace(namespace, [`theorem _root_.${name}${signature}`, ':= (by sorry)'])
        : statedLines(name, theorem, inForce);
    const above = ownScope(givenNamespace(index), opens);
    return [above.open, ...implicitLines(inForce), ...stated, above.close].join('\n');
  });
  return compileTexts(before.join('\n'), texts, task);
}

/** Compiles texts in one file, omitting those with errors. */
export async function compileTexts(
  above: string,
  texts: readonly string[],
  task: TextsTask,
  compile: (task: CompileTask) => Promise<CompiledModule> = compileModule,
): Promise<StatedModule> {
  const wrong = new Map<number, string>();
  const linesBefore = above.split('\n').length;
  // The first round finds unreadable texts, the second omits them.
  for (const attempt of ['Stated', 'Readable']) {
    const readable = [...texts.entries()].filter(([index]) => !wrong.has(index));
    if (readable.length === 0) break;
    let line = linesBefore;
    const lastLines = readable.map(([, text]) => {
      line += text.split('\n').length;
      return line;
    });
    const { path, failure, exit, messages } = await compile({
      ...task,
      module: attempt,
      text: `${[above, ...readable.map(([, text]) => text)].join('\n')}\n`,
      directory: join(task.directory, attempt),
      inOrder: true,
      deadlineMs: HEADER_TIMEOUT_MS + readable.length * STATEMENT_TIMEOUT_MS,
    });
    let early = '';
    const known = wrong.size;
    for (const { severity, line: at, text } of messages) {
      if (severity !== 'error') continue;
      const index = readable[lastLines.findIndex((last) => at <= last)]?.[0];
      if (index === undefined || at <= linesBefore) early ||= text;
      else if (!wrong.has(index)) wrong.set(index, text);
    }
    if (path !== null) return { path, wrong, problem: '' };
    if (failure !== '' || early !== '' || wrong.size === known)
      return { path: null, wrong, problem: `${exit}: ${failure || early || 'the statements were not compiled'}` };
  }
  return { path: null, wrong, problem: '' };
}
