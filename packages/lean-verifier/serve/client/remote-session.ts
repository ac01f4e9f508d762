/**
 * A session of a remote pool: each run sends header and body as one snippet in one request, and reports the server's
 * answer as a local process would. The server keeps the header imported.
 */
import { StpError } from '@stp/base';
import type { LeanMessage } from '@stp/config/records';
import type { LeanSession, SessionExit, SessionRun } from '../../runtime/process/driver.ts';
import type { LeanExit } from '../../runtime/process/spawn.ts';
import type { Fleet } from './fleet.ts';
import type { ServerResult } from './lean-server.ts';

/**
 * Wall time allowed for each unit of processor time, as for local processes. It ends a process that waits instead of
 * working.
 */
const WALL_FACTOR = 10;

export function remoteSession(fleet: Fleet, header: string, fresh: boolean, closing: AbortSignal): LeanSession {
  let uses = 0;
  async function run({ body, deadlineMs, signal, onMessage }: SessionRun): Promise<SessionExit> {
    uses += 1;
    const code = `${header}\n${body}`;
    const any = signal === undefined ? closing : AbortSignal.any([signal, closing]);
    any.throwIfAborted();
    const limits = { cpuTimeoutMs: deadlineMs, timeoutMs: WALL_FACTOR * deadlineMs };
    let result: ServerResult | null;
    try {
      result = await fleet.check({ code, ...limits, fresh, signal: any }, header);
    } catch (error) {
      if (any.aborted || !(error instanceof StpError && error.retryable)) throw error;
      return ended('not-started', error.message);
    }
    if (result === null) return ended('crashed', 'the server failed over it, several times');
    const { response, time, diagnostics } = result;
    const exit = exitOf(result);
    if (exit.how === 'finished')
      for (const message of response?.messages ?? []) onMessage(leanMessage(message), () => {}, message.endPos ?? null);
    return {
      ...exit,
      cpuMs: 1_000 * (diagnostics?.cpu_time ?? time),
      peakResidentBytes: diagnostics?.memory_max ?? 0,
      bodyMs: 1_000 * time,
    };
  }
  return {
    header,
    pid: null,
    isWarm: true,
    isAlive: true,
    get uses() {
      return uses;
    },
    residentBytes: async () => 0,
    run,
    close: async () => {},
  };
}

/**
 * Our servers report how a check ended; for Kimina's it is derived from the error text. An unknown error is a failure
 * of the server.
 */
function exitOf({ error, outcome, response }: ServerResult): SessionExit {
  if (response && typeof response.message !== 'string') return ended('finished');
  const said = error ?? response?.message ?? '';
  if (outcome === 'timeout' || (!outcome && /timed out/.test(said))) return ended('deadline', said);
  if (outcome === 'memory' || (!outcome && /memory/i.test(said))) return ended('memory', said);
  if (outcome === 'output') return ended('output', said);
  if (outcome === 'crash') {
    // A signal, or an exit code with which a sandbox reports a signal, shows that the process was killed from outside.
    const signal = /\bSIG[A-Z]+\b/.exec(said)?.[0] ?? null;
    const code = /\bexit code (\d{1,3})\b/.exec(said)?.[1];
    return { ...ended('crashed', said), signal: signal as NodeJS.Signals | null, code: code ? Number(code) : null };
  }
  return ended('not-started', said);
}

function ended(how: LeanExit['how'], stderr = ''): SessionExit {
  return { how, code: how === 'finished' ? 0 : null, signal: null, stderr, cpuMs: 0, peakResidentBytes: 0 };
}

type WireMessage = NonNullable<NonNullable<ServerResult['response']>['messages']>[number];

function leanMessage({ severity, pos, data }: WireMessage): LeanMessage {
  const known = severity === 'info' || severity === 'trace' ? 'information' : severity;
  return { severity: known, line: pos.line, column: pos.column, text: data };
}
