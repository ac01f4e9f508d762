/**
 * Interned hierarchical names (`Nat.add`, `_private.Foo.0.bar`): equal names have equal numbers. A name is anonymous,
 * or consists of a prefix and a text or number. Names are few and are never dropped.
 */
import { textKey } from './text-key.ts';
import { Decline } from './verdict.ts';

declare const brand: unique symbol;

/** An index into the table that created it. */
export type Name = number & { readonly [brand]: 'Name' };

export const ANONYMOUS = 0 as Name;

/**
 * Maximum length. The longest name of Lean's library has 340 characters. Reports print names with each of their
 * prefixes.
 */
const NAME_LENGTH_MAX = 10_000;

export class NameTable {
  readonly #prefixes: Name[] = [ANONYMOUS];
  /** A `bigint` is a numeric component: `a.1` and `a.«1»` differ. */
  readonly #parts: (string | bigint)[] = [''];
  readonly #lengths: number[] = [0];
  readonly #index = new Map<string, Name>();

  get count(): number {
    return this.#parts.length;
  }

  /** Returns `prefix.text`. */
  text(prefix: Name, text: string): Name {
    return this.#intern(`${prefix} ${textKey(text)}`, prefix, text);
  }

  /** Returns `prefix.number`. */
  number(prefix: Name, part: number | bigint): Name {
    return this.#intern(`${prefix}#${part}`, prefix, BigInt(part));
  }

  /**
   * Returns a name for constants that the kernel makes during a check. Its last component is a negative number, which
   * no source can contain, so it is never the name of a declared constant.
   */
  internal(prefix: Name, part: number): Name {
    return this.number(prefix, -1 - part);
  }

  /** Returns the name whose components are the texts between dots, for names that the kernel itself uses. */
  of(dotted: string): Name {
    return dotted === '' ? ANONYMOUS : dotted.split('.').reduce((prefix, part) => this.text(prefix, part), ANONYMOUS);
  }

  prefix(name: Name): Name {
    return this.#prefixes[name] ?? ANONYMOUS;
  }

  last(name: Name): string | bigint {
    return this.#parts[name] ?? '';
  }

  /** Returns all components in order; none for the anonymous name. */
  parts(name: Name): (string | bigint)[] {
    const parts: (string | bigint)[] = [];
    for (let at = name; at !== ANONYMOUS; at = this.prefix(at)) parts.push(this.last(at));
    return parts.reverse();
  }

  /** Prints a name for people. Components are not quoted, so two names may print alike. */
  print(name: Name): string {
    const shown = (part: string | bigint): string =>
      typeof part === 'bigint' && part < 0n ? `auxiliary${-part}` : String(part);
    return name === ANONYMOUS ? '[anonymous]' : this.parts(name).map(shown).join('.');
  }

  #intern(key: string, prefix: Name, part: string | bigint): Name {
    const known = this.#index.get(key);
    if (known !== undefined) return known;
    const length = this.#lengths[prefix]! + String(part).length + 1;
    if (length > NAME_LENGTH_MAX) throw new Decline(`a name of more than ${NAME_LENGTH_MAX} characters`);
    const name = this.#parts.length as Name;
    this.#lengths.push(length);
    this.#prefixes.push(prefix);
    this.#parts.push(part);
    this.#index.set(key, name);
    return name;
  }
}
