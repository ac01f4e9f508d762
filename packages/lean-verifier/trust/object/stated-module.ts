/**
 * Our own record of the statements as a compiled module, made before any proof is loaded. The form of a statement alone
 * is that of `../stated-form.ts`. The module fixes the meaning of a statement over its imports alone. For reading
 * only, a statement may instead be a theorem with an open proof: the variables that this proof abstracts are the
 * binders before the statement's colon.
 */
import { join } from 'node:path';
import type { ProcessPlace } from '../../runtime/process/spawn.ts';
import { closingLines, hasDefinitions } from '../header.ts';
import { implicitLines, inNamespace, type Stated, statedLines } from '../stated-form.ts';
import { HEADER_TIMEOUT_MS } from '../verdict/limits.ts';
import { type CompiledModule, type CompileTask, compileModule } from './compiled-module.ts';

/** Elaborating a statement takes milliseconds; a whole file of them is given what a header is, and this for each. */
const STATEMENT_TIMEOUT_MS = 2_000;

export interface StatedTheorem extends Stated {
  /** Opens, options and definitions above the statement, without imports. */
  readonly opens: string;
}

/** Where texts are compiled, and within which bounds. */
export interface TextsTask {
  readonly place: ProcessPlace;
  /** Made anew for the module. */
  readonly directory: string;
  readonly memoryBytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

export interface StatedTask extends TextsTask {
  /** `import Foo`, one a line. */
  readonly importLines: readonly string[];
  /** The lines above all statements, below the imports. */
  readonly opening?: readonly string[];
  /** Default: the form of `statedLines`. */
  readonly form?: 'open theorem';
}

export interface StatedModule {
  /** Null where no statement could be read, or nothing is known. */
  readonly path: string | null;
  /** Lean's messages about statements that it cannot read, by their place in the list. The module is without them. */
  readonly wrong: ReadonlyMap<number, string>;
  /** Why nothing is known of any; empty where it is. */
  readonly problem: string;
}

/** Name of the constant that states the theorem of this place in the list. */
export const statedName = (index: number): string => `_stpStated${index}`;

/**
 * A scope of their own for opens and what they define: `open` holds them, `close` ends all that they leave open. What two
 * of them define may have one name, since each has a namespace, `name`.
 */
export function ownScope(name: string, opens: string): { readonly open: string; readonly close: string } {
  const isNamed = hasDefinitions(opens);
  const open = ['section', ...(isNamed ? [`namespace ${name}`] : []), opens];
  const close = [...closingLines(opens), ...(isNamed ? [`end ${name}`] : []), 'end'];
  return { open: open.join('\n'), close: close.join('\n') };
}

/** The namespace around what the header of the statement of this place defines. */
export const givenNamespace = (index: number): string => `_stpGiven${index}`;

/** The constant of each is `statedName` of its place. Statements that Lean cannot read are reported, and left out of the module. */
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

/** Compiles texts below one another, without those that have an error. */
export async function compileTexts(
  above: string,
  texts: readonly string[],
  task: TextsTask,
  compile: (task: CompileTask) => Promise<CompiledModule> = compileModule,
): Promise<StatedModule> {
  const wrong = new Map<number, string>();
  const linesBefore = above.split('\n').length;
  // The first round finds the unreadable texts, the second leaves them out.
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
