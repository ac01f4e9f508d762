/**
 * Verdicts by content: on disk in files (`cache-files.ts`), and the most recently used ones in memory, up to a size
 * limit.
 */
import { createHash } from 'node:crypto';
import { leanMessageSchema, type ObjectJudgement, objectJudgementSchema, type VerdictKind } from '@stp/config/records';
import { z } from 'zod';
import type { CheckResult } from '../../verifier.ts';
import { openCacheFiles } from './cache-files.ts';

/**
 * Kinds of verdicts that are cached. Results of limits or accidents may differ next time, and a refusal is cheap to
 * repeat.
 */
const KEPT: ReadonlySet<VerdictKind> = new Set(['proved', 'rejected', 'sorry']);

/** Maximum characters of verdicts in memory: some hundred thousand verdicts. */
const CHARS_KEPT_MAX = 67_108_864;

const lineSchema = z.object({
  key: z.string().regex(/^[0-9a-f]{64}$/),
  kind: z.enum(['proved', 'rejected', 'sorry']),
  messages: z.array(leanMessageSchema).max(8),
  axioms: z.array(z.string().max(512)).max(10_000),
  checkMs: z.number().nonnegative(),
  judgement: objectJudgementSchema.optional(),
});
type CachedVerdict = z.infer<typeof lineSchema>;

/** The verdict on a text, whoever wrote it. */
export interface KnownVerdict extends Pick<CheckResult, 'kind' | 'messages' | 'axioms' | 'checkMs'> {
  readonly judgement?: ObjectJudgement | undefined;
}

export interface VerdictCache {
  get(key: string): Omit<CachedVerdict, 'key'> | null;
  /**
   * Resolves when the verdict has been passed to the operating system. If the disk is full, prints one warning and
   * stops writing.
   */
  put(key: string, result: KnownVerdict): Promise<void>;
}

/** Returns a key over everything that determines a verdict; each part is preceded by its length. */
export function verdictKey(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

export async function openVerdictCache(directory: string): Promise<VerdictCache> {
  const files = await openCacheFiles(directory);
  /** Key → body of the line, least recently used first. */
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

  for await (const body of files.bodies()) {
    const key = /^\{"key":"([0-9a-f]{64})"/.exec(body)?.[1];
    if (key !== undefined) keep(key, body);
  }

  return {
    get(key) {
      const body = known.get(key);
      if (body === undefined) return null;
      keep(key, body);
      return parse(body);
    },
    async put(key, { kind, messages, axioms, checkMs, judgement }) {
      if (!KEPT.has(kind) || known.has(key)) return;
      const parsed = lineSchema.safeParse({ key, kind, messages, axioms, checkMs, judgement });
      if (!parsed.success) return;
      const body = JSON.stringify(parsed.data);
      keep(key, body);
      await files.append(body);
    },
  };
}

function parse(body: string): CachedVerdict | null {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(body));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
