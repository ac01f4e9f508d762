/**
 * Reads what is in force at a place of a Lean text: which namespaces are open, and which other commands stand above. Reads
 * commands one by one, without comments; knows sections, namespaces and `… in`.
 */

interface Scope {
  /** The arguments of `open`, white space made single: `Nat`, `scoped A B`, `A hiding b`. */
  readonly opens: readonly string[];
  /** Commands that a proof cannot bring along, white space made single. */
  readonly others: readonly string[];
}

const NOTHING: Scope = { opens: [], others: [] };
const PUSHING = /^(?:(?:noncomputable|public|@\[expose\]) )*section(?![\w.'])|^(?:namespace|mutual)(?![\w.'])/u;
const SIMPLE = /^[^()]+$/u;

/** Goes through the commands of a text in order. */
export class ScopeReader {
  #scopes: Scope[] = [NOTHING];
  #next: Scope = NOTHING;

  /** @param text what stands before a declaration, or a command of its own */
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

  /** Returns what is in force at the declaration that comes now. */
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

/** The opens that do not stand in `given` yet; of a plain list of namespaces the names that do not. */
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

/** A tactic block at column 0 under these opens. */
export function underOpens(opens: readonly string[], block: string): string {
  return [...opens.map((open) => `open ${open} in`), block].join('\n');
}
