/**
 * Short keys of statements that outlive the tables of terms: two theorems have the same key exactly if their types are
 * the same term, up to the names of universe parameters.
 */
import { createHash } from 'node:crypto';
import { Budget, DEFAULT_LIMITS } from '../budget.ts';
import { BOUND, CONSTANT, type Expr, NATURAL, PROJECTION, SORT, STRING, type Terms } from '../expr.ts';
import type { Name } from '../name.ts';
import { partsOf } from '../spine.ts';
import { Substitution } from '../substitution.ts';
import type { CompiledConstant } from './module-data.ts';

const KEY_BYTES = 16;
/** Maximum characters of a printed level. */
const LEVEL_CHARS_MAX = 100_000;

export class TypeKeys {
  readonly #terms: Terms;
  readonly #substitution: Substitution;
  readonly #known = new Map<Expr, string>();

  constructor(terms: Terms) {
    this.#terms = terms;
    this.#substitution = new Substitution(terms, new Budget(DEFAULT_LIMITS));
  }

  /** Throws `Decline` if the type is too large. */
  of({ type, levelParams }: Pick<CompiledConstant, 'type' | 'levelParams'>): string {
    const { levels, names } = this.#terms;
    const numbered = levelParams.map((_, index) => levels.parameter(names.of(`u${index}`)));
    const root = this.#substitution.instantiateLevels(type, levelParams, numbered);
    const waiting = [root];
    for (let at = waiting.at(-1); at !== undefined; at = waiting.at(-1)) {
      const parts = partsOf(this.#terms, at);
      const open = this.#known.has(at) ? [] : parts.filter((part) => !this.#known.has(part));
      if (open.length > 0) {
        waiting.push(...open);
        continue;
      }
      waiting.pop();
      if (!this.#known.has(at))
        this.#known.set(at, digest([this.#head(at), ...parts.map((part) => this.#known.get(part)!)]));
    }
    return this.#known.get(root)!;
  }

  /** Returns the text of a term's root, without its subterms. */
  #head(expr: Expr): string {
    const terms = this.#terms;
    const { levels, names } = terms;
    const kind = terms.kind(expr);
    const printed = (level: Parameters<typeof levels.print>[0]): string => levels.print(level, names, LEVEL_CHARS_MAX);
    switch (kind) {
      case BOUND:
        return `${kind} ${terms.number(expr)}`;
      case SORT:
        return `${kind} ${printed(terms.level(expr))}`;
      case CONSTANT:
        return `${kind} ${this.#name(terms.name(expr))} ${levels.array(terms.levelList(expr)).map(printed)}`;
      case PROJECTION:
        return `${kind} ${terms.fieldIndex(expr)} ${this.#name(terms.name(expr))}`;
      case NATURAL:
        return `${kind} ${terms.naturalValue(expr)}`;
      case STRING:
        return `${kind} ${JSON.stringify(terms.stringValue(expr))}`;
      default:
        return String(kind);
    }
  }

  /** Numeric components are printed without quotation marks. */
  #name(name: Name): string {
    const shown = (part: string | bigint): string => (typeof part === 'bigint' ? String(part) : JSON.stringify(part));
    return this.#terms.names.parts(name).map(shown).join('.');
  }
}

function digest(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest().toString('base64', 0, KEY_BYTES);
}
