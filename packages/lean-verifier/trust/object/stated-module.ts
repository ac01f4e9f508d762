/**
 * Our own record of the statements as a compiled module, made before any proof is loaded. The form of a statement alone
 * is that of `../stated-form.ts`. The module fixes the meaning of a statement over its imports alone. For reading
 * only, a statement may instead be a theorem with an open proof: the variables that this proof abstracts are the
 * binders before the statement's colon.
 */
import { join } from 'node:path';
import type { ProcessPlace } from '../../runtime/process/spawn.ts';
import { closingLines, hasDefinitions } from '../header.ts';
import { implicitLines, statedLines } from '../stated-form.ts';
import { HEADER_TIMEOUT_MS } from '../verdict/limits.ts';
import { compileModule } from './compiled-module.ts';

/** Elaborating a statement takes milliseconds; a whole file of them is given what a header is, and this for each. */
const STATEMENT_TIMEOUT_MS = 2_000;

export interface StatedTheorem {
  /** Full name in the compiled module. */
  readonly name: string;
  /** Opens, options and definitions above the statement, without imports. */
  readonly opens: string;
  /** Everything after the theorem's name: `(a b : Nat) : a + b = b + a`. */
  readonly signature: string;
}

export interface StatedTask {
  readonly place: ProcessPlace;
  /** `import Foo`, one a line. */
  readonly importLines: readonly string[];
  /** The lines above all statements, below the imports. */
  readonly opening?: readonly string[];
  /** Made anew for the module. */
  readonly directory: string;
  readonly memoryBytesMax: number;
  /** Default: the form of `statedLines`. */
  readonly form?: 'open theorem';
  readonly signal?: AbortSignal | undefined;
}

export interface StatedModule {
  /** Null where no statement could be read, or nothing is known. */
  readonly path: string | null;
  /** Lean's messages about statements that it cannot read, by the theorem's name. The module is without them. */
  readonly wrong: ReadonlyMap<string, string>;
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

/** Statements that Lean cannot read are reported, and left out of the module. */
export async function compileStatements(theorems: readonly StatedTheorem[], task: StatedTask): Promise<StatedModule> {
  const wrong = new Map<string, string>();
  const before = [...task.importLines, ...(task.opening ?? [])];
  // The first round finds the unreadable statements, the second leaves them out.
  for (const attempt of ['Stated', 'Readable']) {
    const readable = [...theorems.entries()].filter(([, { name }]) => !wrong.has(name));
    if (readable.length === 0) break;
    const lines = before.flatMap((line) => line.split('\n'));
    const linesBefore = lines.length;
    const lastLines = readable.map(([index, { opens, signature }]) => {
      const name = `_root_.${statedName(index)}`;
      const inForce = [...before, opens].join('\n');
      const stated =
        task.form === 'open theorem'
          ? [`theorem ${name}${signature}`, ':= (by sorry)']
          : statedLines(name, signature, inForce);
      const above = ownScope(givenNamespace(index), opens);
      lines.push(...[above.open, ...implicitLines(inForce), ...stated, above.close].join('\n').split('\n'));
      return lines.length;
    });
    const { path, failure, exit, messages } = await compileModule({
      ...task,
      module: attempt,
      text: `${lines.join('\n')}\n`,
      directory: join(task.directory, attempt),
      inOrder: true,
      deadlineMs: HEADER_TIMEOUT_MS + readable.length * STATEMENT_TIMEOUT_MS,
    });
    let early = '';
    const known = wrong.size;
    for (const { severity, line, text } of messages) {
      if (severity !== 'error') continue;
      const theorem = readable[lastLines.findIndex((last) => line <= last)]?.[1];
      if (theorem === undefined || line <= linesBefore) early ||= text;
      else if (!wrong.has(theorem.name)) wrong.set(theorem.name, text);
    }
    if (path !== null) return { path, wrong, problem: '' };
    if (failure !== '' || early !== '' || wrong.size === known)
      return { path: null, wrong, problem: `${exit}: ${failure || early || 'the statements were not compiled'}` };
  }
  return { path: null, wrong, problem: '' };
}
