/**
 * The gate: which of the conjecturer's texts become conjectures of the round, before any proof of them is sampled. Texts
 * are taken in the order in which they were planned, which is random, and no further once every place is taken.
 */
import { z } from 'zod';
import { StpError } from '../data/errors.ts';
import { type ArtifactRef, artifactRefSchema } from '../data/schemas/artifact.ts';
import { contentId, statementId } from '../data/schemas/ids.ts';
import { libraryTheoremSchema, statementSchema } from '../data/schemas/records.ts';
import { type GateCounts, gateCountsSchema, roundManifestSchema } from '../data/schemas/round.ts';
import type { ObjectStore } from '../infra/stores/object-store.ts';
import type { Verifier } from '../lean/verifier.ts';
import { statementKey } from '../selfplay/dedupe.ts';
import { type GateCandidate, gateQuestions } from '../selfplay/gate.ts';
import { countSymbols, guideScore, type SymbolCounts } from '../selfplay/guide.ts';
import { parseConjecture } from '../selfplay/prompts.ts';
import { conjecturesMax } from '../selfplay/seeds.ts';
import { batchesOf } from './batches.ts';
import type { RoundContext } from './conjecture.ts';
import {
  type ConjecturePlan,
  type ConjectureRecord,
  conjecturePlanSchema,
  conjectureRecordSchema,
  conjectureTextSchema,
} from './conjecture-records.ts';
import { withHeartbeat } from './edge.ts';
import { certifiedRates, readManifests } from './history.ts';
import { logMetrics, metricsAt } from './metrics.ts';
import type { Ports } from './ports.ts';
import { once, readJson, readRecords, writeRecords } from './record-files.ts';

export const gatedSchema = z.strictObject({
  conjectures: artifactRefSchema,
  made: z.number().int(),
  counts: gateCountsSchema,
});
export type Gated = z.infer<typeof gatedSchema>;

/** Texts that go through the gate together: enough to fill Lean's batches, few enough to stop soon after the last place. */
const TEXTS_AT_ONCE = 512;

