/**
 * Checks the declarations of a compiled module over its trusted imports, and lists all contents of the module. A module
 * lists its constants in no particular order, so each is checked after the constants that it mentions. Constants that
 * mention each other in a cycle were not made by a kernel; the first of them is rejected because it names an unknown
 * constant.
 */
import { dirname, sep } from 'node:path';
import { mentioned } from '../axioms.ts';
import { type Declaration, declaredNames, declaredTerms } from '../declaration.ts';
import { type Expr, FORALL, SORT, type Terms } from '../expr.ts';
import type { Kernel } from '../kernel.ts';
import type { Name } from '../name.ts';
import { type LiteralConstants, literalConstants } from '../special/literal-constants.ts';
import { Decline, type Verdict } from '../verdict.ts';
import { AxiomTrace } from './axiom-trace.ts';
import { explained } from './compiled-file.ts';
import type { ConstantIndex } from './constant-index.ts';
import { declarationOf } from './declarations.ts';
import { Damaged } from './heap.ts';
import type { CompiledLibrary, WrittenDeclarations } from './library.ts';
import type { CompiledConstant, CompiledModule } from './module-data.ts';
import { displayName, isDerivedPart, isPrivate, publicName } from './names.ts';
import { type Owners, ownerOf } from './owner.ts';
import type { AskedReport, AskedTheorem, AxiomUse, CheckedConstant, ModuleReport } from './report.ts';
import { StatedConstants } from './stated-constants.ts';
import { hidingOf, type StatementSource, statementParts } from './statement-parts.ts';

export interface ModuleCheckOptions {
  readonly path: string;
  /**
   * Folder of the toolchain's own modules, at which the search for axioms ends. Null: the search follows everything.
   */
  readonly toolchainFolder: string | null;
  /** Folder of imported modules that are not a library; null if there is none. */
  readonly neighboursFolder: string | null;
  /** Names under which the module may declare only theorems, although no import has them; null for none. */
  readonly taken: Pick<ConstantIndex, 'find'> | null;
  readonly asked: readonly AskedTheorem[];
  /** The module compiled from the statements alone. Null if `asked` is empty. */
  readonly stated: { readonly path: string; readonly module: CompiledModule } | null;
}

/** Throws `InputError` if the module is damaged. `kernel` trusts `library`, and drops the module afterwards. */
export function checkModule(
  terms: Terms,
  kernel: Kernel,
  library: CompiledLibrary,
  module: CompiledModule,
  options: ModuleCheckOptions,
): ModuleReport {
  try {
    return explained(options.path, () => new ModuleCheck(terms, kernel, library, module, options).run());
  } finally {
    kernel.dropAdded();
  }
}

type Finding = Pick<CheckedConstant, 'verdict' | 'message'>;

class ModuleCheck {
  readonly #terms: Terms;
  readonly #kernel: Kernel;
  readonly #library: CompiledLibrary;
  readonly #module: CompiledModule;
  readonly #options: ModuleCheckOptions;
  readonly #literals: LiteralConstants;
  readonly #indices: ReadonlyMap<Name, number>;
  readonly #written: ReadonlySet<Name>;
  readonly #source: StatementSource;
  /** Null if no theorems are requested. */
  readonly #stated: StatedConstants | null;
  readonly #owners: Owners;
  /** Declarations that people wrote in modules of the neighbours' folder, by the module's path. */
  readonly #neighbours = new Map<string, WrittenDeclarations>();
  readonly #constants = new Map<Name, CompiledConstant>();
  /** Names whose declaration was checked, or waits for constants that it mentions. */
  readonly #begun = new Set<Name>();
  readonly #findings = new Map<Name, Finding>();
  readonly #rejected: Extract<Verdict, { kind: 'rejected' }>[] = [];
  readonly #declined: Extract<Verdict, { kind: 'declined' }>[] = [];
  #declarations = 0;
  #setAside = 0;

