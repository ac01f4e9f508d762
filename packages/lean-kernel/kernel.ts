/**
 * The kernel: an environment that grows by the declarations that it accepts. It checks a declaration in scratch, which
 * it drops afterwards, and keeps the constants that the declaration makes. No declaration makes it throw.
 *
 * A check depends only on the earlier declarations and the limits. It recurses as deeply as terms are nested, so run
 * input of unknown depth on a thread with a large stack (`run/check-export.ts`).
 */
import { Axioms, mentioned } from './axioms.ts';
import { DEFAULT_LIMITS, type Limits } from './budget.ts';
import { Checker } from './check/checker.ts';
import {
  type ConstantHead,
  type Declaration,
  declaredNames,
  declaredTerms,
  type InductiveDeclaration,
  type ReducibilityHint,
} from './declaration.ts';
import { type Constant, Environment, UNREAD_VALUE, Unread } from './environment.ts';
import type { Expr, Terms } from './expr.ts';
import { checkInductive } from './inductive/add-inductive.ts';
import { noteDown } from './keep.ts';
import { LIST_LENGTH_MAX } from './level.ts';
import type { Name } from './name.ts';
import type { SpecialConstants } from './special/constants.ts';
import { type LiteralConstants, literalConstants } from './special/literal-constants.ts';
import { operationOfAxiom, verifiedPrimitive } from './special/primitives.ts';
import { checkQuotient } from './special/quotient.ts';
import { isStandardAxiom } from './special/standard-axioms.ts';
import { Decline, Rejection, type Verdict } from './verdict.ts';

export interface KernelOptions {
  readonly limits?: Limits;
  /** False disables the caches. The verdict is the same; for tests. */
  readonly remembers?: boolean;
  /** False computes with numbers only by unfolding. The verdict is the same; for tests. */
  readonly accelerates?: boolean;
  /** Declarations that count as accepted and are read when needed. */
  readonly trusted?: TrustedSource;
}

export interface TrustedSource {
  has(name: Name): boolean;
  /**
   * Returns the declaration that makes the constant, as terms of the kernel's tables; null if it cannot be used. A
   * theorem has no proof (`UNREAD_VALUE`).
   */
  read(name: Name): Declaration | null;
  proof(name: Name): Expr;
}

/** Abbreviations unfold first, opaque hints and theorems last. */
const GREATEST_HEIGHT = 0x7fffffff;
const LEAST_HEIGHT = -1;

/** Maximum fuel, as a multiple of one check's, for attempts that ended because a constant had to be read first. */
const BEGUN_ANEW_FACTOR = 5;

const ACCEPTED: Verdict = { kind: 'accepted' };

export class Kernel {
  readonly terms: Terms;
  readonly environment: Environment;
  readonly axioms: Axioms;
  readonly #literals: LiteralConstants;
  readonly #limits: Limits;
  readonly #remembers: boolean;
  readonly #accelerates: boolean;
  readonly #trusted: TrustedSource | null;
  readonly #accelerated = new Map<Name, string>();
  /** Names that were added and are not trusted, including declined ones. */
  readonly #added = new Set<Name>();
  /** The function that makes string literals. The first declaration with a string literal fixes it. */
  #stringMaker: Name | null = null;
  #reservedMaker: Name | null = null;
  #isTainted = false;
  /** Steps and expressions that the last check used. */
  lastSpent = { steps: 0, nodes: 0 };

