/**
 * Finds the theorems that prompts show (`prover.lemmasShown`) and scripts try (`prover.premisesTried`): theorems of the
 * library, theorems that the run has proved, and premises of prepared sets. They are found by the terms that they share
 * with the statement. A theorem qualifies if a proof at that position may use it. A theorem of the library or the run
 * must also mention the same definitions as the statement, or none if the statement mentions none. The statement itself
 * in other words never qualifies.
 */
import type { Prompts } from '@stp/config';
import type { LibraryTheorem, ShownLemma } from '@stp/config/records';
import { LIBRARY_HEADER, splitImports } from '@stp/lean-verifier';
import {
  type Accessible,
  boundNames,
  type LemmaOffer,
  NO_LEMMAS,
  type Premise,
  PremiseCorpus,
  type Stated,
  TermRetriever,
  TermTableBuilder,
  type Transfer,
  termsOf,
  theoremKey,
} from '@stp/selfplay';
import { type FoundRule, LemmaForms } from './lemma-forms.ts';
import type { DefinitionSource, Sources } from './ports.ts';
import { signatureOf } from './theorem-text.ts';

/** The fields of a run's theorem that are read (`grownTheoremSchema`). */
export interface RunTheorem {
  readonly name: string;
  readonly generation: number;
  readonly header: string | null;
  readonly statement: string;
  readonly restates?: readonly string[] | undefined;
}

export type LemmaSources = Pick<Sources, 'definitions' | 'libraryTheorems' | 'modules' | 'premises'>;

/** A statement, with its id if it has one. */
export type StatementToProve = Stated & { readonly id?: string };

/** Theorems about an image (`ImageTheorems`), as a proof writes their names. */
export interface LemmaImage {
  readonly transfers: readonly (Transfer & Pick<ShownLemma, 'written'>)[];
  readonly pushes: readonly string[];
  readonly further: readonly string[];
}

/** An equation that rewrites a part of the statement, as a proof writes its name. */
export type LemmaRule = Pick<ShownLemma, 'written'> & Pick<FoundRule, 'brings'>;

/** Finds lemmas for a statement. */
export interface StatementLemmas {
  /** Returns lemmas for the statement, or for a state in its proof; `goal` is the state, written as a statement. */
  readonly offer: (goal?: string) => LemmaOffer;
  /** Returns theorems of the statement's form on other types (`LemmaForms`). */
  readonly analogues: (most: number) => ShownLemma[];
  /** Returns theorems about images of what the statement is about (`LemmaForms`). */
  readonly images: (constants: readonly string[], most: number) => LemmaImage[];
  /** Returns equations that rewrite a part of the statement (`LemmaForms`). */
  readonly rules: (constants: readonly string[], most: number) => LemmaRule[];
}
export type LemmaOffers = (asked: StatementToProve) => StatementLemmas;
const NOTHING: StatementLemmas = { offer: () => NO_LEMMAS, analogues: () => [], images: () => [], rules: () => [] };

const LIBRARY = 'Stp';
const OPENS_LIBRARY = new RegExp(`^open (?:.* )?${LIBRARY}(?: |$)`, 'mu');

/** @param grown the theorems that the run has proved so far */
export async function lemmaOffers(
  sources: LemmaSources,
  { lemmasShown, lemmaTokens, premisesFrom }: Pick<Prompts, 'lemmasShown' | 'lemmaTokens' | 'premisesFrom'>,
  grown: readonly RunTheorem[],
): Promise<LemmaOffers> {
  if (lemmasShown === 0) return () => NOTHING;
  const definitions = await sources.definitions();
  const library = await libraryTheorems(sources);
  const table = new TermTableBuilder();
  const premises = await setPremises(sources, premisesFrom);
  const theorems = [...library.theorems, ...grown, ...premises.theorems];
  const fromPremises = library.theorems.length + grown.length;
  for (const { statement } of theorems) table.add(termsOf(signatureOf(statement)));
  const retriever = new TermRetriever(table.finish(), 'bm25');
  const forms = onceMade(() => new LemmaForms(theorems.map(({ statement }) => statement)));
  const aboutOf = remembered((index: number) => about(definitions, theorems[index]!, 0));
  const keyOf = remembered((index: number) => keyUnder(definitions, theorems[index]!));
  const generationOf = (asked: StatementToProve): number =>
    grown.find((one) => one.header === asked.header && one.statement === asked.statement)?.generation ??
    Number.POSITIVE_INFINITY;
  return (asked) => {
    const inLibrary = library.accessible(asked);
    const generation = generationOf(asked);
    const isThere: Accessible = (index) => {
      if (index < library.theorems.length) return inLibrary(index);
      const one = grown[index - library.theorems.length]!;
      return one.header === asked.header && one.generation < generation && !one.restates?.includes(asked.id ?? '');
    };
    const isPremise = premises.under(asked.header ?? LIBRARY_HEADER);
    const known = about(definitions, asked, Number.POSITIVE_INFINITY);
    const key = keyUnder(definitions, asked);
    const isAbout = (index: number): boolean => {
      const names = aboutOf(index);
      return names.isSubsetOf(known) && (names.size > 0 || known.size === 0);
    };
    const accessible: Accessible = (index) =>
      index >= fromPremises
        ? isPremise(index - fromPremises)
        : isThere(index) && isAbout(index) && keyOf(index) !== key;
    const opensLibrary = OPENS_LIBRARY.test(asked.header ?? LIBRARY_HEADER);
    const writtenName = (index: number): string => {
      const { name } = theorems[index]!;
      const isShort = opensLibrary && index < library.theorems.length && name.startsWith(`${LIBRARY}.`);
      return isShort ? name.slice(LIBRARY.length + 1) : name;
    };
    const shown = (index: number): ShownLemma => {
      const { name, statement } = theorems[index]!;
      return { name, written: writtenName(index), signature: signatureOf(statement) };
    };
    return {
      offer: (goal = asked.statement) => {
        const found = retriever.find({ state: signatureOf(goal), accessible }, lemmasShown);
        return { lemmas: found.map(({ premise }) => shown(premise)), tokens: lemmaTokens };
      },
      analogues: (most) => forms().analogues(asked.statement, accessible, most).map(shown),
      images: (constants, most) =>
        forms()
          .images(asked.statement, constants, accessible, most)
          .map(({ transfers, pushes, further }) => ({
            transfers: transfers.map((one) => ({ ...one, written: writtenName(one.index) })),
            pushes: pushes.map(writtenName),
            further: further.map(writtenName),
          })),
      rules: (constants, most) =>
        forms()
          .rules(asked.statement, constants, accessible, most)
          .map(({ index, brings }) => ({ written: writtenName(index), brings })),
    };
  };
}

