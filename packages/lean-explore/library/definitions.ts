/**
 * Reads the definitions of Lean modules from their text, and finds the ones that a statement mentions. Knows
 * namespaces, `open` lines and dotted names; does not elaborate, so it does not see what a notation hides. It serves
 * prompts only; no verdict rests on it.
 */

import type { ShownDefinition } from '@stp/config/records';
import { maskSource, ownDefinitions, readCommands } from '@stp/lean-text';
import { LIBRARY_HEADER } from '@stp/lean-verifier';
import { mentionsIn } from './mentions.ts';

interface Definition extends Omit<ShownDefinition, 'written' | 'distance'> {
  /** Other definitions named in it, in order of appearance. */
  readonly mentions: readonly string[];
}

interface ReadDefinition extends Omit<Definition, 'mentions'> {
  /** Namespaces it is written in, innermost first. */
  readonly scopes: readonly string[];
}

const KINDS: ReadonlyMap<string, ShownDefinition['kind']> = new Map([
  ['def', 'function'],
  ['abbrev', 'function'],
  ['inductive', 'inductive'],
]);
const NAME = /^\s*([\p{L}_][\p{L}\p{N}_'!?₀-₉]*(?:\.[\p{L}_][\p{L}\p{N}_'!?₀-₉]*)*)/u;
/** The start of clauses that say why a definition ends, not what it is. */
const TERMINATION = /\n\s*(?:termination_by|decreasing_by|deriving)\b[\s\S]*$/u;

export class Definitions {
  readonly #byName: ReadonlyMap<string, Definition>;

  /** @param modules texts of the modules, in any order */
  constructor(modules: Iterable<string>) {
    this.#byName = resolved([...modules].flatMap((text) => [...readDefinitions(text)]));
  }

  /**
   * Returns what a statement under a header stands on, definitions of the header among it: nearest first, then in the order in
   * which it is mentioned.
   *
   * @param header null stands for the library's
   * @param bound names that the statement binds, which mean nothing else in it
   */
  under(header: string | null, statement: string, bound: ReadonlySet<string>): readonly ShownDefinition[] {
    const own = ownDefinitions(header).length === 0 ? [] : [...readDefinitions(header!)];
    const byName = own.length === 0 ? this.#byName : new Map([...this.#byName, ...resolved(own, this.#byName)]);
    const opens = opensOf(header ?? LIBRARY_HEADER);
    const definitions: ShownDefinition[] = [];
    const seen = new Set<string>();
    let names = mentionsOf(statement, opens, new Set(byName.keys()), bound);
    for (let distance = 0; names.length > 0; distance++) {
      const next: string[] = [];
      for (const name of names) {
        if (seen.has(name)) continue;
        seen.add(name);
        const { mentions, ...definition } = byName.get(name)!;
        definitions.push({ ...definition, written: shortest(name, opens), distance });
        next.push(...mentions);
      }
      names = next;
    }
    return definitions;
  }
}

/** Resolves definitions with what they mention, each by its name; `known` are further definitions that they may mention. */
function resolved(
  found: readonly ReadDefinition[],
  known: ReadonlyMap<string, Definition> = new Map(),
): Map<string, Definition> {
  const names = new Set([...known.keys(), ...found.map(({ name }) => name)]);
  return new Map(
    found.map(({ scopes, ...definition }): [string, Definition] => {
      const text = [definition.signature, ...definition.equations].join('\n');
      const mentions = mentionsOf(text, scopes, names, new Set(definition.constructors));
      return [definition.name, { ...definition, mentions }];
    }),
  );
}

function* readDefinitions(source: string): Generator<ReadDefinition> {
  const masked = maskSource(source);
  for (const command of readCommands(masked)) {
    const kind = KINDS.get(command.keyword);
    if (kind === undefined) continue;
    const text = masked.withoutComments.slice(command.start + command.keyword.length, command.end);
    const short = NAME.exec(text);
    if (short === null) continue;
    const name = [...command.namespace, short[1]!].join('.');
    const { signature, equations } = parts(text.slice(short[0].length).replace(TERMINATION, ''));
    const constructors = kind === 'function' ? [] : equations.flatMap((line) => NAME.exec(line)?.[1] ?? []);
    const scopes = [...prefixes(name.split('.').slice(0, -1)), ...command.opens];
    yield { name, kind, signature, equations, constructors, scopes };
  }
}

/** `SIGNATURE | a => b | c => d`, `SIGNATURE := body`, `SIGNATURE where | c | d`. */
function parts(text: string): { signature: string; equations: string[] } {
  const single = (piece: string): string => piece.replace(/\s+/gu, ' ').trim();
  const lines = text.split(/\n\s*\|/u).map(single);
  const [first, ...cases] = lines;
  if (cases.length > 0 && !first!.includes(':='))
    return { signature: first!.replace(/\s*where$/u, ''), equations: cases };
  const assigned = text.search(/:=(?![^()]*\))/u);
  if (assigned < 0) return { signature: single(text).replace(/\s*where$/u, ''), equations: [] };
  return { signature: single(text.slice(0, assigned)), equations: [`=> ${single(text.slice(assigned + 2))}`] };
}

/** Names that the text mentions, in order, each once; the longest name that is one counts, in the innermost scope. */
function mentionsOf(
  text: string,
  scopes: readonly string[],
  names: ReadonlySet<string>,
  bound: ReadonlySet<string>,
): string[] {
  const found = new Set<string>();
  for (const { name, head } of mentionsIn(text, scopes, names)) if (!bound.has(head)) found.add(name);
  return [...found];
}

/** Namespaces that a header opens, the last one first. */
export function opensOf(header: string): string[] {
  return [...header.matchAll(/^[ \t]*open[ \t]+(.+)$/gmu)]
    .flatMap(([, names]) => names!.trim().split(/\s+/u))
    .reverse();
}

function shortest(name: string, opens: readonly string[]): string {
  const forms = opens.filter((open) => name.startsWith(`${open}.`)).map((open) => name.slice(open.length + 1));
  return forms.reduce((best, form) => (form.length < best.length ? form : best), name);
}

/** `A.B`, `A`: innermost first. */
function prefixes(parts: readonly string[]): string[] {
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
}
