/**
 * Nested types, such as a field `List (Tree α)` in a constructor of `Tree`. Each application of an earlier type to the
 * block's own types becomes an auxiliary type of the block: a copy of the earlier type with the arguments substituted,
 * whose constructors are processed in the same way. The block then has no nesting and is checked like any other. At the
 * end, the auxiliary types in its recursors are replaced by the original applications.
 */
import type { Checker } from '../check/checker.ts';
import { describe } from '../check/describe.ts';
import type { InductiveConstant } from '../environment.ts';
import { APPLICATION, CONSTANT, type Expr, FORALL } from '../expr.ts';
import { EMPTY_LEVELS } from '../level.ts';
import { ANONYMOUS, type Name } from '../name.ts';
import { apply, argumentsOf, headOf } from '../spine.ts';
import { Decline, Rejection } from '../verdict.ts';
import { type Block, type BlockConstructor, type BlockType, Occurrences } from './block.ts';
import type { Restoration } from './recursors.ts';

/** Maximum auxiliary types of one block: a type can be nested in ever larger copies of itself. */
const AUXILIARY_TYPES_MAX = 1_000;

export interface Flattened {
  readonly block: Block;
  /** Takes the local variables for parameters with which the recursors are derived. */
  readonly restoration: (parameters: readonly Expr[]) => Restoration;
}

interface Auxiliary {
  readonly name: Name;
  readonly original: InductiveConstant;
  /** The type that it replaces, in terms of the elimination's `parameters`. */
  readonly standsFor: Expr;
  readonly constructors: readonly (readonly [auxiliary: Name, original: Name])[];
}

/** Returns the block without nesting, with auxiliary types after its own. */
export function flatten(checker: Checker, block: Block): Flattened {
  return new Flattening(checker, block).run();
}

class Flattening {
  readonly #checker: Checker;
  readonly #block: Block;
  readonly #parameters: readonly Expr[];
  readonly #types: BlockType[];
  readonly #auxiliaries: Auxiliary[] = [];
  /** Finds the block's own types. Auxiliary types occur only in terms that have been replaced. */
  readonly #own: Occurrences;
  readonly #heads = new Map<Expr, Expr>();

