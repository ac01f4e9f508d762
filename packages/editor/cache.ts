/**
 * Caches answers, with limits on number and size, in memory and optionally in a folder. Editors repeat requests at
 * every refresh.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Answer, SUGGESTION_CLASSES } from './suggestion.ts';

const BYTES_MAX = 64 * 1024 * 1024;
const FILE = /^[0-9a-f]{64}\.json$/u;

const answerSchema: z.ZodType<Answer> = z.strictObject({
  goals: z.array(z.string()),
  suggestions: z.array(
    z.strictObject({
      text: z.string(),
      class: z.enum(SUGGESTION_CLASSES),
      goals: z.array(z.string()),
      score: z.number().nullable(),
      source: z.string(),
      ms: z.number(),
      reason: z.string().nullable(),
      checked: z.boolean(),
    }),
  ),
  unchecked: z.string().nullable(),
  unfinished: z.number(),
  failures: z.array(z.strictObject({ source: z.string(), reason: z.string() })),
});

export class AnswerCache {
  readonly #texts = new Map<string, { readonly text: string; readonly endsAt: number }>();
  readonly #entriesMax: number;
  readonly #folder: string | null;
  #bytes = 0;

  /** @param folder null keeps nothing on disk */
  constructor(entriesMax: number, folder: string | null) {
    this.#entriesMax = entriesMax;
    this.#folder = folder;
  }

  static key(parts: readonly unknown[]): string {
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  }

  async get(key: string): Promise<Answer | null> {
    const kept = this.#texts.get(key);
    if (kept !== undefined && kept.endsAt > performance.now()) return parse(kept.text);
    this.#drop(key);
    const text = await this.#read(key);
    const answer = text === null ? null : parse(text);
    if (answer !== null) this.#keep(key, text!, Number.POSITIVE_INFINITY);
    return answer;
  }

  /**
   * Stores an answer. If the folder is not writable, the answer is kept in memory only.
   *
   * @param forMs how long to keep it; with a limit it is kept in memory only
   */
  async set(key: string, answer: Answer, forMs = Number.POSITIVE_INFINITY): Promise<void> {
    const text = JSON.stringify(answer);
    this.#keep(key, text, performance.now() + forMs);
    if (this.#folder === null || Number.isFinite(forMs)) return;
    await this.#write(this.#folder, key, text).catch(() => {});
  }

  #keep(key: string, text: string, endsAt: number): void {
    this.#drop(key);
    this.#texts.set(key, { text, endsAt });
    this.#bytes += text.length;
    while (this.#texts.size > this.#entriesMax || this.#bytes > BYTES_MAX) this.#drop(this.#texts.keys().next().value!);
  }

  #drop(key: string): void {
    this.#bytes -= this.#texts.get(key)?.text.length ?? 0;
    this.#texts.delete(key);
  }

  async #read(key: string): Promise<string | null> {
    return this.#folder === null ? null : readFile(join(this.#folder, `${key}.json`), 'utf8').catch(() => null);
  }

  async #write(folder: string, key: string, text: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    const partial = join(folder, `${key}.${randomBytes(4).toString('hex')}`);
    await writeFile(partial, text);
    await rename(partial, join(folder, `${key}.json`));
    const names = (await readdir(folder)).filter((name) => FILE.test(name));
    if (names.length <= this.#entriesMax) return;
    const ages = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })));
    ages.sort((left, right) => left.at - right.at);
    await Promise.all(
      ages.slice(0, names.length - this.#entriesMax).map(({ name }) => rm(join(folder, name), { force: true })),
    );
  }
}

function parse(text: string): Answer | null {
  try {
    return answerSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
