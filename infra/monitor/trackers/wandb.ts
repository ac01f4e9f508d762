/**
 * Weights & Biases through its Python client, in a process beside the worker (`wandb_client.py`). The id of its run is
 * derived from ours, so every process resumes the same one, also after a crash. The client reads its address, key,
 * project and mode from the environment.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { contentId } from '@stp/config/ids';
import { z } from 'zod';
import { type Entry, keepLink, linkName, type TrackedRun, type Tracker } from './tracker.ts';

export interface WandbSettings {
  /** Python with the client installed. STP_WANDB_PYTHON. */
  readonly python: string;
  /** Folder for the client's own files. WANDB_DIR. */
  readonly directory: string;
}

/** Default of WANDB_PROJECT. */
const PROJECT = 'stp-selfplay';
const ANSWER_MS_MAX = 120_000;
const FINISH_MS_MAX = 60_000;

const answerSchema = z.looseObject({ done: z.int(), url: z.string().nullable() });

export function wandbTracker(run: TrackedRun, settings: WandbSettings): Tracker {
  const id = contentId('wandb', run.id).slice(0, 16);
  let client: Client | null = null;
  const begin = async (): Promise<Client> => {
    await mkdir(settings.directory, { recursive: true });
    const opening = new Client(settings.python, join(settings.directory, 'client.log'));
    const about = { id, name: run.run, project: PROJECT, config: run.parameters, label: hostname() };
    const url = await opening.ask({ begin: { ...about, directory: settings.directory } });
    const project = process.env.WANDB_PROJECT ?? PROJECT;
    const text =
      url === null ? `wandb sync, run ${id} in ${settings.directory}` : `Weights & Biases, project ${project}`;
    await keepLink(run.store, linkName('wandb', id), { tracker: 'wandb', url, text, id });
    return opening;
  };
  return {
    async send(entries, signal) {
      if (client?.isOver !== false) client = await begin();
      const asking = client;
      const stop = (): void => asking.kill();
      signal.addEventListener('abort', stop, { once: true });
      try {
        const metrics = rows(entries);
        if (metrics.length > 0) await asking.ask({ metrics });
        for (const entry of entries)
          if (entry.kind === 'end') await sendEnd(asking, run, settings.directory, entry.end);
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
    async close() {
      await client?.finish();
    },
  };
}

async function sendEnd(
  client: Client,
  run: TrackedRun,
  directory: string,
  end: Extract<Entry, { kind: 'end' }>['end'],
): Promise<void> {
  const files: Record<string, string> = {};
  const copies = join(directory, 'stp-report', run.id);
  for (const name of end.objects) {
    const ref = await run.store.stat(name);
    if (ref === null) continue;
    const path = join(copies, name);
    await mkdir(dirname(path), { recursive: true });
    await run.store.download(ref, path);
    files[name] = path;
  }
  await client.ask({ end: { status: end.status, files } });
  // The client has made its own copies.
  await rm(copies, { recursive: true, force: true });
}

interface Row {
  readonly group: string;
  readonly step: number;
  readonly seconds: number;
  readonly values: Record<string, string>;
}

/** Groups metrics of one group, step and time into one row, as the client expects. */
function rows(entries: readonly Entry[]): Row[] {
  const found: Row[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'metric') continue;
    const { name, step, value, at } = entry.metric;
    const group = name.slice(0, name.lastIndexOf('/'));
    const seconds = Date.parse(at) / 1_000;
    let row = found.at(-1);
    if (row?.group !== group || row.step !== step || row.seconds !== seconds) {
      row = { group, step, seconds, values: {} };
      found.push(row);
    }
    row.values[name] = String(value);
  }
  return found;
}

/** The Python process. It ends when its standard input ends, also if this process is killed. */
class Client {
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #waiting = new Map<number, PromiseWithResolvers<string | null>>();
  readonly #log: string;
  #asked = 0;
  isOver = false;

  constructor(python: string, log: string) {
    this.#log = log;
    const script = join(import.meta.dirname, 'wandb_client.py');
    const output = openSync(log, 'a');
    // It has its own process group: Ctrl-C in a terminal goes to the worker, which ends the client properly.
    const child = spawn(python, ['-u', script], { stdio: ['pipe', 'pipe', output], detached: true });
    closeSync(output);
    this.#process = child;
    // The end of the client is reported by its exit.
    child.stdin!.on('error', () => undefined);
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const answer = answerSchema.safeParse(parsed(line));
      if (answer.success) this.#waiting.get(answer.data.done)?.resolve(answer.data.url);
    });
    // A process that could not be started counts as ended.
    this.#ended = once(child, 'close').catch((error: Error) => error);
    void this.#ended.then((how) => {
      this.isOver = true;
      this.#failure = new Error(`the client of Weights & Biases has ended: ${this.#reason(how)}`);
      for (const waiting of this.#waiting.values()) waiting.reject(this.#failure);
    });
  }

  /** Sends a message. Returns the run's page, or null, once the client has taken it. */
  async ask(message: object): Promise<string | null> {
    if (this.isOver) throw this.#failure;
    this.#asked += 1;
    const number = this.#asked;
    const answer = Promise.withResolvers<string | null>();
    this.#waiting.set(number, answer);
    const limit = setTimeout(() => this.kill(), ANSWER_MS_MAX);
    this.#process.stdin!.write(`${JSON.stringify({ number, ...message })}\n`);
    try {
      return await answer.promise;
    } finally {
      clearTimeout(limit);
      this.#waiting.delete(number);
    }
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /** Lets the client send its remaining data. */
  async finish(): Promise<void> {
    const limit = setTimeout(() => this.kill(), FINISH_MS_MAX);
    this.#process.stdin!.end();
    await this.#ended;
    clearTimeout(limit);
  }

  #failure: Error | null = null;
  #reason(how: unknown): string {
    if (how instanceof Error) return how.message;
    return readFileSync(this.#log, 'utf8').trim().split('\n').at(-1) || `its log is ${this.#log}`;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
