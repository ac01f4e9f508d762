/**
 * Reads the binders of a signature and the functions that it mentions from its text, without elaborating. A binder's
 * type is its text, which suffices for scripts that name the right variables.
 */
import { maskSource } from '@stp/lean-text';

export interface Binder {
  readonly name: string;
  /** Text of the type, such as `List α` or `p x = true`. */
  readonly type: string;
}

export interface Signature {
  /** Explicit and implicit binders in order, one per name. Instance binders have the name `_`. */
  readonly binders: readonly Binder[];
  /** Text after the last `:` outside brackets. */
  readonly goal: string;
  /** Functions named in goal and hypotheses, in order of occurrence, without those of Lean's core library. */
  readonly functions: readonly string[];
}

const OPENING = '([{⟨⦃';
const CLOSING = ')]}⟩⦄';
const WORD = /[\p{L}_][\p{L}\p{N}_'!?₀-₉]*(?:\.[\p{L}_][\p{L}\p{N}_'!?₀-₉]*)*/gu;
/** Words that are not functions to unfold, including constructors of the library's data types. */
const NOT_FUNCTIONS = new Set(
  'fun if then else let in have show match with at true false none some zero succ nil cons leaf node num plus times push addTop mulTop'.split(
    ' ',
  ),
);
const CORE_NAMESPACES = new Set(['Nat', 'List', 'Option', 'Bool', 'Prod', 'And', 'Or', 'Iff', 'Eq']);

/** Reads the signature of `theorem NAME BINDERS : TYPE`. */
export function readSignature(statement: string): Signature {
  const code = maskSource(statement).code;
  const start = /^\s*theorem\s+\S+\s*/.exec(code)?.[0].length ?? 0;
  const colon = colonOutsideBrackets(code, start);
  const binders = bracketGroups(code.slice(start, colon)).flatMap(readBinders);
  const goal = code.slice(colon + 1).trim();
  const bound = new Set([...binders.map(({ name }) => name), ...localNames(code.slice(start))]);
  const propositions = binders.filter(({ name }) => name.startsWith('h')).map(({ type }) => type);
  const functions = [goal, ...propositions].flatMap((text) => functionsIn(text, bound));
  return { binders, goal, functions: [...new Set(functions)] };
}

/** Returns the names that a statement binds. */
export function boundNames(statement: string): ReadonlySet<string> {
  return new Set(readSignature(statement).binders.map(({ name }) => name));
}

function functionsIn(text: string, bound: ReadonlySet<string>): string[] {
  return (text.match(WORD) ?? []).filter((word) => {
    const [head, ...rest] = word.split('.');
    const last = rest.at(-1) ?? head!;
    const isTerm = /^\p{Ll}/u.test(last) && last.length > 1;
    return isTerm && !bound.has(head!) && !NOT_FUNCTIONS.has(word) && !CORE_NAMESPACES.has(head!);
  });
}

/** Returns names after `fun`, `∀` or `∃`, which are bound within the type. */
function localNames(text: string): string[] {
  const names: string[] = [];
  for (const [, list] of text.matchAll(/(?:fun|[∀∃λ])\s+([^,:=]*?)(?:,|:|=>|↦)/gu)) {
    names.push(...list!.split(/[\s()]+/).filter((name) => name !== ''));
  }
  return names;
}

function colonOutsideBrackets(code: string, start: number): number {
  let depth = 0;
  for (let index = start; index < code.length; index++) {
    if (OPENING.includes(code[index]!)) depth++;
    else if (CLOSING.includes(code[index]!)) depth--;
    else if (code[index] === ':' && depth === 0 && code[index + 1] !== ':') return index;
  }
  return code.length;
}

/** Returns the contents of the outermost brackets, each preceded by its opening bracket. */
function bracketGroups(text: string): string[] {
  const groups: string[] = [];
  let depth = 0;
  let from = 0;
  for (let index = 0; index < text.length; index++) {
    if (OPENING.includes(text[index]!)) {
      if (depth === 0) from = index;
      depth++;
    } else if (CLOSING.includes(text[index]!)) {
      depth--;
      if (depth === 0) groups.push(text.slice(from, index));
    }
  }
  return groups;
}

function readBinders(group: string): Binder[] {
  const colon = colonOutsideBrackets(group, 1);
  if (group.startsWith('[')) return [{ name: '_', type: group.slice(1).trim() }];
  const type = group
    .slice(colon + 1)
    .replace(/\s+/g, ' ')
    .trim();
  const names = group.slice(1, colon).split(/\s+/);
  return names.filter((name) => name !== '').map((name) => ({ name, type }));
}
