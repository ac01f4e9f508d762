/**
 * The theorems that prompts show (`prover.lemmasShown`) and scripts try (`prover.premisesTried`): those of the library, those that a
 * run has proved, and the premises of prepared sets. They are found by the terms that they share with what is to be proved. Only what a
 * proof at that place may use; of the library and the run only what says something of the same definitions, or of none if the
 * statement has none; never the statement itself in other words.
 */
import type { Prompts } from '@stp/config';
import type { LibraryTheorem, ShownLemma } from '@stp/config/records';
import { LIBRARY_HEADER, splitImports } from '@stp/lean-verifier';
import {
  type Accessible,
  boundNames,
  type LemmaOffer,
  NO_LEMMAS,
  PremiseCorpus,
  type Stated,
  TermRetriever,
  TermTableBuilder,
  termsOf,
  theoremKey,
} from '@stp/selfplay';
import type { DefinitionSource, Sources } from './ports.ts';

/** The fields that are read of a theorem of the run (`grownTheoremSchema`). */
export interface RunTheorem {
  readonly name: string;
  readonly generation: number;
  readonly header: string | null;
  readonly statement: string;
  readonly restates?: readonly string[] | undefined;
}

export type LemmaSources = Pick<Sources, 'definitions' | 'libraryTheorems' | 'modules' | 'premises'>;

/** A statement with its id, where it has one. */
export type Asked = Stated & { readonly id?: string };

/** The lemmas for a statement, or for states in its proof; `goal`: a state, written as a statement. */
export type LemmaOffers = (asked: Asked) => (goal?: string) => LemmaOffer;

/** Keyword, name and universes: `theorem List.map_map.{u, v} `. */
const HEAD = /^(?:theorem|lemma)\s+\S+?(?:\.\{[^}]*\})?(?:\s+|$)/u;
const LIBRARY = 'Stp';
const OPENS_LIBRARY = new RegExp(`^open (?:.* )?${LIBRARY}(?: |$)`, 'mu');

/** @param grown what the run has proved so far */
export async function lemmaOffers(
  sources: LemmaSources,
  { lemmasShown, lemmaTokens, premisesFrom }: Pick<Prompts, 'lemmasShown' | 'lemmaTokens' | 'premisesFrom'>,
  grown: readonly RunTheorem[],
): Promise<LemmaOffers> {
  if (lemmasShown === 0) return () => () => NO_LEMMAS;
  const definitions = await sources.definitions();
  const library = new LibraryPlaces(await sources.modules(), await sources.libraryTheorems());
  const table = new TermTableBuilder();
  const premises = await premisePlaces(sources, premisesFrom);
  const theorems = [...library.theorems, ...grown, ...premises.theorems];
  const fromPremises = library.theorems.length + grown.length;
  for (const { statement } of theorems) table.add(termsOf(statement.replace(HEAD, '')));
  const retriever = new TermRetriever(table.finish(), 'bm25');
  const aboutOf = remembered((place: number) => about(definitions, theorems[place]!, 0));
  const keyOf = remembered((place: number) => keyUnder(definitions, theorems[place]!));
  const generationOf = (asked: Asked): number =>
    grown.find((one) => one.header === asked.header && one.statement === asked.statement)?.generation ??
    Number.POSITIVE_INFINITY;
  return (asked) => {
    const inLibrary = library.accessible(asked);
    const generation = generationOf(asked);
    const isThere: Accessible = (place) => {
      if (place < library.theorems.length) return inLibrary(place);
      const one = grown[place - library.theorems.length]!;
      return one.header === asked.header && one.generation < generation && !one.restates?.includes(asked.id ?? '');
    };
    const isPremise = premises.accessible(asked);
    const known = about(definitions, asked, Number.POSITIVE_INFINITY);
    const key = keyUnder(definitions, asked);
    const isAbout = (place: number): boolean => {
      const names = aboutOf(place);
      return names.isSubsetOf(known) && (names.size > 0 || known.size === 0);
    };
    const accessible: Accessible = (place) =>
      place >= fromPremises
        ? isPremise(place - fromPremises)
        : isThere(place) && isAbout(place) && keyOf(place) !== key;
    const opensLibrary = OPENS_LIBRARY.test(asked.header ?? LIBRARY_HEADER);
    return (goal = asked.statement) => {
      const found = retriever.find({ state: goal.replace(HEAD, ''), accessible }, lemmasShown);
      const lemmas = found.map(({ premise }): ShownLemma => {
        const { name, statement } = theorems[premise]!;
        const isShort = opensLibrary && premise < library.theorems.length && name.startsWith(`${LIBRARY}.`);
        const written = isShort ? name.slice(LIBRARY.length + 1) : name;
        return { name, written, signature: statement.replace(HEAD, '') };
      });
      return { lemmas, tokens: lemmaTokens };
    };
  };
}

