/**
 * Reads the scope at a position of a Lean text: open namespaces, and other commands above. Reads comment-free commands
 * one by one; knows sections, namespaces and `… in`.
 */

interface Scope {
  /** The arguments of `open`, with single blanks: `Nat`, `scoped A B`, `A hiding b`. */
  readonly opens: readonly string[];
  /** Commands that a proof cannot include, with single blanks. */
  readonly others: readonly string[];
}

const NOTHING: Scope = { opens: [], others: [] };
const PUSHING = /^(?:(?:noncomputable|public|@\[expose\]) )*section(?![\w.'])|^(?:namespace|mutual)(?![\w.'])/u;
const SIMPLE = /^[^()]+$/u;

/** Reads the commands of a text in order. */
export class ScopeReader {
  #scopes: Scope[] = [NOTHING];
  #next: Scope = NOTHING;

  /** @param text the text before a declaration, or a separate command */
  read(text: string, declares: boolean): void {
    const pieces = text
      .trim()
      .replace(/\s+/gu, ' ')
      .split(/(?<= )in(?: |$)/u);
    const last = pieces.pop()!.trim();
    for (const piece of pieces) this.#next = withCommand(this.#next, piece.trim());
    if (declares || last === '') return;
    if (/^end(?![\w.'])/u.test(last)) {
      if (this.#scopes.length > 1) this.#scopes.pop();
    } else {
      if (PUSHING.test(last)) this.#scopes.push(NOTHING);
      this.#scopes.push(withCommand(this.#scopes.pop()!, last));
    }
    this.#next = NOTHING;
  }

  /** Returns the scope at the next declaration. */
  take(): Scope {
    const all = [...this.#scopes, this.#next];
    this.#next = NOTHING;
    return { opens: all.flatMap(({ opens }) => opens), others: all.flatMap(({ others }) => others) };
  }
}

function withCommand({ opens, others }: Scope, command: string): Scope {
  if (command.startsWith('open ')) return { opens: [...opens, command.slice('open '.length)], others };
  return /^(?:section|mutual)?$|^(?:noncomputable )?section/u.test(command)
    ? { opens, others }
    : { opens, others: [...others, command] };
}

/** Returns the opens that `given` lacks; for a plain list of namespaces, the missing names. */
export function newOpens(opens: readonly string[], given: readonly string[]): string[] {
  const known = new Set([...given, ...given.filter(isList).flatMap((open) => open.split(' '))]);
  const found = opens.map((open) =>
    isList(open)
      ? open
          .split(' ')
          .filter((name) => !known.has(name))
          .join(' ')
      : open,
  );
  return [...new Set(found)].filter((open) => open !== '' && !known.has(open));
}

const isList = (open: string): boolean => SIMPLE.test(open) && !/(?:^| )(?:scoped|hiding|renaming)(?: |$)/u.test(open);

/** Puts a tactic block at column 0 under these opens. */
export function underOpens(opens: readonly string[], block: string): string {
  return [...opens.map((open) => `open ${open} in`), block].join('\n');
}
