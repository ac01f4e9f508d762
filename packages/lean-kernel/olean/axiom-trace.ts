/**
 * Finds the axioms on which a compiled constant depends, by following types, values and proofs through the judged
 * module and all modules below it. The search ends at the toolchain's own modules, which are trusted. Claims of a
 * module about its axioms are ignored.
 */
import type { Name } from '../name.ts';

export interface TracedConstants {
  /** Whether to follow what the constant mentions. A constant without a known module counts as the toolchain's. */
  isFollowed(name: Name): boolean;
  isAxiom(name: Name): boolean;
  /** Returns the names in its type, its value and, for an inductive type, its constructors. */
  mentioned(name: Name): Iterable<Name>;
}

const NONE: ReadonlySet<Name> = new Set();

interface Open {
  readonly name: Name;
  readonly order: number;
  /** The least order reached from here. Constants of one inductive block reach each other. */
  least: number;
  readonly axioms: Set<Name>;
  readonly waiting: Iterator<Name>;
}

export class AxiomTrace {
  readonly #constants: TracedConstants;
  readonly #known = new Map<Name, ReadonlySet<Name>>();
  /** Shares equal sets, because there are few different ones. */
  readonly #sets = new Map<string, ReadonlySet<Name>>([['', NONE]]);

  constructor(constants: TracedConstants) {
    this.#constants = constants;
  }

  /**
   * Tarjan's algorithm for strongly connected components, without recursion. All constants of a component have the same
   * axioms.
   */
  of(name: Name): ReadonlySet<Name> {
    const open = new Map<Name, Open>();
    /** Constants whose component is incomplete. */
    const unsettled: Open[] = [];
    const path: Open[] = [];
    const enter = (its: Name): void => {
      const entry: Open = {
        name: its,
        order: open.size,
        least: open.size,
        axioms: new Set(this.#constants.isAxiom(its) ? [its] : []),
        waiting: (this.#constants.isFollowed(its) ? this.#constants.mentioned(its) : NONE)[Symbol.iterator](),
      };
      open.set(its, entry);
      unsettled.push(entry);
      path.push(entry);
    };
    if (!this.#known.has(name)) enter(name);
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const next = at.waiting.next();
      if (!next.done) {
        const settled = this.#known.get(next.value);
        const other = open.get(next.value);
        if (settled !== undefined) for (const axiom of settled) at.axioms.add(axiom);
        else if (other !== undefined) at.least = Math.min(at.least, other.least);
        else enter(next.value);
        continue;
      }
      path.pop();
      const below = path.at(-1);
      if (at.least === at.order) this.#settle(unsettled.splice(unsettled.indexOf(at)));
      if (below === undefined) continue;
      below.least = Math.min(below.least, at.least);
      for (const axiom of at.axioms) below.axioms.add(axiom);
    }
    return this.#known.get(name)!;
  }

  #settle(component: readonly Open[]): void {
    const all = new Set(component.flatMap(({ axioms }) => [...axioms]));
    const key = [...all].sort((a, b) => a - b).join(' ');
    const set = this.#sets.get(key) ?? all;
    this.#sets.set(key, set);
    for (const { name } of component) this.#known.set(name, set);
  }
}
