/**
 * Keeps verdicts of a shard in parts as they arrive, so that the attempt after a lost one continues where that one
 * stopped and does not check again. A part holds the next verdicts in the order in which Lean gave them, and its name
 * gives the sandbox of that Lean. At the end the verdicts of the whole shard are written in order, from parts and
 * memory.
 */
import { type SandboxFacts, type Verdict, verdictSchema } from '../../data/schemas/records.ts';
import type { ObjectStore } from '../../infra/stores/object-store.ts';
import { readAll, writeRecords } from '../records/record-files.ts';

/** Verdicts of a part: about half a second of a node with a hundred processes at cheap proofs, 100 kB. */
const VERDICTS_PER_PART = 256;
/** Where verdicts come slowly a part is written after this long: what a lost worker loses at most is this time of its node. */
const PART_AFTER_MS = 15_000;

/** Of a part whose verdicts an unprotected Lean gave. */
const UNPROTECTED = /\/\d+-none-[^/]*$/;

/** What a heartbeat says of the parts. */
export interface PartCursor {
  /** Verdicts in the store. */
  readonly kept: number;
  /** Name of the last part; null before the first. */
  readonly part: string | null;
}

export class VerdictParts {
  private readonly store: ObjectStore;
  private readonly folder: string;
  private readonly keptVerdicts = new Map<string, Verdict>();
  private parts = 0;
  private pending: Verdict[] = [];
  private lastPartAtMs = performance.now();
  private writing: Promise<void> = Promise.resolve();
  private lastPart: string | null = null;
  private readonly sandbox: SandboxFacts;
  private isUnprotected = false;
  private readonly onPart: () => void;

  private constructor(store: ObjectStore, folder: string, sandbox: SandboxFacts, onPart: () => void) {
    this.store = store;
    this.folder = folder;
    this.sandbox = sandbox;
    this.onPart = onPart;
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
    const opened = new VerdictParts(store, folder, sandbox, onPart);
    const names: string[] = [];
    for await (const { name } of store.list(`${folder}/`)) names.push(name);
    for (const name of names.sort()) {
      const ref = await store.stat(name);
      for (const verdict of ref === null ? [] : await readAll(store, ref, verdictSchema))
        if (!opened.keptVerdicts.has(verdict.sampleId)) opened.keptVerdicts.set(verdict.sampleId, verdict);
      opened.isUnprotected ||= UNPROTECTED.test(name);
      opened.parts++;
      opened.lastPart = name;
    }
    return opened;
  }

  /** Verdicts of earlier attempts, by sample. */
  get earlier(): ReadonlyMap<string, Verdict> {
    return this.keptVerdicts;
  }

  /** The weakest walls of this attempt and those before it. */
  get weakestSandbox(): SandboxFacts {
    if (this.sandbox.kind === 'none' || !this.isUnprotected) return this.sandbox;
    return { kind: 'none', description: 'an earlier attempt at the shard had none' };
  }

  get cursor(): PartCursor {
    return { kept: this.keptVerdicts.size, part: this.lastPart };
  }

  /** Takes a verdict. `infra` means that there is no verdict yet; it is not kept. */
  add(verdict: Verdict): void {
    if (verdict.kind === 'infra') return;
    this.pending.push(verdict);
    const isDue = performance.now() - this.lastPartAtMs >= PART_AFTER_MS;
    if (this.pending.length >= VERDICTS_PER_PART || isDue) this.cut();
  }

  /** To be called where the attempt ends before its time: what was found stays found. Never throws. */
  async keepAll(): Promise<void> {
    if (this.pending.length > 0) this.cut();
    await this.writing.catch(() => undefined);
  }

  /** Resolves when every part that was begun is in the store; throws what kept one out of it. */
  async settled(): Promise<void> {
    await this.writing;
  }

  private cut(): void {
    const verdicts = this.pending;
    this.pending = [];
    this.lastPartAtMs = performance.now();
    const name = `${this.folder}/${String(this.parts++).padStart(5, '0')}-${this.sandbox.kind}-*.jsonl`;
    this.writing = this.writing.then(async () => {
      const { uri } = await writeRecords(this.store, name, verdicts);
      for (const verdict of verdicts) this.keptVerdicts.set(verdict.sampleId, verdict);
      this.lastPart = uri.slice(uri.lastIndexOf(this.folder));
      this.onPart();
    });
    // It is awaited at the end; until then a rejection has no listener.
    this.writing.catch(() => undefined);
  }
}