  constructor(checker: Checker, block: Block) {
    this.#checker = checker;
    this.#block = block;
    this.#parameters = this.#openParameters();
    this.#types = [...block.types];
    this.#own = new Occurrences(
      checker,
      block.types.map((type) => type.name),
    );
  }

  run(): Flattened {
    for (let at = 0; at < this.#types.length; at++) {
      const type = this.#types[at]!;
      const constructors = type.constructors.map(({ name, type: itsType }) => {
        const open = this.#instantiated(itsType, this.#parameters);
        return {
          name,
          type: this.#checker.forallOver(
            this.#parameters,
            this.#checker.substitution.replace(open, (expr) => this.#auxiliaryFor(expr)),
          ),
        };
      });
      this.#types[at] = { ...type, constructors };
    }
    return {
      block: { ...this.#block, types: this.#types },
      restoration: (parameters) => this.#restoration(parameters),
    };
  }

  /** Makes local variables for the parameters, from the block's first type. */
  #openParameters(): Expr[] {
    const { terms, substitution } = this.#checker;
    const locals: Expr[] = [];
    let rest = this.#block.types[0]!.type;
    while (locals.length < this.#block.parameters) {
      if (terms.kind(rest) !== FORALL)
        throw new Rejection('inductive-type', `it has ${locals.length} parameters, not ${this.#block.parameters}`);
      locals.push(this.#checker.local(terms.binderType(rest)));
      rest = substitution.instantiate(terms.body(rest), locals.slice(-1));
    }
    return locals;
  }

  /** Instantiates the parameters of a `∀` with these values. */
  #instantiated(type: Expr, values: readonly Expr[]): Expr {
    const { terms, substitution } = this.#checker;
    let rest = type;
    for (let at = 0; at < values.length; at++) {
      if (terms.kind(rest) !== FORALL)
        throw new Rejection(
          'constructor',
          `${describe(this.#checker, type)} takes fewer than ${values.length} parameters`,
        );
      rest = terms.body(rest);
    }
    return substitution.instantiate(rest, values);
  }

  /** Returns `Iaux params is` for an application `I Ds is` of an earlier type in which `Ds` mention the block. */
  #auxiliaryFor(expr: Expr): Expr | null {
    const { terms, environment } = this.#checker;
    if (terms.kind(expr) !== APPLICATION) return null;
    const head = this.#headOf(expr);
    if (terms.kind(head) !== CONSTANT || this.#own.in(head)) return null;
    const inductive = environment.find(terms.name(head));
    if (inductive?.kind !== 'inductive') return null;
    const given = this.#checker.argumentsOf(expr);
    if (given.length < inductive.parameters) return null;
    const parameters = given.slice(0, inductive.parameters);
    if (!parameters.some((argument) => this.#own.in(argument))) return null;
    if (parameters.some((argument) => terms.looseBound(argument) > 0))
      throw new Rejection(
        'nested',
        `${terms.names.print(inductive.name)} is applied to the type being defined and to a field's variable`,
      );
    const standsFor = apply(terms, head, parameters);
    let auxiliary = this.#auxiliaries.find((candidate) => candidate.standsFor === standsFor);
    if (auxiliary === undefined) {
      this.#addAuxiliaries(inductive, head, parameters);
      auxiliary = this.#auxiliaries.find((candidate) => candidate.standsFor === standsFor)!;
    }
    return apply(terms, this.#applied(auxiliary.name), given, inductive.parameters);
  }

  /**
   * Returns the head of an application, and caches it for all nodes of the spine, because each of them is asked for its
   * head.
   */
  #headOf(expr: Expr): Expr {
    const { terms } = this.#checker;
    const spine: Expr[] = [];
    let at = expr;
    let head = this.#heads.get(at);
    for (; head === undefined && terms.isApplication(at); head = this.#heads.get(at)) {
      spine.push(at);
      at = terms.fn(at);
    }
    head ??= at;
    for (const node of spine) this.#heads.set(node, head);
    return head;
  }

  /** Adds auxiliary types for the whole mutual block of the earlier type. */
  #addAuxiliaries(inductive: InductiveConstant, head: Expr, parameters: readonly Expr[]): void {
    const { terms, environment, substitution } = this.#checker;
    const list = terms.levelList(head);
    const levels = terms.levels.array(list);
    for (const name of inductive.block) {
      const original = environment.get(name);
      if (original.kind !== 'inductive') throw new Rejection('nested', 'a type of an earlier block is missing');
      if (levels.length !== original.levelParams.length)
        throw new Rejection(
          'constant',
          `${terms.names.print(name)} has ${original.levelParams.length} universe parameters`,
        );
      if (this.#auxiliaries.length >= AUXILIARY_TYPES_MAX)
        throw new Decline(`more than ${AUXILIARY_TYPES_MAX} nested occurrences`);
      const put = (type: Expr): Expr =>
        this.#checker.forallOver(
          this.#parameters,
          this.#instantiated(substitution.instantiateLevels(type, original.levelParams, levels), parameters),
        );
      const auxiliary = terms.names.internal(ANONYMOUS, this.#auxiliaries.length);
      const constructors = original.constructors.map(
        (maker, at): BlockConstructor => ({
          name: terms.names.internal(auxiliary, at),
          type: put(environment.get(maker).type),
        }),
      );
      this.#auxiliaries.push({
        name: auxiliary,
        original,
        standsFor: apply(terms, terms.constant(name, list), parameters),
        constructors: constructors.map((maker, at) => [maker.name, original.constructors[at]!] as const),
      });
      this.#types.push({ name: auxiliary, type: put(original.type), constructors });
    }
  }

  /** Returns an auxiliary type or constructor, applied to the block's universe parameters and these parameters. */
  #applied(name: Name, parameters = this.#parameters): Expr {
    const { terms } = this.#checker;
    const levels = this.#block.levelParams.map((parameter) => terms.levels.parameter(parameter));
    const constant = terms.constant(name, levels.length === 0 ? EMPTY_LEVELS : terms.levels.list(levels));
    return apply(terms, constant, parameters);
  }

  #restoration(parameters: readonly Expr[]): Restoration {
    const { terms, substitution } = this.#checker;
    const own = this.#block.types.length;
    const { names } = terms;
    const main = this.#block.types[0]!.name;
    const originals = new Map<Name, Name>();
    const replacements = new Map<Expr, Expr>();
    for (const auxiliary of this.#auxiliaries) {
      const standsFor = substitution.instantiate(
        substitution.abstract(auxiliary.standsFor, this.#parameters),
        parameters,
      );
      replacements.set(this.#applied(auxiliary.name, parameters), standsFor);
      const levels = terms.levelList(headOf(terms, standsFor));
      for (const [name, original] of auxiliary.constructors) {
        originals.set(name, original);
        replacements.set(
          this.#applied(name, parameters),
          apply(terms, terms.constant(original, levels), argumentsOf(terms, standsFor)),
        );
      }
    }
    return {
      recursorName: (type) =>
        type < own ? names.text(this.#block.types[type]!.name, 'rec') : names.text(main, `rec_${type - own + 1}`),
      constructorName: (name) => originals.get(name) ?? name,
      inductiveName: (type) => this.#auxiliaries[type - own]?.original.name ?? this.#block.types[type]!.name,
      term: (term) =>
        replacements.size === 0 ? term : substitution.replace(term, (expr) => replacements.get(expr) ?? null),
    };
  }
}
