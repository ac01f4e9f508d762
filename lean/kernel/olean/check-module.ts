/**
 * Checks the declarations of a compiled module over its imports, which are taken as they are. A module lists its constants in
 * no particular order, so each is checked after those it mentions; constants that mention each other in a circle were
 * not made by a kernel, and the first of them is rejected for naming what is not there.
 */
import { mentioned } from '../axioms.ts';
import { DEFAULT_LIMITS, type Limits } from '../budget.ts';
import type { Declaration } from '../declaration.ts';
import { Terms } from '../expr.ts';
import { Kernel } from '../kernel.ts';
import { KnownNames } from '../known-names.ts';
import type { Name } from '../name.ts';
import { Decline, type Verdict } from '../verdict.ts';
import { declarationOf } from './declarations.ts';
import { CompiledLibrary, explained, readModule } from './library.ts';
import type { CompiledModule } from './module-data.ts';
import type { CheckedTheorem, ModuleReport } from './report.ts';

export interface ModuleRequest {
  /** The compiled module, `.olean`. */
  readonly path: string;
  /** Folders with the modules it imports. The module's own folder is not among them: what lies there is not vouched for. */
  readonly searchPath: readonly string[];
  readonly fuel: number;
}

/** On the thread it is called on; `check-module-in-thread.ts` gives it a stack for deep terms. Throws STP1801. */
export function checkModule(request: ModuleRequest): ModuleReport {
  const terms = new Terms();
  try {
    const module = readModule(request.path, terms);
    const library = new CompiledLibrary(terms, module.imports, request.searchPath);
    const limits: Limits = { ...DEFAULT_LIMITS, fuel: request.fuel };
    const check = new ModuleCheck(terms, module, new Kernel(terms, { limits, trusted: library }));
    return explained(request.path, () => check.run());
  } catch (error) {
    if (!(error instanceof Decline)) throw error;
    return {
      verdict: 'declined',
      declarations: 0,
      setAside: 0,
      theorems: [],
      rejected: [],
      declined: [declinedFile(error)],
    };
  }
}

const declinedFile = (error: Decline) => ({ declaration: '', reason: error.message });

class ModuleCheck {
  readonly #terms: Terms;
  readonly #kernel: Kernel;
  readonly #module: CompiledModule;
  readonly #known: KnownNames;
  readonly #places: ReadonlyMap<Name, number>;
  /** Names whose declaration was checked, or waits for what it mentions. */
  readonly #begun = new Set<Name>();
  readonly #ownAxioms = new Set<Name>();
  readonly #rejected: Extract<Verdict, { kind: 'rejected' }>[] = [];
  readonly #declined: Extract<Verdict, { kind: 'declined' }>[] = [];
  readonly #theorems: CheckedTheorem[] = [];
  #declarations = 0;
  #setAside = 0;

  constructor(terms: Terms, module: CompiledModule, kernel: Kernel) {
    this.#terms = terms;
    this.#module = module;
    this.#kernel = kernel;
    this.#known = new KnownNames(terms.names);
    this.#places = new Map(module.names.map((name, place) => [name, place]));
  }

  run(): ModuleReport {
    for (const name of this.#module.names) this.#checkFrom(name);
    return {
      verdict: this.#rejected.length > 0 ? 'rejected' : this.#declined.length > 0 ? 'declined' : 'accepted',
      declarations: this.#declarations,
      setAside: this.#setAside,
      theorems: this.#theorems,
      rejected: this.#rejected.map(({ declaration, rule, message }) => ({ declaration, rule, message })),
      declined: this.#declined.map(({ declaration, reason }) => ({ declaration, reason })),
    };
  }

  /** Checks what makes the constant, and before it what it mentions, without recursion. */
  #checkFrom(name: Name): void {
    const waiting: { name: Name; declaration: Declaration | null }[] = [{ name, declaration: null }];
    for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
      if (next.declaration !== null) {
        waiting.pop();
        this.#add(next.declaration);
        continue;
      }
      next.declaration = this.#isBegun(next.name) ? null : this.#declarationOf(next.name);
      if (next.declaration === null) {
        waiting.pop();
        continue;
      }
      for (const made of namesOf(next.declaration)) this.#begun.add(made);
      for (const its of mentioned(this.#terms, this.#known, termsOf(next.declaration)))
        if (!this.#isBegun(its)) waiting.push({ name: its, declaration: null });
    }
  }

  #isBegun(name: Name): boolean {
    return this.#begun.has(name) || !this.#places.has(name);
  }

  #declarationOf(name: Name): Declaration | null {
    try {
      const constant = this.#module.constant(this.#places.get(name)!);
      return declarationOf(this.#terms, constant, (part) => {
        const place = this.#places.get(part);
        return place === undefined ? null : this.#module.constant(place);
      });
    } catch (error) {
      if (!(error instanceof Decline)) throw error;
      this.#begun.add(name);
      const declaration = this.#terms.names.print(name);
      this.#declined.push({ kind: 'declined', declaration, reason: `${declaration}: ${error.message}` });
      this.#kernel.environment.markDeclined(name);
      return null;
    }
  }

  #add(declaration: Declaration): void {
    if (isOutside(declaration)) {
      this.#setAside++;
      for (const name of namesOf(declaration)) this.#kernel.environment.markDeclined(name);
      return;
    }
    this.#declarations++;
    const verdict = this.#kernel.add(declaration);
    const isTheorem = declaration.kind === 'theorem';
    if (declaration.kind === 'axiom') this.#ownAxioms.add(declaration.name);
    if (verdict.kind === 'rejected') this.#rejected.push(verdict);
    if (verdict.kind === 'declined') this.#declined.push(verdict);
    if (isTheorem) this.#theorems.push(this.#reportOn(declaration.name, verdict));
  }

  #reportOn(name: Name, verdict: Verdict): CheckedTheorem {
    const { names } = this.#terms;
    const axioms = verdict.kind === 'accepted' ? this.#kernel.axioms.of(name) : [];
    return {
      name: names.print(name),
      verdict: verdict.kind,
      message: verdict.kind === 'rejected' ? verdict.message : verdict.kind === 'declined' ? verdict.reason : '',
      ownAxioms: axioms.filter((axiom) => this.#ownAxioms.has(axiom)).map((axiom) => names.print(axiom)),
      libraryAxioms: axioms.filter((axiom) => !this.#ownAxioms.has(axiom)).map((axiom) => names.print(axiom)),
    };
  }
}

/**
 * Unsafe and partial declarations are there for the compiler (every recursive function leaves one), and nothing that is
 * proved may rest on them: what does is declined.
 */
function isOutside(declaration: Declaration): boolean {
  if (declaration.kind === 'definition') return declaration.safety !== 'safe';
  return 'isUnsafe' in declaration && declaration.isUnsafe;
}

function namesOf(declaration: Declaration): Name[] {
  if (declaration.kind !== 'inductive') return [declaration.name];
  return [...declaration.types, ...declaration.constructors, ...declaration.recursors].map(({ name }) => name);
}

/** What must be there before it: recursors are derived, so what their claims mention is not waited for. */
function termsOf(declaration: Declaration) {
  if (declaration.kind === 'inductive')
    return [...declaration.types, ...declaration.constructors].map(({ type }) => type);
  return 'value' in declaration ? [declaration.type, declaration.value] : [declaration.type];
}