function about(definitions: DefinitionSource, { header, statement }: Stated, distanceMax: number): ReadonlySet<string> {
  const found = definitions.under(header, statement, boundNames(statement));
  return new Set(found.flatMap(({ name, distance }) => (distance <= distanceMax ? [name] : [])));
}

/** The key of a theorem by what it and its definitions compute (`theoremKey`). */
export function keyUnder(definitions: DefinitionSource, { header, statement }: Stated): string {
  return theoremKey(statement, (text) => definitions.under(header, text, boundNames(text)));
}

function remembered<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new Map<Key, Made>();
  return (place) => {
    if (!made.has(place)) made.set(place, make(place));
    return made.get(place)!;
  };
}

/** Where the library's theorems stand, and so which of them a statement may use. */
class LibraryPlaces {
  /** In the order of the corpus. */
  readonly theorems: readonly LibraryTheorem[];
  readonly #corpus = new PremiseCorpus();
  readonly #modules: readonly string[];
  readonly #placeOf: ReadonlyMap<string, number>;
  readonly #under = underHeaders(this.#corpus, (text) => this.#imported(text));

  /** @param modules in an order that respects imports */
  constructor(modules: Awaited<ReturnType<Sources['modules']>>, theorems: readonly LibraryTheorem[]) {
    const byModule = Map.groupBy(theorems, ({ file }) => moduleOf(file));
    const ours = modules.filter(({ module }) => byModule.has(module));
    this.#modules = ours.map(({ module }) => module);
    this.theorems = this.#modules.flatMap((module) => byModule.get(module)!);
    this.#placeOf = new Map(this.theorems.map(({ statement }, place) => [statement, place]));
    for (const { module, text } of ours) {
      const premises = byModule.get(module)!.map(({ name, line }) => ({
        name,
        start: [line, 0] as const,
        end: [line, 1] as const,
      }));
      this.#corpus.add(module, this.#imported(text), premises);
    }
  }

  accessible({ header, statement }: Stated): Accessible {
    const place = this.#placeOf.get(statement);
    const own = place === undefined ? undefined : this.theorems[place]!;
    if (own !== undefined && own.header === header)
      return this.#corpus.accessible(moduleOf(own.file), [own.line, 0]) ?? (() => false);
    return this.#under(header ?? LIBRARY_HEADER);
  }

  /** The library's modules that a text imports. */
  #imported(text: string): string[] {
    const names = namesImported(text);
    const ours = new Set(names.includes(LIBRARY) ? this.#modules : names);
    return this.#modules.filter((module) => ours.has(module));
  }
}

/** The premises of prepared sets. A module that several sets have counts once. */
interface PremisePlaces {
  /** In the order of the corpus. */
  readonly theorems: readonly { readonly name: string; readonly header: null; readonly statement: string }[];
  accessible(asked: Stated): Accessible;
}

async function premisePlaces(sources: LemmaSources, sets: readonly string[]): Promise<PremisePlaces> {
  const corpus = new PremiseCorpus();
  const modules = new Set<string>();
  const theorems: { name: string; header: null; statement: string }[] = [];
  for (const set of sets)
    for await (const { path, imports, premises } of sources.premises(set)) {
      if (modules.has(path)) continue;
      const named = premises.flatMap(({ full_name: name, code, start, end }) =>
        name === null ? [] : [{ name, code, start, end }],
      );
      corpus.add(path, imports, named);
      modules.add(path);
      for (const { name, code } of named) theorems.push({ name, header: null, statement: code });
    }
  const under = underHeaders(corpus, (text) => namesImported(text).filter((name) => modules.has(name)));
  return {
    theorems,
    accessible: ({ header }) => (modules.size === 0 ? () => false : under(header ?? LIBRARY_HEADER)),
  };
}

/** What a text below a header may use: all of the modules that the header imports. */
const underHeaders = (
  corpus: PremiseCorpus,
  imported: (header: string) => string[],
): ((header: string) => Accessible) =>
  remembered((header) => {
    corpus.add(header, imported(header), []);
    return corpus.accessible(header, [0, 0]) ?? (() => false);
  });

const namesImported = (text: string): string[] =>
  splitImports(text).imports.map((line) => line.slice('import '.length).trim());

/** `List.lean` → `Stp.List`. */
const moduleOf = (file: string): string => `${LIBRARY}.${file.replace(/\.lean$/u, '').replaceAll('/', '.')}`;
