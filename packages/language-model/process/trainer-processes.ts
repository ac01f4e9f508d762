/**
 * The processes of a script of `packages/language-model/trainers/python/` on this machine: one per rank of a training,
 * each in its own group. If one fails, the others are ended, because they would wait for it in a collective sum. The
 * error is its last message or the end of its log.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { StpError } from '@stp/base';
import type { TrainingShare } from '../trainer.ts';
import { CappedLog } from './capped-log.ts';
import { type Exit, ProcessGroup } from './process-group.ts';
import { causeWith } from './system-code.ts';
import { LINE_CHARS_MAX, parseMessage, type TrainerMessage } from './trainer-messages.ts';

/** Wait for the end of the output after a process has ended, since a child may hold it open. */
const LAST_WORDS_MS = 2_000;

/** How long processes wait for other machines, which may first fetch a model; `TIMEOUT` of process_group.py. */
const MEETING_MS_MAX = 7_200_000;

export interface TrainerProcessesOptions {
  readonly command: readonly string[];
  readonly processes: number;
  readonly logPath: string;
  readonly runMark: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Maximum time without a message. */
  readonly silenceLimitMs: number;
  /** Set if the processes of several machines train together. */
  readonly share?: TrainingShare | undefined;
  readonly onMessage: (message: TrainerMessage) => void;
  readonly signal: AbortSignal | undefined;
}

/** Resolves when all processes have succeeded. Otherwise throws the first failure, after all processes have ended. */
export async function runTrainerProcesses(options: TrainerProcessesOptions): Promise<void> {
  const { processes, signal } = options;
  signal?.throwIfAborted();
  const log = new CappedLog(options.logPath);
  const groups: ProcessGroup[] = [];
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  let saidWhy: StpError | null = null;
  const abort = () => failure.reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const silence = { timer: null as NodeJS.Timeout | null };
  const heard = (limitMs = options.silenceLimitMs) => {
    if (silence.timer !== null) clearTimeout(silence.timer);
    silence.timer = setTimeout(() => {
      const advice = 'It is started anew on the next try. If this repeats, look into its log.';
      const problem = `the trainer gave no sign of progress for ${limitMs} ms and was ended`;
      failure.reject(new StpError('STP1301', problem, advice, { retryable: true, facts: { log: log.path } }));
    }, limitMs);
  };
  const onLine = (line: string) => {
    heard();
    try {
      if (line.length > LINE_CHARS_MAX) throw tooLong(line);
      const message = parseMessage(line);
      if (message.type !== 'failed') return options.onMessage(message);
      const { code, advice, retryable, systemCode } = message;
      const facts = { log: log.path };
      saidWhy ??= new StpError(code, message.message, advice, { retryable, facts, ...causeWith(systemCode) });
      failure.reject(saidWhy);
    } catch (error) {
      failure.reject(error);
    }
  };
  try {
    heard(options.silenceLimitMs + (options.share === undefined ? 0 : MEETING_MS_MAX));
    const ends: Promise<void>[] = [];
    for (let rank = 0; rank < processes; rank += 1) {
      const group = await ProcessGroup.start(options.command, {
        runMark: options.runMark,
        environment: { ...options.environment, ...ranks(rank, processes, options.share), STP_ENDS_WITH_STDIN: '1' },
      });
      groups.push(group);
      log.take(group.child.stderr!);
      const lines = createInterface({ input: group.child.stdout! }).on('line', onLine);
      const read = new Promise<void>((resolve) => lines.once('close', resolve));
      ends.push(
        (async () => {
          const exit = await group.exited;
          // Its last message may not have arrived yet.
          await Promise.race([read, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
          if (exit.code !== 0) failure.reject(saidWhy ?? exitError(exit, log));
        })(),
      );
    }
    await Promise.race([Promise.all(ends), failure.promise]);
    // A process may have failed just as the last one ended.
    if (saidWhy !== null) throw saidWhy;
  } finally {
    signal?.removeEventListener('abort', abort);
    if (silence.timer !== null) clearTimeout(silence.timer);
    await Promise.all(groups.map((group) => group.end()));
    await log.close();
  }
}

/**
 * Returns a process's ranks (`packages/language-model/trainers/python/process_group.py`). All machines have equally
 * many processes.
 */
function ranks(local: number, processes: number, share: TrainingShare | undefined): Record<string, string> {
  const { node, nodes } = share ?? { node: 0, nodes: 1 };
  if (nodes * processes === 1) return {};
  const who = {
    RANK: `${node * processes + local}`,
    LOCAL_RANK: `${local}`,
    LOCAL_WORLD_SIZE: `${processes}`,
    WORLD_SIZE: `${nodes * processes}`,
  };
  return share === undefined ? who : { ...who, MASTER_ADDR: share.address, MASTER_PORT: `${share.port}` };
}

function exitError({ code, signal }: Exit, log: CappedLog): StpError {
  const how =
    signal === 'SIGKILL'
      ? 'was killed (by a person, or by the system for want of memory)'
      : signal !== null
        ? `was ended by ${signal}`
        : `ended with exit code ${code}`;
  const last = log.tail.trim().split('\n').at(-1) ?? '';
  return new StpError(
    'STP1301',
    `the trainer ${how}${last === '' ? '' : `: ${last.slice(0, 500)}`}`,
    'The next try continues from its kept state. If this repeats, look into its log.',
    { retryable: true, facts: { code, signal, log: log.path } },
  );
}

function tooLong(line: string): StpError {
  return new StpError('STP1301', `the trainer wrote a line of ${line.length} characters`, 'Report it with its log.');
}
