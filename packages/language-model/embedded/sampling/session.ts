/**
 * ONNX Runtime sessions for sampling: on the CPU even if training uses a GPU, and on one thread, so that a row's
 * arithmetic is always the same. A step is short and reads a cache in this process; another device would need the whole
 * cache for every token.
 */

import { StpError } from '@stp/base';
import { InferenceSession } from 'onnxruntime-node';

/**
 * Throughput on several cores comes from several processes: a decoding step is too short to be worth splitting.
 *
 * @param model the graph, or the path of a file with it
 */
export async function openSession(model: Uint8Array | string, what: string, threads = 1): Promise<InferenceSession> {
  try {
    // The library declares an overload for each type; one call serves both.
    return await InferenceSession.create(model as string, {
      executionProviders: ['cpu'],
      graphOptimizationLevel: 'all',
      executionMode: 'sequential',
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      // The arena saves no time, since a step allocates little, and costs memory.
      enableCpuMemArena: false,
      logSeverityLevel: 3,
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StpError(
      'STP1301',
      `${what} graph could not be opened: ${reason}`,
      'Check that onnxruntime-node is installed for this platform (npm ci).',
      {
        cause,
      },
    );
  }
}
