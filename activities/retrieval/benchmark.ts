/**
 * Reads a LeanDojo Benchmark 4 folder as a premise corpus and as traced steps. A step whose tactic names a premise that
 * the corpus lacks is left out, and its position is recorded.
 */
import { StpError } from '@stp/base';
import {
  type CorpusFile,
  type Located,
  readCorpus,
  readTheoremRows,
  type TacticRow,
  type TheoremRow,
} from '@stp/lean-explore';
import { PremiseCorpus } from '@stp/selfplay';

/** Rows that are left out: all are counted, and the positions of the first are kept. */
export class LeftOut {
  static readonly PLACES_MAX = 100;
  count = 0;
  readonly locations: string[] = [];

  add(location: string): void {
    this.count += 1;
    if (this.locations.length < LeftOut.PLACES_MAX) this.locations.push(location);
  }
}

/** Names that a tactic cannot mention: those of anonymous declarations and of mutual blocks. */
const NO_NAME = /^\[|user__\.n/u;

/** Returns the premises of a file that can be retrieved, in order. */
export function retrievable({
  premises,
}: CorpusFile): (CorpusFile['premises'][number] & { readonly full_name: string })[] {
  return premises.flatMap((premise) => {
    const { full_name, code } = premise;
    return full_name === null || full_name === '' || code.trim() === '' || NO_NAME.test(full_name)
      ? []
      : [{ ...premise, full_name }];
  });
}

/**
 * Reads the corpus of `corpus.jsonl`, without the texts of its premises. Throws STP1501 for a file that comes before
 * one of its imports or occurs twice, and the errors of `readCorpus`.
 *
 * @param onFile called for each file, after its premises were added
 */
export async function readPremiseCorpus(
  path: string,
  onFile: (file: CorpusFile) => void | Promise<void> = () => undefined,
): Promise<PremiseCorpus> {
  const corpus = new PremiseCorpus();
  for await (const { row, where } of readCorpus(path)) {
    const premises = retrievable(row).map(({ full_name: name, start, end }) => ({ name, start, end }));
    const { missing } = corpus.add(row.path, row.imports, premises);
    if (missing.length > 0)
      throw new StpError(
        'STP1501',
        missing[0] === row.path
          ? `${where}: ${row.path} appears twice`
          : `${where}: ${row.path} imports ${missing[0]}, which is not above it`,
        'Is this the corpus.jsonl of LeanDojo Benchmark 4, whole and unchanged?',
        { facts: { where } },
      );
    await onFile(row);
  }
  return corpus;
}

export interface TracedStep {
  readonly theorem: TheoremRow;
  readonly tactic: TacticRow;
  /** Indices of the premises that the tactic names, each once. */
  readonly premises: ReadonlySet<number>;
  /** `FILE:LINE row ROW tactic TACTIC`. */
  readonly where: string;
}

/** Yields the traced steps of one split file, in order. Throws the errors of `readTheoremRows`. */
export async function* readTracedSteps(
  path: string,
  corpus: PremiseCorpus,
  leftOut: LeftOut,
): AsyncGenerator<TracedStep> {
  for await (const located of readTheoremRows(path)) yield* stepsOf(located, corpus, leftOut);
}

function* stepsOf({ row, where }: Located<TheoremRow>, corpus: PremiseCorpus, leftOut: LeftOut): Generator<TracedStep> {
  for (const [index, tactic] of row.traced_tactics.entries()) {
    const location = `${where} tactic ${index + 1}`;
    const premises = new Set<number>();
    let unknown: string | null = null;
    for (const { full_name, def_path, def_pos } of tactic.annotated_tactic[1]) {
      const premise = corpus.locate(def_path, def_pos);
      if (premise === null) unknown ??= full_name;
      else premises.add(premise);
    }
    if (unknown === null) yield { theorem: row, tactic, premises, where: location };
    else leftOut.add(`${location}: ${unknown} is not in corpus.jsonl`);
  }
}
