/**
 * Verdicts by content, in append-only files of one checksummed line each. A line that was cut short or altered is ignored,
 * never believed. Every open verifier writes a file of its own, so processes do not write into each other's lines.
 */
import { createHash, randomBytes } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { leanMessageSchema, type VerdictKind } from '../../data/schemas/records.ts';
import type { CheckResult } from '../verifier.ts';

/** What came of limits or accidents may come out differently next time; a refusal costs nothing to repeat. */
const KEPT: ReadonlySet<VerdictKind> = new Set(['proved', 'rejected', 'sorry']);

const lineSchema = z.strictObject({
  key: z.string().regex(/^[0-9a-f]{64}$/),
  kind: z.enum(['proved', 'rejected', 'sorry']),
  messages: z.array(leanMessageSchema).max(8),
  premises: z.array(z.string().max(512)).max(1_000),
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
  const known = new Map<string, CachedVerdict>();
  for (const name of (await readdir(directory)).sort()) {
    if (!/^verdicts-.*\.jsonl$/.test(name)) continue;
    for (const line of (await readFile(join(directory, name), 'utf8')).split('\n')) {
      const verdict = readLine(line);
      if (verdict !== null) known.set(verdict.key, verdict);
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
      return known.get(key) ?? null;
    },
    async put(key, { kind, messages, premises, axioms, checkMs }) {
      if (!KEPT.has(kind) || known.has(key)) return;
      const parsed = lineSchema.safeParse({ key, kind, messages, premises, axioms, checkMs });
      if (!parsed.success) return;
      known.set(key, parsed.data);
      const body = JSON.stringify(parsed.data);
      writing = writing.then(() => append(`${checksum(body)} ${body}\n`));
      await writing;
    },
  };
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function readLine(line: string): CachedVerdict | null {
  const body = line.slice(17);
  if (line[16] !== ' ' || checksum(body) !== line.slice(0, 16)) return null;
  try {
    const parsed = lineSchema.safeParse(JSON.parse(body));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
