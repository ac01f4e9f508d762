/** Waits until a Temporal server is ready: its frontend, the namespace and our search attributes. */
import { connect } from 'node:net';
import { Connection } from '@temporalio/client';

const PROBE_TIMEOUT_MS = 2_000;
const PROBE_PAUSE_MS = 25;

export interface HealthOptions {
  readonly address: string;
  readonly namespace: string;
  /** Names that must be registered before the server counts as ready. */
  readonly searchAttributes: readonly string[];
  readonly timeoutMs: number;
  /** Aborted when the server's process is gone; the wait ends with its reason. */
  readonly signal: AbortSignal;
}

/** Resolves when ready; rejects with the signal's reason, or with the last answer after `timeoutMs`. */
export async function waitUntilHealthy(options: HealthOptions): Promise<void> {
  const giveUp = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  let lastReason = 'no answer';
  while (!giveUp.aborted) {
    try {
      await probe(options);
      return;
    } catch (error) {
      lastReason = (error as Error).message;
    }
    await new Promise((resolve) => setTimeout(resolve, PROBE_PAUSE_MS));
  }
  if (options.signal.aborted) throw options.signal.reason;
  throw new Error(`not ready after ${options.timeoutMs / 1000} s: ${lastReason}`);
}

async function probe({ address, namespace, searchAttributes }: HealthOptions): Promise<void> {
  // A refused gRPC channel waits a second before it retries; a plain connection fails at once.
  await answers(address);
  const connection = Connection.lazy({ address });
  try {
    await connection.withDeadline(Date.now() + PROBE_TIMEOUT_MS, async () => {
      await connection.workflowService.describeNamespace({ namespace });
      const known = await connection.operatorService.listSearchAttributes({ namespace });
      const missing = searchAttributes.filter((name) => known.customAttributes?.[name] === undefined);
      if (missing.length > 0) throw new Error(`search attributes not registered yet: ${missing.join(', ')}`);
    });
  } finally {
    await connection.close();
  }
}

function answers(address: string): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
