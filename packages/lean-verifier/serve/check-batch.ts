/**
 * Checks the snippets of one request. The first snippet waits for a process for a limited time. Once it has a process,
 * the request is admitted, and the other snippets wait without a limit. So a request is either refused as a whole
 * before any work, or done as a whole. If Lean fails on a snippet, that snippet's result says so.
 */
import { Semaphore, StpError } from '@stp/base';
import type { LeanPool } from '../runtime/pool/lean-pool.ts';
import { allEnded } from '../runtime/process/all-ended.ts';
import { openAnswerRoom } from './answer-room.ts';
import { checkSnippet, type SnippetFacts } from './check-snippet.ts';
import type { LeanServeLimits } from './limits.ts';
import type { HidePaths } from './private-paths.ts';
import type { ServeMetrics } from './serve-metrics.ts';
import { noFreeProcess } from './service-error.ts';
import type { WireResult } from './wire.ts';

export interface BatchCheck {
  readonly pool: LeanPool;
  readonly limits: LeanServeLimits;
  readonly metrics: ServeMetrics;
  readonly timeoutMs: number;
  readonly cpuTimeoutMs: number | null;
  readonly fresh: boolean;
  readonly debug: boolean;
  readonly hidePaths: HidePaths;
  readonly signal: AbortSignal;
}

/**
 * Returns results in the order of the snippets. Rejects with the signal's reason or a `ServiceError`, after all checks
 * have ended.
 */
export async function checkBatch(
  snippets: readonly { id: string; code: string }[],
  batch: BatchCheck,
): Promise<WireResult[]> {
  const { pool, limits, metrics } = batch;
  const failed = new AbortController();
  const signal = AbortSignal.any([batch.signal, failed.signal]);
  const admitted = Promise.withResolvers<void>();
  const results: WireResult[] = new Array(snippets.length);
  const permits = new Semaphore();
  const { processes } = pool.stats();
  const roomForOne = openAnswerRoom();

  async function check(index: number): Promise<void> {
    signal.throwIfAborted();
    const facts = await checkSnippet(snippets[index]!, {
      ...batch,
      memoryBytesMax: limits.memoryBytesMax,
      room: roomForOne(),
      ...(index === 0 ? { waitMsMax: limits.waitMs } : {}),
      signal,
      onStart: admitted.resolve,
    });
    admitted.resolve();
    metrics.observe(facts);
    results[index] = shown(facts, batch.debug);
  }

  const guarded = async (index: number): Promise<void> => {
    try {
      if (index > 0) await admitted.promise;
      await permits.run(processes, () => check(index));
    } catch (error) {
      const reason = error instanceof StpError && error.code === 'STP1206' ? noFreeProcess(limits.waitMs) : error;
      failed.abort(reason);
      admitted.resolve();
      throw reason;
    }
  };
  await allEnded(snippets.map((_, index) => guarded(index)));
  return results;
}

/** Like Kimina, describes the process only if the client asked for it or the check timed out. */
function shown({ result, outcome }: SnippetFacts, debug: boolean): WireResult {
  if (debug) return result;
  const { diagnostics, ...rest } = result;
  return outcome === 'timeout' && diagnostics ? { ...rest, diagnostics: { repl_uuid: diagnostics.repl_uuid } } : rest;
}