  constructor(terms: Terms, options: KernelOptions = {}) {
    this.terms = terms;
    const { trusted } = options;
    this.#trusted = trusted ?? null;
    this.environment = new Environment((name) => terms.names.print(name), trusted && ((name) => trusted.has(name)));
    this.#literals = literalConstants(terms.names, (name) => this.environment.constructorsOf(name));
    this.axioms = new Axioms(terms, this.#literals);
    this.#limits = options.limits ?? DEFAULT_LIMITS;
    this.#remembers = options.remembers ?? true;
    this.#accelerates = options.accelerates ?? true;
    terms.nodes.scratchNodesMax = this.#limits.nodes;
  }

  /** Checks a declaration and, if it is accepted, adds its constants. Its terms must be permanent. */
  add(declaration: Declaration): Verdict {
    const label = this.terms.names.print(nameOf(declaration));
    const verdict = this.#inScratch(label, (checker) => this.#check(checker, declaration));
    if (verdict.kind === 'declined') {
      for (const name of declaredNames(declaration)) this.decline(name);
      // Recursors are made even if the source claims none.
      if (declaration.kind === 'inductive')
        for (const { name } of declaration.types) this.decline(this.terms.names.text(name, 'rec'));
    }
    if (verdict.kind === 'accepted' && declaration.kind === 'definition' && this.#accelerates)
      this.#verifyPrimitive(declaration.name);
    return verdict;
  }

  /**
   * Adds a trusted declaration: values are not checked against their types. Inductive types and quotients are checked,
   * because their recursors and rules are always derived here.
   */
  trust(declaration: Declaration): Verdict {
    const label = this.terms.names.print(nameOf(declaration));
    // Reading a trusted declaration may require reading others.
    const wasTrusting = this.environment.isTrusting;
    this.environment.isTrusting = true;
    const verdict = this.#inScratch(label, (checker) => {
      if (declaration.kind === 'inductive' || declaration.kind === 'quotient') return this.#check(checker, declaration);
      this.environment.requireFree(declaration.name);
      requireSafe(declaration);
      return [constantOf(declaration)];
    });
    this.environment.isTrusting = wasTrusting;
    if (verdict.kind === 'accepted' && this.#accelerates) {
      if (declaration.kind === 'definition') this.#verifyPrimitive(declaration.name);
      if (declaration.kind === 'axiom') this.#verifyPrimitive(declaration.name, operationOfAxiom);
    }
    return verdict;
  }

  /** Reads trusted constants that will be needed, because a check that encounters an unread one restarts. */
  readAhead(names: Iterable<Name>): void {
    for (const name of names) if (this.environment.isUnread(name)) this.#read(name);
  }

  /** Marks a name as declined: what depends on a constant of this name can only be declined. */
  decline(name: Name): void {
    if (this.environment.isUnread(name)) return;
    if (this.environment.markDeclined(name)) this.#added.add(name);
  }

  /**
   * Whether the trusted source was asked for something that mentions an added constant. That was declined and stays
   * declined, so this kernel must not be used for another module.
   */
  get isTainted(): boolean {
    return this.#isTainted;
  }

