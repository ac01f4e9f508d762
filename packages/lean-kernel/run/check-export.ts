/**
 * Checks export files with the kernel, in one environment and in the order of the declarations. The check ends at the
 * first declaration that violates a rule. A declined declaration does not end it, because a later one may violate a
 * rule; declarations that depend on it are declined too.
 *
 * A theorem that depends on a forbidden axiom is rejected (rule `axioms`), as is a theorem that differs from the
 * requested one (rule `statement`). Axioms on which no theorem depends, and definitions that use them, are reported and
 * do not affect the verdict.
 */
import { DEFAULT_LIMITS, type Limits } from '../budget.ts';
import { Terms } from '../expr.ts';
import { Kernel } from '../kernel.ts';
import type { Name } from '../name.ts';
import { readExport } from '../read/export-file.ts';
import { STANDARD_AXIOMS } from '../special/axiom-names.ts';
import { type Difference, Statements } from '../statement.ts';
import { Decline } from '../verdict.ts';
import type { Declined, KernelReport, Rejected } from './report.ts';

export interface CheckRequest {
  readonly files: readonly string[];
  /** Axioms on which theorems may depend; null allows all. */
  readonly axioms: readonly string[] | null;
  /** Theorems that must equal those of a trusted export: name and file. */
  readonly statements: readonly (readonly [name: string, file: string])[];
  readonly fuel: number;
}

/** Checks an export on the calling thread; `check-in-thread.ts` provides a stack for deep terms. */
export async function checkExport(request: CheckRequest, terms = new Terms()): Promise<KernelReport> {
  const limits: Limits = { ...DEFAULT_LIMITS, fuel: request.fuel };
  const kernel = new Kernel(terms, { limits });
  const statements = request.statements.length === 0 ? null : new Statements(terms);
  const rejected: Rejected[] = [];
  const declined: Declined[] = [];
  const theorems: { name: string; axioms: string[] }[] = [];
  const axioms: string[] = [];
  const allowed = new Allowed(kernel, request.axioms);
  const steps = { most: 0, all: 0 };
  const nodes = { most: 0, permanent: 0 };
  let declarations = 0;
  try {
    for await (const declaration of readAll(terms, request.files)) {
      declarations++;
      const verdict = kernel.add(declaration);
      statements?.note(declaration);
      steps.all += kernel.lastSpent.steps;
      steps.most = Math.max(steps.most, kernel.lastSpent.steps);
      nodes.most = Math.max(nodes.most, kernel.lastSpent.nodes);
      if (verdict.kind === 'rejected') {
        rejected.push({ declaration: verdict.declaration, rule: verdict.rule, message: verdict.message });
        break;
      }
      if (verdict.kind === 'declined') {
        declined.push({ declaration: verdict.declaration, reason: verdict.reason });
        continue;
      }
      if (declaration.kind === 'axiom') axioms.push(allowed.label(declaration.name));
      if (declaration.kind !== 'theorem') continue;
      const name = terms.names.print(declaration.name);
      const its = kernel.axioms.of(declaration.name);
      theorems.push({ name, axioms: its.map((axiom) => allowed.label(axiom)) });
      const foreign = its.filter((axiom) => !allowed.has(axiom)).map((axiom) => allowed.label(axiom));
      if (foreign.length > 0)
        rejected.push({ declaration: name, rule: 'axioms', message: `${name} rests on ${foreign.join(', ')}` });
    }
    if (statements !== null && rejected.length === 0)
      for (const [name, { kind, message }] of await differences(terms, statements, request.statements))
        if (kind === 'different') rejected.push({ declaration: name, rule: 'statement', message });
        else declined.push({ declaration: name, reason: message });
  } catch (error) {
    if (!(error instanceof Decline)) throw error;
    declined.push({ declaration: '', reason: error.message });
  }
  nodes.permanent = terms.nodes.permanentCount;
  return {
    verdict: rejected.length > 0 ? 'rejected' : declined.length > 0 ? 'declined' : 'accepted',
    constants: kernel.environment.size,
    declarations,
    theorems,
    axioms,
    rejected,
    declined,
    steps,
    nodes,
  };
}

/**
 * The axioms on which theorems may depend. The standard three are recognised by their statements, others, if allowed,
 * by their names.
 */
class Allowed {
  readonly #kernel: Kernel;
  readonly #names: ReadonlySet<Name> | null;
  readonly #standard: ReadonlySet<Name>;
  readonly #isSound = new Map<Name, boolean>();

  constructor(kernel: Kernel, axioms: readonly string[] | null) {
    const { names } = kernel.terms;
    this.#kernel = kernel;
    this.#names = axioms === null ? null : new Set(axioms.map((name) => names.of(name)));
    this.#standard = new Set(STANDARD_AXIOMS.map((name) => names.of(name)));
  }

  has(axiom: Name): boolean {
    return this.#names === null || (this.#names.has(axiom) && !this.#isFalseFriend(axiom));
  }

  label(axiom: Name): string {
    return `${this.#kernel.terms.names.print(axiom)}${this.#isFalseFriend(axiom) ? ' (not the standard one)' : ''}`;
  }

  /** Whether an axiom has the name of a standard axiom but another statement. */
  #isFalseFriend(axiom: Name): boolean {
    if (!this.#standard.has(axiom)) return false;
    let isSound = this.#isSound.get(axiom);
    if (isSound === undefined) {
      isSound = this.#kernel.isStandardAxiom(axiom);
      this.#isSound.set(axiom, isSound);
    }
    return !isSound;
  }
}

async function* readAll(terms: Terms, files: readonly string[]) {
  for (const file of files) yield* readExport(terms, file);
}

async function differences(
  terms: Terms,
  candidate: Statements,
  asked: CheckRequest['statements'],
): Promise<(readonly [name: string, difference: Difference])[]> {
  const found: (readonly [string, Difference])[] = [];
  for (const [name, file] of asked) {
    const trusted = new Statements(terms);
    for await (const declaration of readExport(terms, file)) trusted.note(declaration);
    const difference = Statements.difference(candidate, trusted, terms.names.of(name));
    if (difference !== null) found.push([name, difference]);
  }
  return found;
}
