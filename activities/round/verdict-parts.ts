/**
 * Keeps verdicts of a shard in parts as they arrive, so that the attempt after a lost one does not check again. The name of a
 * part gives the sandbox of the Lean that gave its verdicts. At the end the verdicts of the whole shard are written in order,
 * from parts and memory.
 */
import { type ObjectStore, type SandboxFacts, type Verdict, verdictSchema } from '@stp/config/records';
import { RecordParts } from '../records/record-parts.ts';

/** Verdicts of a part: about half a second of a node with a hundred processes at cheap proofs, 100 kB. */
const VERDICTS_PER_PART = 256;
const PART_AFTER_MS = 15_000;

/** Pattern of a part whose verdicts come from Lean without a sandbox. */
const UNPROTECTED = /\/\d+-none-[^/]*$/;

/** Position among the parts, as a heartbeat tells it. */
export interface PartCursor {
  /** Verdicts in the store. */
  readonly kept: number;
  /** Name of the last part; null before the first. */
  readonly part: string | null;
}

export class VerdictParts {
  private readonly keptVerdicts = new Map<string, Verdict>();
  private readonly parts: RecordParts<Verdict>;
  private readonly sandbox: SandboxFacts;
  private lastPart: string | null;

  private constructor(parts: RecordParts<Verdict>, sandbox: SandboxFacts) {
    this.parts = parts;
    this.sandbox = sandbox;
    this.lastPart = parts.earlier.at(-1)?.name ?? null;
    for (const { records } of parts.earlier)
      for (const verdict of records)
        if (!this.keptVerdicts.has(verdict.sampleId)) this.keptVerdicts.set(verdict.sampleId, verdict);
  }

  /**
   * Reads what earlier attempts have left. Of two verdicts on one sample, from attempts side by side, the first counts.
   * @param sandbox of the Lean that gives the verdicts of this attempt
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
          for (const verdict of verdicts) opened.keptVerdicts.set(verdict.sampleId, verdict);
          opened.lastPart = name;
          onPart();
        },
      }),
      sandbox,
    );
    return opened;
  }

  /** Verdicts of earlier attempts, by sample. */
  get earlier(): ReadonlyMap<string, Verdict> {
    return this.keptVerdicts;
  }

  /** The weakest walls of this attempt and those before it. */
  get weakestSandbox(): SandboxFacts {
    const isUnprotected = this.parts.earlier.some(({ name }) => UNPROTECTED.test(name));
    if (this.sandbox.kind === 'none' || !isUnprotected) return this.sandbox;
    return { kind: 'none', description: 'an earlier attempt at the shard had none' };
  }

  get cursor(): PartCursor {
    return { kept: this.keptVerdicts.size, part: this.lastPart };
  }

  /** Takes a verdict. `infra` means that there is no verdict yet; it is not kept. */
  add(verdict: Verdict): void {
    if (verdict.kind !== 'infra') this.parts.add(verdict);
  }

  /** Keeps all that was found. Call it where the attempt ends before its time. Never throws. */
  keepAll(): Promise<void> {
    return this.parts.keepAll();
  }

  /** Resolves when every part that was begun is in the store; throws what kept one out of it. */
  settled(): Promise<void> {
    return this.parts.settled();
  }
}