  /** Removes everything that was added, so that another module can be checked over the same trusted constants. */
  dropAdded(): void {
    this.environment.remove(this.#added);
    for (const name of this.#added) this.#accelerated.delete(name);
    if (this.#stringMaker !== null && this.#added.has(this.#stringMaker)) {
      this.#stringMaker = null;
      if (this.#reservedMaker !== null) this.environment.release(this.#reservedMaker);
      this.#reservedMaker = null;
    }
    this.#added.clear();
  }

  /** Whether the constant is one of Lean's three axioms, judged by its statement. */
  isStandardAxiom(name: Name): boolean {
    let isStandard = false;
    this.#inScratch(this.terms.names.print(name), (checker) => {
      isStandard = isStandardAxiom(checker, this.environment.get(name));
      return [];
    });
    return isStandard;
  }

  /**
   * Returns the answer that `look` computes by inferring and reducing terms that are known to be well typed. Null if it
   * needs a missing constant, or exceeds the limits.
   */
  ask<Answer>(look: (checker: Checker) => Answer): Answer | null {
    let answer: Answer | null = null;
    const verdict = this.#inScratch('a question', (checker) => {
      answer = look(checker);
      return [];
    });
    return verdict.kind === 'accepted' ? answer : null;
  }

  /** Whether an operation on numbers was verified and is computed with big integers. */
  isAccelerated(name: Name): boolean {
    return this.#accelerated.has(name);
  }

  /**
   * Runs a check in scratch and keeps the constants that it returns. Restarts for each trusted constant that had to be
   * read.
   */
  #inScratch(label: string, check: (checker: Checker) => readonly Constant[]): Verdict {
    let spent = 0;
    for (;;) {
      const outcome = this.#attempt(label, check);
      if (!(outcome instanceof Unread)) return outcome;
      spent += this.lastSpent.steps;
      if (spent > BEGUN_ANEW_FACTOR * this.#limits.fuel)
        return { kind: 'declined', declaration: label, reason: `${label}: it was begun anew too often` };
      const reason = this.#read(outcome.constant);
      if (reason !== null) return { kind: 'declined', declaration: label, reason: `${label}: ${reason}` };
    }
  }

  #attempt(label: string, check: (checker: Checker) => readonly Constant[]): Verdict | Unread {
    const { terms } = this;
    const before = terms.nodes.count;
    terms.openScratch();
    const checker = new Checker(terms, this.environment, {
      limits: this.#limits,
      remembers: this.#remembers,
      accelerated: this.#accelerated,
      stringMaker: this.#stringMaker,
    });
    let constants: readonly Constant[] = [];
    let made: () => Expr[] = () => [];
    let axioms: ReadonlySet<Name> = new Set();
    let verdict: Verdict | Unread = ACCEPTED;
    try {
      constants = check(checker);
      const parts = constants.flatMap(partsOf);
      axioms = this.axioms.behind(constants.map(nameOfConstant), parts, constants[0]?.kind === 'axiom');
      made = noteDown(terms, parts);
    } catch (error) {
      verdict = error instanceof Unread ? error : verdictOf(error, label);
    }
    this.lastSpent = { steps: checker.budget.spent, nodes: terms.nodes.count - before };
    this.environment.dropProvisional();
    terms.dropScratch();
    if (verdict === ACCEPTED) {
      this.#fixStringMaker(checker.special);
      this.#declare(constants, made(), axioms);
    }
    return verdict;
  }

  /**
   * At the first string literal, fixes the function that makes strings. Afterwards no declaration may add a function
   * that would have been chosen.
   */
  #fixStringMaker(special: SpecialConstants): void {
    if (this.#stringMaker !== null || special.stringMaker === null) return;
    this.#stringMaker = special.stringMaker;
    this.#reservedMaker = special.reservedMaker();
    if (this.#reservedMaker !== null) this.environment.reserve(this.#reservedMaker);
  }

  /**
   * Trusts the source's declaration of a name, and of the names in its types, which most checks need next. Returns why
   * a proof is unavailable, or null.
   */
  #read(name: Name): string | null {
    const waiting = [name];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const theorem = this.environment.withoutProof(next);
      if (theorem !== null && next === name) {
        const value = this.#trusted!.proof(next);
        if (!this.#isFromSource([value])) return 'an imported proof mentions a constant of the module';
        this.environment.declare({ ...theorem, value });
        continue;
      }
      if (!this.environment.isUnread(next)) continue;
      const declaration = this.#trusted?.read(next) ?? null;
      const names = declaration === null ? [next] : declaredNames(declaration);
      for (const its of names) this.environment.markRead(its);
      const isUsable = declaration !== null && this.#isFromSource(declaredTerms(declaration));
      if (!isUsable || this.trust(declaration).kind !== 'accepted')
        for (const its of names) this.environment.markDeclined(its);
      else if (declaration.kind !== 'inductive')
        waiting.push(...mentioned(this.terms, this.#literals, [declaration.type]));
    }
    return null;
  }

  /**
   * Whether trusted terms mention no name that a judged module has added. A source may lack constants that its terms
   * mention (those private to a module). Such a name must remain undeclared: otherwise a module that declares it could
   * change the meaning of the library's theorems.
   */
  #isFromSource(parts: readonly Expr[]): boolean {
    let isFromSource = true;
    for (const name of mentioned(this.terms, this.#literals, parts)) {
      if (this.#trusted!.has(name)) continue;
      if (this.#added.has(name)) {
        isFromSource = false;
        this.#isTainted = true;
      } else this.environment.reserve(name);
    }
    return isFromSource;
  }

  #check(checker: Checker, declaration: Declaration): readonly Constant[] {
    if (declaration.kind === 'inductive') {
      if (declaration.isUnsafe) throw new Decline('it is unsafe');
      for (const { name, levelParams, type } of [...declaration.types, ...declaration.constructors])
        this.#checkHead({ name, levelParams, type });
      return checkInductive(checker, declaration);
    }
    requireSafe(declaration);
    this.#checkHead(declaration);
    checker.levelParams = declaration.levelParams;
    const { name, levelParams, type } = declaration;
    if (declaration.kind === 'quotient') {
      checker.inference.checkType(type);
      checkQuotient(checker, declaration, declaration.role);
      return [{ kind: 'quotient', name, levelParams, type, role: declaration.role }];
    }
    this.environment.requireFree(name);
    const level = checker.inference.checkType(type);
    if (declaration.kind === 'axiom') return [constantOf(declaration)];
    if (declaration.kind === 'theorem' && !checker.order.isAlwaysZero(level))
      throw new Rejection('theorem-type', 'its type is not a proposition');
    const { value } = declaration;
    this.#requireClosed(value, 'its value');
    const actual = checker.inference.check(value);
    if (!checker.equality.isEqual(actual, type))
      throw new Rejection('declaration-type', 'its value does not have its type');
    return [constantOf(declaration)];
  }

  #checkHead(head: ConstantHead): void {
    if (head.name === 0) throw new Rejection('name', 'a declaration without a name');
    if (head.levelParams.length > LIST_LENGTH_MAX)
      throw new Decline(`more than ${LIST_LENGTH_MAX} universe parameters`);
    if (new Set(head.levelParams).size !== head.levelParams.length)
      throw new Rejection('level-parameters', 'a universe parameter stands twice');
    this.#requireClosed(head.type, 'its type');
  }

  #requireClosed(expr: Expr, what: string): void {
    if (this.terms.looseBound(expr) > 0 || this.terms.freeBound(expr) > 0)
      throw new Rejection('closed', `${what} has a variable without a binder`);
  }

  /** From here on, computes an operation on numbers with big integers if its definition is verified. */
  #verifyPrimitive(name: Name, verify = verifiedPrimitive): void {
    let operation: string | null = null;
    const label = this.terms.names.print(name);
    this.#inScratch(label, (checker) => {
      operation = verify(checker, name, label);
      return [];
    });
    if (operation !== null) this.#accelerated.set(name, operation);
  }

  /** Declares the constants of one declaration. `parts` are their terms, which are permanent now. */
  #declare(constants: readonly Constant[], parts: Expr[], axioms: ReadonlySet<Name>): void {
    this.axioms.note(constants.map(nameOfConstant), axioms);
    let from = 0;
    for (const constant of constants) {
      const count = partsOf(constant).length;
      this.environment.declare(withParts(constant, parts.slice(from, from + count)));
      // Includes constants that the declaration does not name, such as derived recursors.
      if (!this.environment.isTrusting) this.#added.add(constant.name);
      from += count;
    }
  }
}

