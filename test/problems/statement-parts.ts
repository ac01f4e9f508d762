/** Cuts `theorem NAME BINDERS : TYPE` into its parts by brackets. Knows no more of Lean than that. */

export interface StatementParts {
  readonly name: string;
  /** Each with its brackets: `(x y : Nat)`, `{α : Type}`. */
  readonly binders: readonly string[];
  readonly type: string;
}

const OPENING = '([{⦃';
const CLOSING = ')]}⦄';

export function statementParts(statement: string): StatementParts {
  const colon = topLevelColon(statement);
  const [, name, binders] = /^theorem (\S+?):?(?:\s+(.*))?$/u.exec(statement.slice(0, colon).trim())!;
  return { name: name!, binders: bracketGroups(binders ?? ''), type: statement.slice(colon + 1).trim() };
}

function topLevelColon(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]!;
    if (OPENING.includes(character)) depth += 1;
    else if (CLOSING.includes(character)) depth -= 1;
    else if (character === ':' && depth === 0) return index;
  }
  throw new Error(`no type in ${text}`);
}

function bracketGroups(text: string): readonly string[] {
  const groups: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]!;
    if (OPENING.includes(character)) {
      if (depth === 0) start = index;
      depth += 1;
    } else if (CLOSING.includes(character)) {
      depth -= 1;
      if (depth === 0) groups.push(text.slice(start, index + 1));
    }
  }
  return groups;
}

/** The statement with every bound name replaced in order of appearance and the theorem's name left out: equal for two
 *  statements that differ in names only. Names are what follows a binder bracket, `∀`, `∃` or `fun`. */
export function withoutNames(statement: string): string {
  const { binders, type } = statementParts(statement);
  const text = [...binders, ':', type].join(' ');
  const bound = [
    ...text.matchAll(/(?:[([{⦃]|∀|∃|\bfun)\s*((?:[\p{L}_][\p{L}\p{N}_'₀-₉]*\s*)+)(?::|,|=>|∈|[<>≤≥])/gu),
  ].flatMap((match) => match[1]!.trim().split(/\s+/u));
  const replacement = new Map<string, string>();
  for (const name of bound) if (!replacement.has(name)) replacement.set(name, `v${replacement.size}`);
  return text
    .replace(/[\p{L}_][\p{L}\p{N}_'₀-₉]*(?:\.[\p{L}\p{N}_']+)*/gu, (word) => replacement.get(word) ?? word)
    .replace(/\s+/gu, '');
}
