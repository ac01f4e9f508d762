/**
 * The driver for the language server: the header is imported once, and each run replaces the text below it. A theorem
 * by `omega` with its axioms takes 25–30 ms of a core, against 20 ms in a batch of 128 in one `lean --json` and 210 ms
 * in a process of its own. So a run has one candidate.
 */
import type { LeanMessage } from '@stp/config/records';
import type { LeanDriver, LeanSession, Opened, SessionExit, SessionRun } from './driver.ts';
import { HEADER_DEADLINE_MS } from './json-driver.ts';
import { treeResources } from './process-tree.ts';
import { goalsAt } from './server/goals-at.ts';
import { type ServerWorker, startWorker } from './server/worker.ts';
import { openSession } from './session.ts';
import type { ProcessContext } from './spawn.ts';
import { watchRun } from './watch-run.ts';

export function openServerDriver(processContext: ProcessContext): LeanDriver {
  return {
    name: 'server',
    candidatesPerRun: 1,
    async open(header, { signal, memoryBytesMax }) {
      signal?.throwIfAborted();
      const startedAt = performance.now();
      const worker = await startWorker(processContext, memoryBytesMax);
      if (!('process' in worker)) return { kind: 'no_start', exit: worker };
      const messages: LeanMessage[] = [];
      const onMessage = (message: LeanMessage): void => void messages.push(message);
      const limits = { deadlineMs: HEADER_DEADLINE_MS, memoryBytesMax, signal };
      const exit = await elaborate(worker, header, { ...limits, body: '', onMessage });
      if (exit.how !== 'finished') return { kind: 'no_start', exit };
      return judgeHeader(worker, header, messages, performance.now() - startedAt);
    },
  };
}

async function judgeHeader(
  worker: ServerWorker,
  header: string,
  messages: readonly LeanMessage[],
  headerMs: number,
): Promise<Opened> {
  if (!messages.some(({ severity }) => severity === 'error')) {
    return { kind: 'open', session: serverSession(worker, header), headerMs };
  }
  await endWorker(worker);
  return { kind: 'header_error', messages };
}

function serverSession(worker: ServerWorker, header: string): LeanSession {
  const { pid, ended } = worker.process;
  let text = header;
  return openSession({
    header,
    pid,
    ended,
    residentBytes: async () => treeResources(pid)?.residentBytes ?? 0,
    runOnce(run) {
      text = `${header}\n${run.body}`;
      return elaborate(worker, header, run);
    },
    goalsAt: (position) => goalsAt(worker, text, position),
    end: () => endWorker(worker),
  });
}

/**
 * Rejects only with the signal's reason. The process has ended then, and also after every outcome except `finished`.
 */
async function elaborate(worker: ServerWorker, header: string, run: SessionRun): Promise<SessionExit> {
  const watch = watchRun(worker.process, run);
  let errors = 0;
  const finished = await worker.elaborate(`${header}\n${run.body}`, (message, end) => {
    if (message.severity === 'error') errors += 1;
    run.onMessage(message, watch.allow, end);
  });
  if (finished) {
    const used = watch.stop();
    if (!run.signal?.aborted) return { how: 'finished', code: errors > 0 ? 1 : 0, signal: null, stderr: '', ...used };
  }
  const exit = await worker.process.ended;
  const used = watch.stop();
  run.signal?.throwIfAborted();
  return { ...exit, how: exit.how === 'finished' ? 'crashed' : exit.how, ...used };
}

async function endWorker({ process }: ServerWorker): Promise<void> {
  process.end('crashed');
  await process.ended;
}
