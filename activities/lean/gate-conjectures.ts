/**
 * The gate decides which new statements become conjectures of the round, before any proof of them is sampled. One node
 * gates one part; `admit-conjectures.ts` limits the number over all parts.
 */

import { StpError } from '@stp/base';
import { conjecturing, type RunConfig } from '@stp/config';
import type { ArtifactRef, GateCounts } from '@stp/config/records';
import { grownHeaders, grownMarks, markedProof, type Verifier } from '@stp/lean-verifier';
import { type GateCandidate, gateQuestions } from '@stp/selfplay';
import { withHeartbeat } from '../edge.ts';
import type { RunStore, RunVerifier } from '../ports.ts';
import { once, readAll, writeRecords } from '../records/record-files.ts';
import { type ConjectureRecord, conjectureRecordSchema } from '../round/conjecture-records.ts';
import { type GatedPart, gatedPartSchema } from '../round/gate-parts.ts';
import { type GrownRecord, grownLibrary } from '../round/library.ts';

export interface GateConjecturesInput {
  readonly run: string;
  /** Folder of the part's objects. */
  readonly name: string;
  readonly conjectures: ArtifactRef;
  /** Grown theorems; the gate refuses a statement that they make trivial. Null: none. */
  readonly library: ArtifactRef | null;
  readonly config: Pick<RunConfig, 'conjectures' | 'verification'>;
}

export function gateConjecturesActivity(ports: RunStore & RunVerifier<'check' | 'checkStatements'>) {
  return {
    /** Accepts the statements that pass the screen, elaborate in Lean, and are not refused by `conjectures.gate`. */
    async gateConjectures({ run, name, conjectures, library, config }: GateConjecturesInput): Promise<GatedPart> {
      const store = await ports.store(run);
      return once(store, `${name}/gated.json`, gatedPartSchema, () =>
        withHeartbeat(async (signal, report) => {
          const grown = await grownLibrary(store, library);
          const gate = new Gate(await ports.verifier(run, config.verification, grown), grown, signal);
          let standing = await gate.thoseThatElaborate(await readAll(store, conjectures, conjectureRecordSchema));
          for (const { verdict, candidates } of gateQuestions(conjecturing(config.conjectures).gate)) {
            report({ standing: standing.length, of: conjectures.count, asking: verdict });
            standing = await gate.thoseNotProved(standing, verdict, candidates);
          }
          return { standing: await writeRecords(store, `${name}/standing-*.jsonl`, standing, signal), ...gate.result };
        }),
      );
    },
  };
}

/** Counts refusals by reason, and records the cost of each question. */
class Gate {
  readonly #verifier: Pick<Verifier, 'check' | 'checkStatements'>;
  readonly #headers: ReadonlyMap<string | null, string>;
  readonly #marks: ReadonlyMap<string | null, string>;
  readonly #signal: AbortSignal;
  readonly #counts: GateCounts = {};
  readonly #costs: GatedPart['costs'] = [];

  constructor(
    verifier: Pick<Verifier, 'check' | 'checkStatements'>,
    library: readonly GrownRecord[],
    signal: AbortSignal,
  ) {
    this.#verifier = verifier;
    this.#headers = grownHeaders(library);
    this.#marks = grownMarks(library);
    this.#signal = signal;
  }

  get result(): Pick<GatedPart, 'counts' | 'costs'> {
    return { counts: this.#counts, costs: this.#costs };
  }

  async thoseThatElaborate(conjectures: readonly ConjectureRecord[]): Promise<ConjectureRecord[]> {
    const results = await this.#timed('elaborate', conjectures.length, () =>
      this.#verifier.checkStatements(conjectures, { signal: this.#signal }),
    );
    return conjectures.filter((_, index) => {
      const { kind, messages } = results[index]!;
      if (kind === 'infra' || kind === 'header_error') throw notChecked(messages[0]?.text ?? kind);
      if (kind === 'forbidden') this.#count('forbidden');
      else if (kind !== 'accepted') this.#count('not-elaborating');
      return kind === 'accepted';
    });
  }

  /** Returns the statements for which Lean accepts no candidate proof. */
  async thoseNotProved(
    conjectures: readonly ConjectureRecord[],
    question: keyof GateCounts,
    candidatesOf: (statement: string) => readonly GateCandidate[],
  ): Promise<ConjectureRecord[]> {
    const candidates = conjectures.flatMap(({ id, header, statement }) =>
      candidatesOf(statement).map((candidate) => {
        const marks = question === 'trivial' ? this.#marks.get(header) : undefined;
        const proof = marks === undefined ? candidate.proof : markedProof(candidate.proof, marks);
        return { id, header: this.#headers.get(header) ?? header, ...candidate, proof };
      }),
    );
    const results = await this.#timed(
      question,
      conjectures.length,
      () =>
        this.#verifier.check(candidates, {
          signal: this.#signal,
          smallLimitsOnly: true,
          confirm: false,
          explains: () => false,
        }),
      (all) => all.reduce((sum, { checkMs }) => sum + checkMs, 0),
    );
    const proved = new Set<string>();
    for (const { id, kind, messages } of results) {
      if (kind === 'infra') throw notChecked(messages[0]?.text ?? kind);
      if (kind === 'proved') proved.add(id);
    }
    this.#count(question, proved.size);
    return conjectures.filter(({ id }) => !proved.has(id));
  }

  #count(verdict: keyof GateCounts, more = 1): void {
    if (more > 0) this.#counts[verdict] = (this.#counts[verdict] ?? 0) + more;
  }

  async #timed<T>(
    question: string,
    asked: number,
    work: () => Promise<T>,
    leanMsOf: (result: T) => number = () => 0,
  ): Promise<T> {
    const startedAt = performance.now();
    const result = await work();
    this.#costs.push({ question, asked, ms: performance.now() - startedAt, leanMs: leanMsOf(result) });
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
