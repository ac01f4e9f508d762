/**
 * Judges the module that a trial made, once all its proofs are known. Other proofs are collected by header
 * and heartbeats until there are enough for a module. Compiles and judges as many modules concurrently as Lean may have
 * processes.
 */

import { ReadyProcesses } from '../../runtime/process/ready-processes.ts';
import type { CheckEntry } from '../verdict/check-entries.ts';
import type { Written } from '../verdict/check-outcome.ts';
import type { Limits } from '../verdict/limits.ts';
import { type Claim, type Confirmation, type ConfirmContext, compileStatementAhead } from './compile-claims.ts';
import { confirmProofs } from './confirm-proofs.ts';
import { HeaderSnapshots } from './header-snapshots.ts';
import { type RunModule, RunObjects } from './run-objects.ts';
import { StatedModules } from './stated-module-cache.ts';

/** Maximum proofs in a module. They share two starts of Lean; a fault costs more starts with more proofs. */
const PROOFS_MAX = 150;
/** Maximum time that a proof waits for others, ms. */
const WAIT_MS = 4_000;

/** A proof that Lean accepted, and the header that fixes its statement's meaning, as printed and as it came. */
type ClaimUnder = CheckEntry & Claim & { readonly statedUnder: string; readonly writtenUnder: string };

interface Waiting {
  readonly entry: ClaimUnder;
  readonly heartbeatsMax: number;
  readonly resolve: (confirmation: Confirmation) => void;
  readonly reject: (error: unknown) => void;
}

export interface ConfirmerOptions extends Omit<ConfirmContext, 'limits' | 'statedUnder' | 'writtenUnder' | 'kept'> {
  readonly limits: Omit<Limits, 'heartbeatsMax'>;
  /** Runs the work once one more Lean process may run on this host. Rejects with the signal's reason. */
  readonly withPermit: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  /** Maximum number of concurrent Lean processes. */
  readonly processes: number;
  /** Proofs arrive one at a time, and the caller waits for each. */
  readonly isOneByOne: boolean;
}

export class ProofConfirmer {
  readonly #context: ConfirmerOptions;
  readonly #waiting = new Map<string, Waiting[]>();
  /** Waiting proofs by their index in the module. */
  readonly #written = new Map<RunModule, Map<number, Waiting>>();
  #timer: NodeJS.Timeout | undefined;
  readonly #running = new Set<Promise<void>>();
  readonly #kept: NonNullable<ConfirmContext['kept']>;
  /** Makes trials write modules. */
  readonly objects: RunObjects;

  constructor(context: ConfirmerOptions) {
    this.#context = context;
    const { processContext, scratchDirectory } = context;
    this.#kept = {
      snapshots: new HeaderSnapshots(scratchDirectory),
      statements: new StatedModules(),
      ready: new ReadyProcesses({
        processContext,
        scratchDirectory,
        memoryBytesMax: context.limits.memoryBytesMax,
        isCalm: () => this.#isCalm,
      }),
    };
    this.objects = new RunObjects(processContext, scratchDirectory);
  }

  /**
   * Judges a proof. `heartbeatsMax` is the limit under which it was accepted, or a larger one. Rejects with the
   * signal's reason, or if nothing can be compiled any more.
   */
  confirm(
    entry: ClaimUnder,
    heartbeatsMax: number,
    signal: AbortSignal,
    written: Written | undefined = undefined,
  ): Promise<Confirmation> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      const settle =
        <Value>(how: (value: Value) => void) =>
        (value: Value): void => {
          signal.removeEventListener('abort', stop);
          how(value);
        };
      const waiting = { entry, heartbeatsMax, resolve: settle(resolve), reject: settle(reject) };
      if (written === undefined) this.#collect(waiting);
      else this.#put(written, waiting);
    });
  }

  #put({ module, index }: Written, waiting: Waiting): void {
    const written = this.#written.get(module) ?? new Map<number, Waiting>();
    this.#written.set(module, written.set(index, waiting));
    if (written.size < module.names.length) return;
    this.#written.delete(module);
    const batch = module.names.map((_, at) => written.get(at)!);
    // Several headers may fix the meaning of the statements.
    if (new Set(batch.map(keyOf)).size === 1) this.#run(this.#judge(batch, module));
    else for (const one of batch) this.#collect(one);
  }

  #collect(waiting: Waiting): void {
    const key = keyOf(waiting);
    const list = this.#waiting.get(key) ?? [];
    this.#waiting.set(key, list);
    list.push(waiting);
    if (list.length >= PROOFS_MAX) this.#start(key);
    else this.#timer ??= setTimeout(() => this.flush(), WAIT_MS);
  }

  /** Whether starting a process in advance helps; not if many wait for the processor cores. */
  get #isCalm(): boolean {
    const { processes, isOneByOne } = this.#context;
    return isOneByOne && this.#running.size <= processes;
  }

  /**
   * Starts to compile a proof's statement while Lean reads the proof, if one more process may run now. The signal
   * aborts that: a rejected proof does not need it, and judging has a time limit of its own.
   */
  stateAhead(entry: ClaimUnder, heartbeatsMax: number, signal: AbortSignal): void {
    if (!this.#isCalm || signal.aborted) return;
    const own = this.#contextOf({ entry, heartbeatsMax });
    const context = { ...own, signal: AbortSignal.any([own.signal, signal]) };
    const begun = this.#context.beside?.(() => compileStatementAhead(entry, context));
    if (begun) this.#run(begun);
  }

  #contextOf({ entry, heartbeatsMax }: Pick<Waiting, 'entry' | 'heartbeatsMax'>): ConfirmContext {
    const { statedUnder, writtenUnder } = entry;
    const limits = { ...this.#context.limits, heartbeatsMax };
    return { ...this.#context, limits, statedUnder, writtenUnder, kept: this.#kept };
  }

  /** Judges the waiting proofs now, because no more are expected for a while. */
  flush(): void {
    for (const list of this.#written.values()) for (const one of list.values()) this.#collect(one);
    this.#written.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const key of [...this.#waiting.keys()]) this.#start(key);
  }

  /** Judges the waiting proofs and removes kept files. Ends soon after the context's signal is aborted. */
  async close(): Promise<void> {
    this.flush();
    await Promise.all(this.#running);
    await this.#kept.ready.close();
    await this.#kept.snapshots.close();
    await this.objects.close();
  }

  #start(key: string): void {
    const batch = this.#waiting.get(key)!;
    this.#waiting.delete(key);
    this.#run(this.#judge(batch));
  }

  #run(judging: Promise<void>): void {
    const running = judging.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Judges proofs with the same headers and the same limit of heartbeats. */
  async #judge(batch: readonly Waiting[], written?: RunModule): Promise<void> {
    try {
      const { withPermit, signal } = this.#context;
      const { entry } = batch[0]!;
      const context = this.#contextOf(batch[0]!);
      const claims = batch.map((one) => one.entry);
      const confirmations = await withPermit(() => confirmProofs(entry.header, claims, context, written), signal);
      for (const [index, { resolve }] of batch.entries()) resolve(confirmations[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

/** Groups proofs, also by namespace, so that no proof's `open` finds a namespace made by another proof's name. */
const keyOf = ({ entry, heartbeatsMax }: Waiting): string =>
  JSON.stringify([heartbeatsMax, entry.header, entry.namespace ?? '', entry.statedUnder, entry.writtenUnder]);