export function gateActivities(ports: Ports) {
  return {
    /**
     * A text becomes a conjecture when it parses, is screened, is new up to names (against the dataset, the library,
     * held-out statements and all conjectures before it), elaborates in Lean, and is none of what `conjectures.gate`
     * refuses. At most `perRoundMax` pass.
     */
    async gateConjectures(input: RoundContext & { plan: ArtifactRef; texts: ArtifactRef }): Promise<Gated> {
      const { run, round, config } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/gated.json`, gatedSchema, () =>
        withHeartbeat(async (signal, report) => {
          const places = await placesOf(ports, input);
          const gate = new Gate(
            await knownStatementKeys(ports, input),
            await ports.verifier(run, config.verification),
            config.conjectures.guide === 'none' ? null : await symbolCounts(ports, input),
            input,
            signal,
          );
          let made = 0;
          let accepted = 0;
          async function* conjectures(): AsyncGenerator<ConjectureRecord> {
            for await (const texts of batchesOf(plannedTexts(store, input), TEXTS_AT_ONCE)) {
              made += texts.length;
              if (accepted >= places) {
                gate.count('over-cap', texts.length);
                continue;
              }
              for (const conjecture of await gate.pass(texts)) {
                const isOver = accepted >= places;
                gate.count(isOver ? 'over-cap' : 'accepted');
                if (isOver) continue;
                accepted++;
                yield conjecture;
              }
              report({ texts: made, accepted, of: input.texts.count });
            }
          }
          const ref = await writeRecords(store, `${input.name}/conjectures-*.jsonl`, conjectures(), signal);
          await logMetrics(
            ports,
            run,
            metricsAt(input.name, round, {
              conjectures_made: made,
              conjectures_accepted: accepted,
              ...gate.costs(),
            }),
          );
          return { conjectures: ref, made, counts: gate.counts };
        }),
      );
    },
  };
}

type GateVerdict = keyof GateCounts;

/** A text with the plan that it was asked for with. */
interface PlannedText {
  readonly text: string;
  readonly entry: ConjecturePlan;
}

/** Texts and plans side by side: texts come in the order of the plan, some of which have none. */
async function* plannedTexts(
  store: ObjectStore,
  { plan, texts }: { plan: ArtifactRef; texts: ArtifactRef },
): AsyncGenerator<PlannedText> {
  const written = readRecords(store, texts, conjectureTextSchema);
  let next = await written.next();
  let index = 0;
  for await (const entry of readRecords(store, plan, conjecturePlanSchema)) {
    if (!next.done && next.value.input === index) {
      yield { text: next.value.text, entry };
      next = await written.next();
    }
    index++;
  }
}

/** One pass of texts after the other; keeps what was refused why, what is known by now, and what each question cost. */
class Gate {
  readonly counts: GateCounts = {};
  private readonly known: Set<string>;
  private readonly verifier: Verifier;
  private readonly symbols: SymbolCounts | null;
  private readonly input: RoundContext;
  private readonly signal: AbortSignal;
  private readonly spent = new Map<string, { asked: number; ms: number }>();

  constructor(
    known: Set<string>,
    verifier: Verifier,
    symbols: SymbolCounts | null,
    input: RoundContext,
    signal: AbortSignal,
  ) {
    this.known = known;
    this.verifier = verifier;
    this.symbols = symbols;
    this.input = input;
    this.signal = signal;
  }

  count(verdict: GateVerdict, more = 1): void {
    this.counts[verdict] = (this.counts[verdict] ?? 0) + more;
  }

  /** Wall milliseconds and statements asked about, by question. */
  costs(): Record<string, number> {
    return Object.fromEntries(
      [...this.spent].flatMap(([question, { asked, ms }]) => [
        [`gate_${question}_asked`, asked],
        [`gate_${question}_ms`, Math.round(ms)],
      ]),
    );
  }

  /** Those of the texts that no rule refuses, in order; the others are counted. */
  async pass(texts: readonly PlannedText[]): Promise<ConjectureRecord[]> {
    const fresh = texts.flatMap((text) => this.read(text) ?? []);
    let standing = await this.thoseThatElaborate(fresh);
    for (const { verdict, candidates } of gateQuestions(this.input.config.conjectures.gate)) {
      const refused = await this.timed(verdict, standing.length, () => this.proved(standing, candidates));
      this.count(verdict, refused.size);
      standing = standing.filter((conjecture) => !refused.has(conjecture.id));
    }
    return standing;
  }

  private read({ text, entry }: PlannedText): ConjectureRecord | null {
    const { round } = this.input;
    const name = `conjecture_${round}_${contentId('name', text).slice(0, 8)}`;
    const statement = parseConjecture(text, name);
    if (statement === null) {
      this.count('unparsable');
      return null;
    }
    const key = statementKey(null, statement);
    if (this.known.has(key)) {
      this.count('duplicate');
      return null;
    }
    this.known.add(key);
    const { seedId, header, labels, lemma, level, origin } = entry;
    const anchor = origin.kind === 'target' ? origin.targetStatement : origin.easyStatement;
    const guide = this.symbols === null ? null : guideScore(statement, anchor, this.symbols);
    const id = statementId(header, statement);
    const split = 'train' as const;
    return { id, name, header, statement, split, labels, weight: 1, seedId, lemma, round, level, origin, guide };
  }

  private async thoseThatElaborate(conjectures: readonly ConjectureRecord[]): Promise<ConjectureRecord[]> {
    const results = await this.timed('elaborate', conjectures.length, () =>
      this.verifier.checkStatements(conjectures, { signal: this.signal }),
    );
    return conjectures.filter((_, index) => {
      const { kind, messages } = results[index]!;
      if (kind === 'infra' || kind === 'header_error') throw notChecked(messages[0]?.text ?? kind);
      if (kind === 'forbidden') this.count('forbidden');
      else if (kind !== 'accepted') this.count('not-elaborating');
      return kind === 'accepted';
    });
  }

  /** Ids of the conjectures of which Lean accepts a candidate. */
  private async proved(
    conjectures: readonly ConjectureRecord[],
    candidatesOf: (statement: string) => readonly GateCandidate[],
  ): Promise<Set<string>> {
    const candidates = conjectures.flatMap(({ id, header, statement }) =>
      candidatesOf(statement).map((candidate) => ({ id, header, ...candidate })),
    );
    const results = await this.verifier.check(candidates, { signal: this.signal, smallLimitsOnly: true });
    const proved = new Set<string>();
    for (const { id, kind, messages } of results) {
      if (kind === 'infra') throw notChecked(messages[0]?.text ?? kind);
      if (kind === 'proved') proved.add(id);
    }
    return proved;
  }

  private async timed<T>(question: string, asked: number, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const result = await work();
    const before = this.spent.get(question) ?? { asked: 0, ms: 0 };
    this.spent.set(question, { asked: before.asked + asked, ms: before.ms + performance.now() - startedAt });
    return result;
  }
}

function notChecked(reason: string): StpError {
  return new StpError(
    'STP1203',
    `Lean could not check conjectures: ${reason}`,
    'See `bin/stp doctor`; then retry the round.',
    { retryable: true },
  );
}

/** Conjectures that the round may attempt. */
async function placesOf(ports: Ports, { run, config, data, history }: RoundContext): Promise<number> {
  const { perRoundMax } = config.conjectures;
  if (perRoundMax !== 'unproved') return conjecturesMax(perRoundMax, data.train.count, 0);
  const store = await ports.store(run);
  const best = await certifiedRates(store, await readManifests(store, history));
  let unproved = 0;
  for await (const { id } of readRecords(store, data.train, statementSchema)) if (!best.has(id)) unproved++;
  return conjecturesMax(perRoundMax, data.train.count, unproved);
}

async function symbolCounts(ports: Ports, { run, data }: RoundContext): Promise<SymbolCounts> {
  return countSymbols(readRecords(await ports.store(run), data.train, statementSchema));
}

/**
 * Keys of every statement that a conjecture may not be: training set, library, held-out (as hashes), earlier conjectures.
 * About 100 bytes each: four million, which is fifty rounds of the paper's size, are 0.4 GB.
 */
async function knownStatementKeys(ports: Ports, input: RoundContext): Promise<Set<string>> {
  const store = await ports.store(input.run);
  const keys = new Set<string>();
  for await (const statement of readRecords(store, input.data.train, statementSchema))
    keys.add(statementKey(null, statement.statement));
  for await (const key of readRecords(store, input.data.heldOutKeys, z.string())) keys.add(key);
  for await (const theorem of readRecords(store, input.data.theorems, libraryTheoremSchema))
    keys.add(statementKey(null, theorem.statement));
  for (const ref of input.history) {
    const manifest = await readJson(store, ref, roundManifestSchema);
    if (manifest.conjectures)
      for await (const conjecture of readRecords(store, manifest.conjectures, conjectureRecordSchema))
        keys.add(statementKey(null, conjecture.statement));
  }
  return keys;
}