function onceMade<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}

function about(definitions: DefinitionSource, { header, statement }: Stated, distanceMax: number): ReadonlySet<string> {
  const found = definitions.under(header, statement, boundNames(statement));
  return new Set(found.flatMap(({ name, distance }) => (distance <= distanceMax ? [name] : [])));
}

/** Returns the key of a theorem by the values that it and its definitions compute (`theoremKey`). */
export function keyUnder(definitions: DefinitionSource, { header, statement }: Stated): string {
  return theoremKey(statement, (text) => definitions.under(header, text, boundNames(text)));
}

export function remembered<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new Map<Key, Made>();
  return (index) => {
    if (!made.has(index)) made.set(index, make(index));
    return made.get(index)!;
  };
}

/** Theorems by module, which determines the statements that may use them. */
class ModuleTheorems<Theorem> {
  /** In the order of the corpus. */
  readonly theorems: Theorem[] = [];
  readonly #corpus = new PremiseCorpus();
  readonly #modules = new Set<string>();
  /** A module that imports all others; null: there is none. */
  readonly #root: string | null;

  constructor(root: string | null = null) {
    this.#root = root;
  }

  /**
   * Adds a module after the modules that it imports. A known module is kept as it is; a module with missing imports is
   * left out.
   */
  add(
    module: string,
    imports: readonly string[],
    theorems: readonly (Omit<Premise, 'file'> & { theorem: Theorem })[],
  ): void {
    if (this.#corpus.add(module, imports, theorems).missing.length > 0) return;
    this.#modules.add(module);
    for (const { theorem } of theorems) this.theorems.push(theorem);
  }

  /** Returns the known modules that a text imports. */
  importedBy(text: string): string[] {
    const names = splitImports(text).imports.map((line) => line.slice('import '.length).trim());
    if (this.#root !== null && names.includes(this.#root)) return [...this.#modules];
    return names.filter((name) => this.#modules.has(name));
  }

  /** Returns a test for the theorems that a proof at a line of a module may use. */
  at(module: string, line: number): Accessible {
    return this.#corpus.accessible(module, [line, 0]) ?? (() => false);
  }

  /**
   * Returns a test for the theorems that a text below a header may use: those of the modules that the header imports.
   */
  readonly under = remembered((header: string): Accessible => {
    const imported = this.importedBy(header);
    if (imported.length === 0) return () => false;
    this.#corpus.add(header, imported, []);
    return this.at(header, 0);
  });
}

/**
 * Reads the library's theorems. `accessible` says which of them a statement may use, where the statement may itself be
 * one of them.
 */
async function libraryTheorems(sources: LemmaSources) {
  const modules = new ModuleTheorems<LibraryTheorem>(LIBRARY);
  const byModule = Map.groupBy(await sources.libraryTheorems(), ({ file }) => moduleOf(file));
  for (const { module, text } of await sources.modules()) {
    const own = byModule.get(module) ?? [];
    const withLines = own.map((theorem) => {
      const { name, line } = theorem;
      return { theorem, name, start: [line, 0] as const, end: [line, 1] as const };
    });
    if (own.length > 0) modules.add(module, modules.importedBy(text), withLines);
  }
  const byStatement = new Map(modules.theorems.map((theorem) => [theorem.statement, theorem]));
  const accessible = ({ header, statement }: Stated): Accessible => {
    const own = byStatement.get(statement);
    if (own !== undefined && own.header === header) return modules.at(moduleOf(own.file), own.line);
    return modules.under(header ?? LIBRARY_HEADER);
  };
  return { theorems: modules.theorems, accessible };
}

/** Reads the premises of prepared sets. A module in several sets counts once. */
async function setPremises(sources: LemmaSources, sets: readonly string[]) {
  const modules = new ModuleTheorems<{ readonly name: string; readonly header: null; readonly statement: string }>();
  for (const set of sets)
    for (const { path, imports, premises } of await sources.premises(set)) {
      const withLines = premises.flatMap(({ full_name: name, code, start, end }) =>
        name === null ? [] : [{ theorem: { name, header: null, statement: code }, name, start, end }],
      );
      modules.add(path, imports, withLines);
    }
  return modules;
}

/** `List.lean` → `Stp.List`. */
const moduleOf = (file: string): string => `${LIBRARY}.${file.replace(/\.lean$/u, '').replaceAll('/', '.')}`;