  constructor(
    terms: Terms,
    kernel: Kernel,
    library: CompiledLibrary,
    module: CompiledModule,
    options: ModuleCheckOptions,
  ) {
    this.#terms = terms;
    this.#kernel = kernel;
    this.#library = library;
    this.#module = module;
    this.#options = options;
    this.#literals = literalConstants(terms.names, (name) => this.#constructorsOf(name));
    this.#indices = new Map(module.names.map((name, index) => [name, index]));
    if (this.#indices.size !== module.names.length) throw new Damaged('it holds two constants of one name');
    this.#written = new Set([...module.entries.sourceRanges().keys(), ...module.entries.projections()]);
    this.#source = {
      terms,
      isWritten: (name) => this.#isWritten(name),
      isOwn: (name) => this.#indices.has(name) || this.#isNeighbours(name),
      isImported: (name) => (library.has(name) && !this.#isNeighbours(name)) || this.#isTaken(name),
      mentioned: (name) => this.#mentioned(name),
      mentionedInType: ({ type }) => mentioned(terms, this.#literals, [type]),
      binders: (name) => module.binders(this.#indices.get(name)!),
    };
    const { stated, asked } = options;
    this.#stated = stated === null ? null : new StatedConstants(terms, stated, (name) => this.#own(name));
    this.#owners = {
      names: terms.names,
      asked: new Map(asked.map(({ name }, at) => [terms.names.of(name), at])),
      isGiven: (name) => this.#stated?.isGiven(name) ?? false,
      isImported: (name) => this.#isImported(name),
    };
  }

  run(): ModuleReport {
    const { names } = this.#terms;
    for (const name of this.#module.names)
      if (this.#library.has(name)) this.#rejectName(name, 'an import has a constant of this name');
      else if (this.#isTaken(name) && this.#own(name)!.kind !== 'theorem' && !this.#isDerived(name))
        this.#rejectName(name, 'Lean’s library has a constant of this name, which is not imported here');
    for (const index of this.#indices.values()) this.#kernel.readAhead(this.#module.mentioned(index));
    for (const name of this.#module.names) this.#checkFrom(name);
    const reports = this.#reports();
    const indexOf = new Map(reports.map(([name], index) => [name, index]));
    const asked = this.#options.asked.map((theorem) => this.#answer(theorem, indexOf));
    return {
      verdict: this.#rejected.length > 0 ? 'rejected' : this.#declined.length > 0 ? 'declined' : 'accepted',
      declarations: this.#declarations,
      setAside: this.#setAside,
      imports: [...new Set(this.#module.imports.map((name) => names.print(name)))],
      constants: reports.map(([, constant]) => constant),
      asked,
      extensions: [...this.#module.entries.counts()].map(([name, entries]) => ({ name, entries })),
      rejected: this.#rejected.map(({ declaration, rule, message }) => ({ declaration, rule, message })),
      declined: this.#declined.map(({ declaration, reason }) => ({ declaration, reason })),
    };
  }

  /**
   * Rejects a constant with a name of an import. Otherwise a search for axioms by name would find another constant than
   * the kernel.
   */
  #rejectName(name: Name, why: string): void {
    const declaration = this.#terms.names.print(name);
    const message = `${declaration}: ${why}`;
    this.#begun.add(name);
    this.#rejected.push({ kind: 'rejected', declaration, rule: 'name', message });
    this.#findings.set(name, { verdict: 'rejected', message });
  }

  #isTaken(name: Name): boolean {
    return (this.#options.taken?.find(name) ?? null) !== null;
  }

  /** Lean derives such constants in the first module that asks for them. The kernel checks them like all others. */
  #isDerived(name: Name): boolean {
    const { names } = this.#terms;
    let at = name;
    for (let last = names.last(at); at !== 0 && typeof last === 'string' && isDerivedPart(last); last = names.last(at))
      at = names.prefix(at);
    return at !== name && !this.#written.has(name) && this.#isImported(at);
  }

  /** Checks the declaration of the constant after those that it mentions, without recursion. */
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
      for (const made of declaredNames(next.declaration)) this.#begun.add(made);
      for (const its of mentioned(this.#terms, this.#literals, declaredTerms(next.declaration)))
        if (this.#isLeftOut(its)) this.#kernel.decline(its);
        else if (!this.#isBegun(its)) waiting.push({ name: its, declaration: null });
    }
  }

  /**
   * Whether a library lacks the constant because it is private to one of its modules. A declaration that needs it gets
   * no verdict.
   */
  #isLeftOut(name: Name): boolean {
    return !this.#indices.has(name) && !this.#library.has(name) && isPrivate(this.#terms.names, name);
  }

  #isBegun(name: Name): boolean {
    return this.#begun.has(name) || !this.#indices.has(name);
  }

  /** Returns the constant of this module, or null. */
  #own(name: Name): CompiledConstant | null {
    const index = this.#indices.get(name);
    if (index === undefined) return null;
    const known = this.#constants.get(name) ?? this.#module.constant(index);
    this.#constants.set(name, known);
    return known;
  }

  #constructorsOf(name: Name): readonly Name[] | null {
    const constant = this.#own(name) ?? (this.#library.has(name) ? this.#library.constant(name) : null);
    return constant?.kind === 'inductive' ? constant.constructors : null;
  }

  #declarationOf(name: Name): Declaration | null {
    try {
      return declarationOf(this.#terms, this.#own(name)!, (part) => this.#own(part));
    } catch (error) {
      if (!(error instanceof Decline)) throw error;
      this.#begun.add(name);
      const declaration = this.#terms.names.print(name);
      const reason = `${declaration}: ${error.message}`;
      this.#declined.push({ kind: 'declined', declaration, reason });
      this.#findings.set(name, { verdict: 'declined', message: reason });
      this.#kernel.decline(name);
      return null;
    }
  }

  #add(declaration: Declaration): void {
    if (isOutside(declaration)) {
      this.#setAside++;
      for (const name of declaredNames(declaration)) {
        this.#kernel.decline(name);
        this.#findings.set(name, { verdict: 'outside', message: 'it is unsafe or partial' });
      }
      return;
    }
    this.#declarations++;
    const verdict = this.#kernel.add(declaration);
    if (verdict.kind === 'rejected') this.#rejected.push(verdict);
    if (verdict.kind === 'declined') this.#declined.push(verdict);
    const finding: Finding =
      verdict.kind === 'accepted'
        ? { verdict: 'accepted', message: '' }
        : { verdict: verdict.kind, message: verdict.kind === 'rejected' ? verdict.message : verdict.reason };
    for (const name of declaredNames(declaration)) this.#findings.set(name, finding);
  }

  /** Returns the constants in source order, followed by those that Lean generated. */
  #reports(): (readonly [Name, CheckedConstant])[] {
    const { names } = this.#terms;
    const ranges = this.#module.entries.sourceRanges();
    // If theorems are requested, our own record of the statements defines their meaning.
    const isListed = this.#options.asked.length === 0;
    const trace = new AxiomTrace({
      isFollowed: (name) => this.#indices.has(name) || (this.#library.has(name) && !this.#isToolchains(name)),
      isAxiom: (name) =>
        this.#indices.has(name)
          ? this.#own(name)!.kind === 'axiom'
          : this.#library.has(name) && this.#library.isAxiom(name),
      mentioned: (name) => this.#mentioned(name),
    });
    const reports = this.#module.names.map((name): readonly [Name, CheckedConstant] => {
      const constant = this.#own(name)!;
      const report = {
        name: displayName(names, publicName(names, name)),
        kind: constant.kind,
        safety: safetyOf(constant),
        isPrivate: isPrivate(names, name),
        range: ranges.get(name) ?? null,
        ...(isListed && this.#written.has(name) ? statementOf(constant, this.#source) : {}),
        hasLiteralSort: constant.kind !== 'inductive' || endsInSort(this.#terms, constant.type),
        ...(this.#findings.get(name) ?? { verdict: 'declined', message: 'the kernel did not come to it' }),
        madeFor: ownerOf(name, this.#owners),
        axioms: [...trace.of(name)].map((axiom) => this.#axiomUse(axiom)),
      };
      return [name, report];
    });
    const line = ({ range }: CheckedConstant): number => range?.line ?? Number.MAX_SAFE_INTEGER;
    const column = ({ range }: CheckedConstant): number => range?.column ?? 0;
    return reports.sort(([, a], [, b]) => line(a) - line(b) || column(a) - column(b) || (a.name < b.name ? -1 : 1));
  }

  #axiomUse(name: Name): AxiomUse {
    return { name: displayName(this.#terms.names, name), from: this.#originOf(name) };
  }

  #originOf(name: Name): AxiomUse['from'] {
    if (this.#indices.has(name)) return 'module';
    return this.#isToolchains(name) ? 'toolchain' : 'import';
  }

  #isToolchains(name: Name): boolean {
    return this.#liesIn(this.#options.toolchainFolder, name);
  }

  #isNeighbours(name: Name): boolean {
    return this.#liesIn(this.#options.neighboursFolder, name);
  }

  #liesIn(folder: string | null, name: Name): boolean {
    const location = folder === null ? null : this.#library.locate(name);
    return location !== null && `${dirname(location.module.path)}${sep}`.startsWith(`${folder}${sep}`);
  }

  /** Whether a person wrote it, in this module or a neighbour. */
  #isWritten(name: Name): boolean {
    const location = this.#isNeighbours(name) ? this.#library.locate(name) : null;
    if (location === null) return this.#written.has(name);
    const known = this.#neighbours.get(location.module.path) ?? this.#library.written(location.module);
    this.#neighbours.set(location.module.path, known);
    return known.ranges.has(name) || known.projections.has(name);
  }

  #mentioned(name: Name): Iterable<Name> {
    const index = this.#indices.get(name);
    return index === undefined ? this.#library.mentioned(name) : this.#module.mentioned(index);
  }

  /** Whether a name is imported, including names private to the imported module. */
  #isImported(name: Name): boolean {
    if (this.#library.has(name)) return true;
    const { names } = this.#terms;
    // `_private.M.0.f.match_1` is derived from `f.match_1` of any module.
    return names.prefix(name) !== 0 && this.#library.has(publicName(names, name));
  }

  #answer({ name: asked, stated: statedName }: AskedTheorem, indexOf: ReadonlyMap<Name, number>): AskedReport {
    const { names } = this.#terms;
    const name = names.of(asked);
    const given = this.#own(name);
    if (given === null)
      return { name: asked, index: null, statement: 'unknown', hiding: [], reaches: [], mentions: [] };
    const statement = this.#stated?.compareStatement(given, names.of(statedName)) ?? 'unknown';
    const reached = this.#reached(name);
    const mentions = new Set<string>();
    for (const own of [name, ...reached])
      for (const its of this.#mentioned(own))
        if (!this.#indices.has(its)) mentions.add(displayName(names, publicName(names, its)));
    const reaches = reached.map((its) => indexOf.get(its)!);
    const { hiding } = statementParts(given, this.#source);
    return { name: asked, index: indexOf.get(name)!, statement, hiding, reaches, mentions: [...mentions].sort() };
  }

  /** Returns the module's own constants on which the named one depends, except itself. */
  #reached(name: Name): Name[] {
    const seen = new Set([name]);
    const waiting = [name];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
      for (const its of this.#mentioned(at))
        if (this.#indices.has(its) && !seen.has(its)) {
          seen.add(its);
          waiting.push(its);
        }
    seen.delete(name);
    return [...seen];
  }
}

function statementOf(
  constant: CompiledConstant,
  source: StatementSource,
): Pick<CheckedConstant, 'statement' | 'hides'> {
  const isStatement = constant.kind === 'theorem' || constant.kind === 'axiom' || constant.kind === 'definition';
  const [hides] = constant.kind === 'theorem' ? [] : hidingOf(source, constant.name);
  return {
    ...(isStatement ? { statement: statementParts(constant, source) } : {}),
    ...(hides === undefined ? {} : { hides }),
  };
}

function endsInSort(terms: Terms, type: Expr): boolean {
  let at = type;
  while (terms.kind(at) === FORALL) at = terms.body(at);
  return terms.kind(at) === SORT;
}

function safetyOf(constant: CompiledConstant): CheckedConstant['safety'] {
  if (constant.kind === 'definition') return constant.safety;
  return 'isUnsafe' in constant && constant.isUnsafe ? 'unsafe' : 'safe';
}

/**
 * Whether the declaration is unsafe or partial. Such declarations exist for the compiler (every recursive function has
 * one). A proof that depends on one is declined.
 */
function isOutside(declaration: Declaration): boolean {
  if (declaration.kind === 'definition') return declaration.safety !== 'safe';
  return 'isUnsafe' in declaration && declaration.isUnsafe;
}
