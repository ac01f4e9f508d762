/**
 * The community REPL as a driver, where a binary of it is configured: the header is its first command, each run a command
 * in the environment after the header. It says nothing before a command is read to its end, so one candidate a run.
 */
import type { LeanMessage } from '../../data/schemas/records.ts';
import type { LeanDriver, LeanSession, SessionExit, SessionRun } from './driver.ts';
import { HEADER_DEADLINE_MS } from './json-driver.ts';
import { treeResources } from './process-tree.ts';
import { type ReplCommand, type ReplProcess, startRepl } from './repl/repl-process.ts';
import { leanMessage, type ReplReply } from './repl/replies.ts';
import { openSession } from './session.ts';
import type { LeanExit, ProcessPlace } from './spawn.ts';
import { watchRun } from './watch-run.ts';

export interface ReplPlace extends ProcessPlace {
  /** Absolute path of the REPL's binary, built for the environment's Lean. */
  readonly replProgram: string;
}

export function openReplDriver({ replProgram, ...place }: ReplPlace): LeanDriver {
  return {
    name: 'repl',
    candidatesPerRun: 1,
    async open(header, { signal, memoryBytesMax }) {
      signal?.throwIfAborted();
      const startedAt = performance.now();
      const repl = startRepl(place, replProgram, memoryBytesMax);
      if (!('process' in repl)) return { kind: 'no_start', exit: repl };
      const limits = { deadlineMs: HEADER_DEADLINE_MS, memoryBytesMax, signal };
      const { reply, exit } = await runCommand(repl, { cmd: header }, limits);
      if (reply === null) return { kind: 'no_start', exit };
      const messages =
        'env' in reply ? reply.messages.map((one) => leanMessage(one, 0)[0]) : [refusal(reply.message, 1)];
      if (!('env' in reply) || messages.some(({ severity }) => severity === 'error')) {
        await endRepl(repl);
        return { kind: 'header_error', messages };
      }
      return { kind: 'open', session: replSession(repl, header, reply.env), headerMs: performance.now() - startedAt };
    },
  };
}

function replSession(repl: ReplProcess, header: string, env: number): LeanSession {
  const { pid, ended } = repl.process;
  const headerLines = header.split('\n').length;
  return openSession({
    header,
    pid,
    ended,
    residentBytes: async () => treeResources(pid)?.residentBytes ?? 0,
    async runOnce(run) {
      const { reply, exit, allow } = await runCommand(repl, { cmd: run.body, env, gc: true }, run);
      if (reply === null) return exit;
      if (!('env' in reply)) {
        run.onMessage(refusal(reply.message, headerLines + 1), allow);
        return { ...exit, code: 1 };
      }
      for (const message of reply.messages) {
        const [read, end] = leanMessage(message, headerLines);
        run.onMessage(read, allow, end);
      }
      return { ...exit, code: reply.messages.some(({ severity }) => severity === 'error') ? 1 : 0 };
    },
    end: () => endRepl(repl),
  });
}

interface Commanded {
  /** Null where the process has ended. */
  readonly reply: ReplReply | null;
  readonly exit: SessionExit;
  readonly allow: (ms: number) => void;
}

/** Rejects only with the signal's reason; the process has ended then. */
async function runCommand(
  repl: ReplProcess,
  command: ReplCommand,
  limits: Pick<SessionRun, 'deadlineMs' | 'memoryBytesMax' | 'signal'>,
): Promise<Commanded> {
  const watch = watchRun(repl.process, limits);
  const reply = await repl.ask(command);
  const env = command.env ?? (reply !== null && 'env' in reply ? reply.env : null);
  const believed = reply !== null && (env === null || (await repl.isInStep(env)));
  if (believed && !limits.signal?.aborted) {
    const exit: LeanExit = { how: 'finished', code: 0, signal: null, stderr: '' };
    return { reply, exit: { ...exit, ...watch.stop() }, allow: watch.allow };
  }
  repl.process.end('crashed', 'its replies are not to the commands it was given');
  const exit = await repl.process.ended;
  const used = watch.stop();
  limits.signal?.throwIfAborted();
  return {
    reply: null,
    exit: { ...exit, how: exit.how === 'finished' ? 'crashed' : exit.how, ...used },
    allow: watch.allow,
  };
}

/** What the REPL says of a command that it could not run at all. */
function refusal(text: string, line: number): LeanMessage {
  return { severity: 'error', line, column: 0, text };
}

async function endRepl({ process }: ReplProcess): Promise<void> {
  process.end('crashed');
  await process.ended;
}
