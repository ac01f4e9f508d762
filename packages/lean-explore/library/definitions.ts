/**
 * Reads the definitions of Lean modules from their text, and finds those that a statement mentions. It handles
 * namespaces, `open` lines and dotted names, but does not elaborate, so it misses names hidden by a notation. Its
 * results are used in prompts only, never for verdicts.
 */

import type { ShownDefinition } from '@stp/config/records';
import { maskSource, ownDefinitions, readCommands } from '@stp/lean-text';
import { LIBRARY_HEADER } from '@stp/lean-verifier';
import { mentionsIn } from './mentions.ts';

interface Definition extends Omit<ShownDefinition, 'written' | 'distance'> {
  /** Other definitions that it mentions, in order of occurrence. */
  readonly mentions: readonly string[];
}

interface ReadDefinition extends Omit<Definition, 'mentions'> {
  /** Enclosing namespaces, innermost first. */
  readonly scopes: readonly string[];
}

const KINDS: ReadonlyMap<string, ShownDefinition['kind']> = new Map([
  ['def', 'function'],
  ['abbrev', 'function'],
  ['inductive', 'inductive'],
]);
const NAME = /^\s*([\p{L}_][\p{L}\p{N}_'!?₀-₉]*(?:\.[\p{L}_][\p{L}\p{N}_'!?₀-₉]*)*)/u;
/** Matches the start of a clause about termination or deriving, which is not part of the definition's content. */
const TERMINATION = /\n\s*(?:termination_by|decreasing_by|deriving)\b[\s\S]*$/u;

export class Definitions {
  readonly #byName: ReadonlyMap<string, Definition>;

  /** @param modules texts of the modules, in any order */
  constructor(modules: Iterable<string>) {
    this.#byName = resolved([...modules].flatMap((text) => [...readDefinitions(text)]));
  }

  /**
   * Returns the definitions on which a statement depends, including those of its header: nearest first, then in order
   * of occurrence.
   *
   * @param header null means the library header
   * @param bound names that the statement binds, which do not refer to definitions
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

/** Resolves what definitions mention. Returns them by name. `known` are further definitions that they may mention. */
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

/** Splits `SIGNATURE | a => b | c => d`, `SIGNATURE := body` or `SIGNATURE where | c | d`. */
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

/**
 * Returns the distinct names that the text mentions, in order. For each, the longest known name in the innermost scope
 * counts.
 */
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

/** Returns the namespaces that a header opens, last first. */
export function opensOf(header: string): string[] {
  return [...header.matchAll(/^[ \t]*open[ \t]+(.+)$/gmu)]
    .flatMap(([, names]) => names!.trim().split(/\s+/u))
    .reverse();
}

function shortest(name: string, opens: readonly string[]): string {
  const forms = opens.filter((open) => name.startsWith(`${open}.`)).map((open) => name.slice(open.length + 1));
  return forms.reduce((best, form) => (form.length < best.length ? form : best), name);
}

/** Returns `A.B`, `A`: innermost first. */
function prefixes(parts: readonly string[]): string[] {
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
}
