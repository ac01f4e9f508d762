/**
 * Counts the statements of a compiled library that a run proved, by area and by module. The labels identify such a set:
 * its name, the area, and the module of each statement (`bin/stp data prepare --from lean`).
 */
import type { LibraryProgress, Proved, Statement } from '@stp/config/records';
import { areaOf } from '@stp/lean-explore';
import { STANDARD_AXIOMS } from '@stp/lean-kernel/defaults';
import type { Cell } from './csv.ts';

type Labelled = Pick<Statement, 'id' | 'labels'>;

interface Origin {
  readonly set: string;
  readonly area: string;
  readonly module: string;
}

interface Found {
  /** First round with a proof. */
  readonly round: number;
  /** Whether a proof rests only on Lean's three axioms, and on no theorem of a library without proofs. */
  onAxiomsOnly: boolean;
}

/** Number of statements of a module, and how many were proved after each round. */
export interface ModuleProgress extends Origin {
  readonly statements: number;
  readonly provedPerRound: readonly number[];
}

export interface LibraryFigures {
  readonly sets: readonly LibraryProgress[];
  readonly modules: readonly ModuleProgress[];
}

export class LibraryTally {
  readonly #origins = new Map<string, Origin>();
  readonly #found = new Map<string, Found>();

  addStatement({ id, labels }: Labelled): void {
    const origin = originOf(labels);
    if (origin !== null) this.#origins.set(id, origin);
  }

  /** Proofs must be added in the order of rounds. */
  addProof({ statementId, certificate }: Pick<Proved, 'statementId' | 'certificate'>, round: number): void {
    if (!this.#origins.has(statementId)) return;
    const found = this.#found.get(statementId) ?? { round, onAxiomsOnly: false };
    this.#found.set(statementId, found);
    found.onAxiomsOnly ||= certificate.axioms.every((axiom) => STANDARD_AXIOMS.includes(axiom));
  }

  /**
   * Returns the figures. `rounds`: number of ended rounds, including the baseline. Sets and areas are sorted by name,
   * and modules within their area.
   */
  figures(rounds: number): LibraryFigures {
    const modules = this.#grouped(({ set, area, module }) => [set, area, module], rounds).map(
      ([[set = '', area = '', module = ''], counts]): ModuleProgress => ({ set, area, module, ...counts }),
    );
    const areas = this.#grouped(({ set, area }) => [set, area], rounds);
    const sets = this.#grouped(({ set }) => [set], rounds).map(([[set = ''], { statements }]): LibraryProgress => {
      const found = [...this.#found].flatMap(([id, one]) => (this.#origins.get(id)!.set === set ? [one] : []));
      return {
        set,
        isCore: modules.every((one) => one.set !== set || isCore(one.module)),
        statements,
        proved: found.length,
        onAxiomsOnly: found.filter(({ onAxiomsOnly }) => onAxiomsOnly).length,
        areas: areas.flatMap(([[own, area = ''], counts]) => (own === set ? [{ area, ...counts }] : [])),
      };
    });
    return { sets, modules };
  }

  #grouped(
    keyOf: (origin: Origin) => readonly string[],
    rounds: number,
  ): [readonly string[], Pick<ModuleProgress, 'statements' | 'provedPerRound'> & { provedPerRound: number[] }][] {
    const groups = Map.groupBy(this.#origins, ([, origin]) => JSON.stringify(keyOf(origin)));
    return [...groups.keys()].sort().map((key) => {
      const ids = groups.get(key)!.map(([id]) => id);
      const provedPerRound = Array.from(
        { length: rounds },
        (_, round) => ids.filter((id) => (this.#found.get(id)?.round ?? Number.POSITIVE_INFINITY) <= round).length,
      );
      return [JSON.parse(key) as string[], { statements: ids.length, provedPerRound }];
    });
  }
}

const isCore = (module: string): boolean => /^(?:Init|Std)(?:\.|$)/u.test(module);

/** Returns null for a statement of another kind of set. */
function originOf(labels: readonly string[]): Origin | null {
  const [set, area, module] = [labels[0], labels.at(-2), labels.at(-1)];
  if (labels.length < 3 || area !== areaOf(module!)) return null;
  return { set: set!, area, module: module! };
}

/** Returns a sentence that says how much of a library was proved. */
export function librarySentence({ set, isCore: core, statements, proved, onAxiomsOnly }: LibraryProgress): string {
  const whose = core ? "Lean's core library" : 'its project';
  const onLibrary = proved - onAxiomsOnly;
  return [
    `${proved} of ${statements} theorems of ${whose} (the training part of ${set}) proved again from their statements alone, on no assumption.`,
    ...(onLibrary === 0
      ? []
      : [
          `${onLibrary} of these ${onLibrary === 1 ? 'uses' : 'use'} theorems of the library below, whose proofs this Lean does not have.`,
        ]),
  ].join(' ');
}

export const MODULES_CSV = 'report/library-progress.csv';

/** Returns columns and rows of the table by module. */
export function libraryTable({ modules }: LibraryFigures): { columns: string[]; rows: Cell[][] } {
  const rounds = modules[0]?.provedPerRound.length ?? 0;
  return {
    columns: [
      'set',
      'area',
      'module',
      'statements',
      ...Array.from({ length: rounds }, (_, round) => `proved after round ${round}`),
    ],
    rows: modules.map(({ set, area, module, statements, provedPerRound }) => [
      set,
      area,
      module,
      statements,
      ...provedPerRound,
    ]),
  };
}
