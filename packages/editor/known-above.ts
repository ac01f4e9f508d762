/**
 * Definitions and theorems that engines may name at a goal: those of the file above it, and of the files that it
 * imports.
 */
import { Definitions } from '@stp/lean-explore';
import { boundNames } from '@stp/selfplay';
import type { Query } from './engines/engine.ts';
import { ownName } from './own-words.ts';
import { Premises } from './premises.ts';

const OPEN_LINE = /^\s*(?:open|namespace)\s.*$/gmu;
const USES_LIBRARY = /^import Stp\b/mu;
/** Maximum theorems that scripts may name: of the file above the position, and in total. */
const PREMISES_OF_FILE = 4;
const PREMISES = 8;
/** Number of texts above goals whose definitions stay in memory. */
const TEXTS_KEPT = 16;

export interface KnownAboveOptions {
  /** Texts of the library's modules, for files that import them. */
  readonly modules: () => Promise<readonly string[]>;
  /** Texts of further files that a file imports. Missing: none are known. */
  readonly imported?: (above: string) => Promise<readonly string[]>;
}

interface Read {
  readonly definitions: Definitions;
  readonly premises: Premises;
}

export class KnownAbove {
  readonly #options: KnownAboveOptions;
  readonly #read = new Map<string, Read>();
  #library: Promise<Premises> | null = null;

  constructor(options: KnownAboveOptions) {
    this.#options = options;
  }

  /**
   * Returns the definitions that a goal mentions, and similar theorems. They only help engines.
   * @param above text above the goal
   * @param statement the goal as a statement
   * @param goal the goal as Lean prints it
   */
  async at(above: string, statement: string, goal: string): Promise<Pick<Query, 'definitions' | 'premises'>> {
    const { definitions, premises } = this.#read.get(above) ?? (await this.#readTexts(above));
    const opens = (above.match(OPEN_LINE) ?? []).map((line) => line.replace('namespace', 'open'));
    const own = ownName(above);
    const near = await premises.find(goal, own, PREMISES_OF_FILE);
    const far = USES_LIBRARY.test(above) ? await (await this.#libraryPremises()).find(goal, own, PREMISES) : [];
    return {
      definitions: definitions.under(opens.join('\n'), statement, boundNames(statement)),
      premises: [...new Set([...near, ...far].map(({ name }) => name))].slice(0, PREMISES),
    };
  }

  async #readTexts(above: string): Promise<Read> {
    const modules = USES_LIBRARY.test(above) ? await this.#options.modules() : [];
    const imported = (await this.#options.imported?.(above)) ?? [];
    const read = {
      definitions: new Definitions([...modules, ...imported, above]),
      premises: new Premises([above, ...imported]),
    };
    this.#read.set(above, read);
    if (this.#read.size > TEXTS_KEPT) this.#read.delete(this.#read.keys().next().value!);
    return read;
  }

  #libraryPremises(): Promise<Premises> {
    this.#library ??= this.#options.modules().then((modules) => new Premises(modules));
    return this.#library;
  }
}
