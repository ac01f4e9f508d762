/**
 * Verdicts by content, in append-only files of one checksummed line each. A line that was cut short or altered is ignored,
 * never believed. Every open verifier writes a file of its own, so processes do not write into each other's lines. In
 * memory are the last used ones, as many as a bound on their size lets in.
 */
import { createHash, randomBytes } from 'node:crypto';
import { appendFile, mkdir, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { leanMessageSchema, type VerdictKind } from '../../data/schemas/records.ts';
import type { CheckResult } from '../verifier.ts';

/** What came of limits or accidents may come out differently next time; a refusal costs nothing to repeat. */
const KEPT: ReadonlySet<VerdictKind> = new Set(['proved', 'rejected', 'sorry']);

/** Characters of verdicts in memory: some hundred thousand verdicts. */
const CHARS_KEPT_MAX = 67_108_864;

/** What else older lines hold is passed by. */
const lineSchema = z.object({
  key: z.string().regex(/^[0-9a-f]{64}$/),
  kind: z.enum(['proved', 'rejected', 'sorry']),
  messages: z.array(leanMessageSchema).max(8),
  axioms: z.array(z.string().max(512)).max(10_000),
  checkMs: z.number().nonnegative(),
});
type CachedVerdict = z.infer<typeof lineSchema>;

export interface VerdictCache {
  get(key: string): Omit<CachedVerdict, 'key'> | null;
  /** Resolves when the line is handed to the operating system. A disk that takes no more ends the writing with one warning. */
  put(key: string, result: CheckResult): Promise<void>;
}

/** A key over everything that decides a verdict; each part is preceded by its length. */
export function verdictKey(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

export async function openVerdictCache(directory: string): Promise<VerdictCache> {
  await mkdir(directory, { recursive: true });
  /** Key → the line's body, the least recently used first. */
  const known = new Map<string, string>();
  let chars = 0;

  function keep(key: string, body: string): void {
    chars += body.length - (known.get(key)?.length ?? 0);
    known.delete(key);
    known.set(key, body);
    for (const [oldest, text] of known) {
      if (chars <= CHARS_KEPT_MAX) break;
      known.delete(oldest);
      chars -= text.length;
    }
  }

  for (const earlier of await earlierFiles(directory)) {
    const file = await open(earlier);
    for await (const line of file.readLines()) {
      const body = bodyOf(line);
      const key = body === null ? undefined : /^\{"key":"([0-9a-f]{64})"/.exec(body)?.[1];
      if (body !== null && key !== undefined) keep(key, body);
    }
  }
  const path = join(directory, `verdicts-${process.pid}-${randomBytes(6).toString('hex')}.jsonl`);
  let writable = true;
  let writing: Promise<void> = Promise.resolve();

  async function append(line: string): Promise<void> {
    if (!writable) return;
    try {
      await appendFile(path, line);
    } catch (error) {
      writable = false;
      process.emitWarning(`verdicts are no longer cached: ${path} cannot be written (${(error as Error).message})`);
    }
  }

  return {
    get(key) {
      const body = known.get(key);
      if (body === undefined) return null;
      keep(key, body);
      return parse(body);
    },
    async put(key, { kind, messages, axioms, checkMs }) {
      if (!KEPT.has(kind) || known.has(key)) return;
      const parsed = lineSchema.safeParse({ key, kind, messages, axioms, checkMs });
      if (!parsed.success) return;
      const body = JSON.stringify(parsed.data);
      keep(key, body);
      writing = writing.then(() => append(`${checksum(body)} ${body}\n`));
      await writing;
    },
  };
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Files of verdicts, the last written last. */
async function earlierFiles(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => /^verdicts-.*\.jsonl$/.test(name));
  const dated = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      return { path, writtenAt: (await stat(path)).mtimeMs };
    }),
  );
  return dated.sort((left, right) => left.writtenAt - right.writtenAt).map(({ path }) => path);
}

/** Null where the checksum is not that of the rest. */
function bodyOf(line: string): string | null {
  const body = line.slice(17);
  return line[16] === ' ' && checksum(body) === line.slice(0, 16) ? body : null;
}

function parse(body: string): CachedVerdict | null {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(body));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