/** Declines unsafe and partial constants, even if trusted. They exist for compiled code, and could prove everything. */
function requireSafe(declaration: Declaration): void {
  if (declaration.kind === 'definition' && declaration.safety !== 'safe')
    throw new Decline(`it is ${declaration.safety}`);
  if ((declaration.kind === 'axiom' || declaration.kind === 'opaque') && declaration.isUnsafe)
    throw new Decline('it is unsafe');
}

function verdictOf(error: unknown, declaration: string): Verdict {
  if (error instanceof Rejection)
    return { kind: 'rejected', declaration, rule: error.rule, message: `${declaration}: ${error.message}` };
  if (error instanceof Decline) return { kind: 'declined', declaration, reason: `${declaration}: ${error.message}` };
  // The stack or a table was exhausted, on a thread with less memory than the limits assume.
  if (error instanceof RangeError) return { kind: 'declined', declaration, reason: `${declaration}: ${error.message}` };
  throw error;
}

function constantOf(declaration: Exclude<Declaration, InductiveDeclaration | { kind: 'quotient' }>): Constant {
  const { name, levelParams, type } = declaration;
  if (declaration.kind === 'axiom') return { kind: 'axiom', name, levelParams, type };
  const height = declaration.kind === 'definition' ? heightOf(declaration.hint) : LEAST_HEIGHT;
  return { kind: declaration.kind, name, levelParams, type, value: declaration.value, height };
}

function heightOf(hint: ReducibilityHint): number {
  if (hint === 'opaque') return LEAST_HEIGHT;
  return hint === 'abbrev' ? GREATEST_HEIGHT : Math.min(hint.regular, GREATEST_HEIGHT - 1);
}

function nameOf(declaration: Declaration): Name {
  return declaration.kind === 'inductive' ? (declaration.types[0]?.name ?? (0 as Name)) : declaration.name;
}

function nameOfConstant({ name }: Constant): Name {
  return name;
}

/** Returns the terms of a constant in a fixed order. */
function partsOf(constant: Constant): Expr[] {
  if ('value' in constant && constant.value !== UNREAD_VALUE) return [constant.type, constant.value];
  if (constant.kind === 'recursor') return [constant.type, ...constant.rules.map((rule) => rule.value)];
  return [constant.type];
}

/** Returns the constant with other terms, in the order of `partsOf`. */
function withParts(constant: Constant, parts: readonly Expr[]): Constant {
  const type = parts[0]!;
  if ('value' in constant) return { ...constant, type, value: parts[1] ?? constant.value };
  if (constant.kind === 'recursor')
    return { ...constant, type, rules: constant.rules.map((rule, at) => ({ ...rule, value: parts[at + 1]! })) };
  return { ...constant, type };
}
