/**
 * Watches one run of a Lean process: its processor time, wall time and resident memory, and the caller's signal. Ends
 * the process group if a limit is exceeded.
 */
import { treeResources } from './process-tree.ts';
import type { Resources } from './resources.ts';
import type { LeanProcess } from './spawn.ts';

/** Interval between samples of memory and processor time. Lean allocates at most some gigabytes per second. */
const SAMPLE_MS = 100;
/**
 * Deadlines count processor time, so that a busy machine does not turn a slow check into a timeout. A process that
 * waits instead of working is ended after this many times the deadline in wall time.
 */
const WALL_FACTOR = 10;

export interface RunLimits {
  /** Processor time of the process group until the first deadline, ms. The wall-time limit is ten times that. */
  readonly deadlineMs: number;
  /** Maximum resident memory of the process group, bytes. */
  readonly memoryBytesMax: number;
  /** Ends the process group. The caller decides what to reject. */
  readonly signal?: AbortSignal | undefined;
  /** Called once when the deadline passes, instead of ending the process. It may call `allow` for more time. */
  readonly onDeadline?: (() => void) | undefined;
}

export interface RunWatch {
  /** Sets the deadline to that much processor time after the last sample. */
  allow(ms: number): void;
  /** Ends the watch. Returns the processor time of the run, as far as it could be read, and the peak memory. */
  stop(): { readonly cpuMs: number; readonly peakResidentBytes: number };
}

/** Starts watching at once. The caller must call `stop` exactly once. */
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

  /** Samples the process. Times count from the start of the run, because the process may have run before. */
  function look(tableAgeMsMax?: number): void {
    const now = treeResources(process.pid, tableAgeMsMax);
    if (now === null) return;
    const cpuMs = now.cpuMs - (before?.cpuMs ?? 0);
    used = { residentBytes: now.residentBytes, cpuMs: Math.max(used.cpuMs, cpuMs) };
    peakResidentBytes = Math.max(peakResidentBytes, now.residentBytes);
  }

  const end = (): void => process.end('deadline');
  const sampling = setInterval(() => {
    // A sandbox starts Lean some milliseconds after itself. In a short run an old table would miss Lean.
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
