/**
 * A pool of Lean processes on other machines, behind servers with Kimina's API: ours or Kimina's. A verifier sends them
 * the same texts as local processes, so its verdicts are the same. Certificates are made locally.
 */
import { StpError } from '@stp/base';
import type { LeanPool, Leased, LeaseOptions } from '../../runtime/pool/lean-pool.ts';
import { openUsage } from '../../runtime/pool/usage.ts';
import { openWaitingList } from '../../runtime/pool/waiting-list.ts';
import type { LeanSession } from '../../runtime/process/driver.ts';
import type { SandboxFacts } from '../../runtime/sandbox/sandbox.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import { Fleet } from './fleet.ts';
import { LeanServer } from './lean-server.ts';
import { remoteSession } from './remote-session.ts';

/**
 * Concurrent requests to a server that does not report its number of processes. Kimina's client has the same default.
 */
const REQUESTS_DEFAULT = 8;
const FIRST_RETRY_MS_DEFAULT = 500;

export interface RemotePoolOptions {
  /** Base addresses of the servers, such as `http://host:8000`. */
  readonly urls: readonly string[];
  /** Name of the environment variable that holds the servers' key. */
  readonly keyVariable?: string;
  /** The version and fingerprint that the servers' Lean must have. */
  readonly environment: Pick<LeanEnvironment, 'version' | 'fingerprint'>;
  /** Refuse servers that run Lean without a sandbox. */
  readonly sandboxRequired: boolean;
  /** Concurrent requests to a server that does not report its number of processes. */
  readonly requestsPerServer?: number;
  readonly firstRetryMs?: number;
}

export interface RemotePool extends LeanPool {
  /** Whether every server runs Lean in a sandbox. */
  readonly sandbox: SandboxFacts;
}

/** Throws STP1203 if no server answers (retryable) or one has another Lean, STP1205 if one lacks a required sandbox. */
export async function openRemotePool(options: RemotePoolOptions, signal?: AbortSignal): Promise<RemotePool> {
  const key = options.keyVariable === undefined ? null : process.env[options.keyVariable] || null;
  const { environment, sandboxRequired, requestsPerServer: requestsDefault = REQUESTS_DEFAULT } = options;
  const servers = options.urls.map(
    (url) => new LeanServer({ url, key, environment, sandboxRequired, requestsDefault }),
  );
  const fleet = new Fleet(servers, options.firstRetryMs ?? FIRST_RETRY_MS_DEFAULT);
  const closing = new AbortController();
  const isSandboxed = await fleet
    .learn(AbortSignal.any([closing.signal, ...(signal ? [signal] : [])]))
    .catch((error) => {
      fleet.close();
      throw error;
    });
  const waiting = openWaitingList<void>();
  const usage = openUsage();
  const leases = new Set<Promise<unknown>>();
  let busy = 0;

  function dispatch(): void {
    while (!closing.signal.aborted && busy < fleet.capacity) {
      const next = waiting.take(() => 'none');
      if (next === null) return;
      busy += 1;
      next.give();
    }
  }

  async function run<T>(
    header: string,
    task: (session: LeanSession) => Promise<T>,
    lease: LeaseOptions,
  ): Promise<Leased<T>> {
    const askedAt = performance.now();
    const { fresh = false } = lease;
    const granted = waiting.wait({ header, fresh }, lease);
    dispatch();
    await granted;
    const queueMs = performance.now() - askedAt;
    usage.count({ queueMs, headerMs: 0, isWarm: !fresh });
    const end = usage.begin();
    try {
      const value = await task(remoteSession(fleet, header, fresh, closing.signal));
      closing.signal.throwIfAborted();
      return { kind: 'done', value, queueMs, headerMs: 0 };
    } catch (error) {
      throw closing.signal.aborted ? closing.signal.reason : error;
    } finally {
      end();
      busy -= 1;
      dispatch();
    }
  }

  return {
    driver: { name: 'server', candidatesPerRun: 1 },
    sandbox: isSandboxed
      ? { kind: 'bubblewrap', description: 'on the Lean servers, as they say' }
      : { kind: 'none', description: 'a Lean server says nothing of a sandbox' },
    async lease(header, task, lease = {}) {
      lease.signal?.throwIfAborted();
      closing.signal.throwIfAborted();
      const running = run(header, task, lease);
      leases.add(running);
      try {
        return await running;
      } finally {
        leases.delete(running);
      }
    },
    stats() {
      const { queueMs, headerMs, runMs, reused } = usage.totals();
      const processes = fleet.capacity;
      const utilisation = runMs / Math.max(1, processes * usage.ageMs());
      const counts = { processes, busy, waiting: waiting.size, started: 0, recycled: 0, reused };
      return { ...counts, queueMs, headerMs, runMs, utilisation };
    },
    async close() {
      closing.abort(new StpError('STP1203', 'the connection to the Lean servers was closed', 'Open a new one.'));
      waiting.failAll(closing.signal.reason);
      await Promise.allSettled(leases);
      fleet.close();
    },
  };
}
