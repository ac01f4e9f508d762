/**
 * Watches one run of a Lean process: its processor and wall time, its resident memory, and the caller's signal.
 * Exceeding a limit ends the process group.
 */
import { treeResources } from './process-tree.ts';
import type { Resources } from './resources.ts';
import type { LeanProcess } from './spawn.ts';

/** Interval between checks of memory and processor time. Lean allocates at most some gigabytes a second. */
const SAMPLE_MS = 100;
/**
 * Deadlines are in processor time, so that a busy machine does not turn a slow check into a timeout. A process that waits
 * instead of working is ended after this many times the deadline.
 */
const WALL_FACTOR = 10;

export interface RunLimits {
  /** Processor time of the process group until the first deadline, ms. Ten times that in wall time. */
  readonly deadlineMs: number;
  /** Resident memory of the process group. */
  readonly memoryBytesMax: number;
  /** Ends the process group; what rejects then is up to the caller. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, when the deadline is over, in place of the end; it may `allow` more time for what it does then. */
  readonly onDeadline?: (() => void) | undefined;
}

export interface RunWatch {
  /** Moves the deadline to that much processor time from the last look on. */
  allow(ms: number): void;
  /** The run is over. Processor time it took, where that can still be read, and the most memory seen. */
  stop(): { readonly cpuMs: number; readonly peakResidentBytes: number };
}

/** Begins when it is called; `stop` must be called once. */
export function watchRun(process: LeanProcess, limits: RunLimits): RunWatch {
  const begun = performance.now();
  const before = treeResources(process.pid);
  let used: Resources = { residentBytes: 0, cpuMs: 0 };
  let peakResidentBytes = before?.residentBytes ?? 0;
  let deadline = { cpuMs: 0, wallMs: 0 };
  let isOver = false;

  function allow(ms: number): void {
    deadline = { cpuMs: used.cpuMs + ms, wallMs: performance.now() + ms * WALL_FACTOR };
  }

  /** Times count from the run's start: the process may have run before. */
  function look(tableAgeMsMax?: number): void {
    const now = treeResources(process.pid, tableAgeMsMax);
    if (now === null) return;
    const cpuMs = now.cpuMs - (before?.cpuMs ?? 0);
    used = { residentBytes: now.residentBytes, cpuMs: Math.max(used.cpuMs, cpuMs) };
    peakResidentBytes = Math.max(peakResidentBytes, now.residentBytes);
  }

  const end = (): void => process.end('deadline');
  const sampling = setInterval(() => {
    // A sandbox starts Lean some milliseconds after itself: in a short run an old table would miss Lean.
    look((performance.now() - begun) / 2);
    if (used.residentBytes > limits.memoryBytesMax) process.end('memory');
    if (used.cpuMs <= deadline.cpuMs && performance.now() <= deadline.wallMs) return;
    const { onDeadline } = limits;
    if (onDeadline === undefined || isOver) return process.end('deadline');
    isOver = true;
    onDeadline();
  }, SAMPLE_MS);
  process.beginRun(limits.memoryBytesMax);
  limits.signal?.addEventListener('abort', end);
  if (limits.signal?.aborted) end();
  allow(limits.deadlineMs);

  return {
    allow,
    stop() {
      clearInterval(sampling);
      limits.signal?.removeEventListener('abort', end);
      look();
      return { cpuMs: used.cpuMs, peakResidentBytes };
    },
  };
}
