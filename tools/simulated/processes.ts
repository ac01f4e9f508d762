/**
 * Simulates Lean processes that sleep: each takes the next piece of work after the previous one. Time is nominal: a
 * late timer delays no one, as it would not delay a real process, so the simulating machine may be busy.
 */
import type { Candidate, CheckOptions, CheckResult, LeanEnvironment, Verifier } from '@stp/lean-verifier';

interface Piece {
  readonly ms: number;
  readonly done: () => void;
}

export class SimulatedProcesses {
  private idle: number;
  private readonly waiting: Piece[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(count: number) {
    this.idle = count;
  }

  /** Calls `done` when a process has slept so long over it. */
  take(piece: Piece): void {
    if (this.idle === 0) {
      this.waiting.push(piece);
      return;
    }
    this.idle -= 1;
    this.begin(piece, performance.now());
  }

  /** Forgets all that waits or runs. */
  stop(): void {
    this.waiting.length = 0;
    for (const timer of this.timers) clearTimeout(timer);
  }

  private begin(piece: Piece, startMs: number): void {
    const endMs = startMs + piece.ms;
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        const next = this.waiting.shift();
        if (next === undefined) this.idle += 1;
        else this.begin(next, endMs);
        piece.done();
      },
      Math.max(0, endMs - performance.now()),
    );
    this.timers.add(timer);
  }
}

/** A verifier over such processes: every candidate is refused after the time that `timeOf` says, ms. */
export function simulatedVerifier(
  processes: SimulatedProcesses,
  timeOf: (candidate: Candidate) => number,
): Pick<Verifier, 'environment' | 'sandbox' | 'check'> {
  const environment: LeanEnvironment = {
    source: 'configured',
    executable: '/simulated',
    version: 'simulated',
    searchPath: [],
    fingerprint: 'simulated',
    toleratesLibraryAxioms: false,
  };
  return {
    environment,
    sandbox: { kind: 'none', description: 'no Lean runs' },
    async check(candidates, { signal, onResult }: CheckOptions = {}) {
      signal?.throwIfAborted();
      const results: CheckResult[] = [];
      let open = candidates.length;
      await new Promise<void>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        if (candidates.length === 0) resolve();
        for (const [index, candidate] of candidates.entries()) {
          const ms = timeOf(candidate);
          const done = (): void => {
            if (signal?.aborted) return;
            const facts = { messages: [], premises: [], axioms: [], fromCache: false };
            results[index] = { id: candidate.id, kind: 'rejected', checkMs: ms, ...facts };
            onResult?.(results[index]);
            if (--open === 0) resolve();
          };
          processes.take({ ms, done });
        }
      });
      return results;
    },
  };
}
