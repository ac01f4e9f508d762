/**
 * Stores the verdicts of a shard in parts as they arrive, so that the next attempt after a lost one does not check them
 * again. The name of a part contains the kind of the sandbox in which Lean gave its verdicts. At the end the verdicts
 * of the whole shard are written in order, from parts and memory.
 */
import { type ObjectStore, type SandboxFacts, type Verdict, verdictSchema } from '@stp/config/records';
import { RecordParts } from '../records/record-parts.ts';

/** Verdicts in a part: about 100 kB, or half a second of cheap proofs on a node with a hundred processes. */
const VERDICTS_PER_PART = 256;
const PART_AFTER_MS = 15_000;

/** Matches the name of a part whose verdicts come from Lean without a sandbox. */
const UNPROTECTED = /\/\d+-none-[^/]*$/;

/** Progress in storing parts, as heartbeats carry it. */
export interface PartCursor {
  /** Number of verdicts in the store. */
  readonly kept: number;
  /** Name of the last part; null before the first. */
  readonly part: string | null;
}

export class VerdictParts {
  readonly #keptVerdicts = new Map<string, Verdict>();
  readonly #parts: RecordParts<Verdict>;
  readonly #sandbox: SandboxFacts;
  #lastPart: string | null;

  private constructor(parts: RecordParts<Verdict>, sandbox: SandboxFacts) {
    this.#parts = parts;
    this.#sandbox = sandbox;
    this.#lastPart = parts.earlier.at(-1)?.name ?? null;
    for (const { records } of parts.earlier)
      for (const verdict of records)
        if (!this.#keptVerdicts.has(verdict.sampleId)) this.#keptVerdicts.set(verdict.sampleId, verdict);
  }

  /**
   * Reads the parts of earlier attempts. If concurrent attempts gave two verdicts on one sample, the first counts.
   *
   * @param sandbox of the Lean that gives this attempt's verdicts
   * @param onPart called after each part that this attempt has stored
   */
  static async open(
    store: ObjectStore,
    folder: string,
    sandbox: SandboxFacts,
    onPart: () => void = () => {},
  ): Promise<VerdictParts> {
    const opened: VerdictParts = new VerdictParts(
      await RecordParts.open(store, folder, {
        schema: verdictSchema,
        tag: sandbox.kind,
        recordsMax: VERDICTS_PER_PART,
        afterMs: PART_AFTER_MS,
        onPart: (verdicts, name) => {
          for (const verdict of verdicts) opened.#keptVerdicts.set(verdict.sampleId, verdict);
          opened.#lastPart = name;
          onPart();
        },
      }),
      sandbox,
    );
    return opened;
  }

  /** Verdicts of earlier attempts, by sample id. */
  get earlier(): ReadonlyMap<string, Verdict> {
    return this.#keptVerdicts;
  }

  /** The weakest sandbox of this attempt and the earlier ones. */
  get weakestSandbox(): SandboxFacts {
    const isUnprotected = this.#parts.earlier.some(({ name }) => UNPROTECTED.test(name));
    if (this.#sandbox.kind === 'none' || !isUnprotected) return this.#sandbox;
    return { kind: 'none', description: 'an earlier attempt at the shard had none' };
  }

  get cursor(): PartCursor {
    return { kept: this.#keptVerdicts.size, part: this.#lastPart };
  }

  /** Takes a verdict. `infra` means that there is no verdict yet, so it is not stored. */
  add(verdict: Verdict): void {
    if (verdict.kind !== 'infra') this.#parts.add(verdict);
  }

  /** Stores all verdicts received so far. Call it when the attempt ends early. Never throws. */
  keepAll(): Promise<void> {
    return this.#parts.keepAll();
  }

  /** Resolves when every started part is in the store; throws the error that kept a part out of it. */
  settled(): Promise<void> {
    return this.#parts.settled();
  }
}
