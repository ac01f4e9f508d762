/**
 * Damaged and forged exports: with every file the kernel ends with a verdict or an error of ours, within its limits,
 * and never accepts `False`. About 10 s of a core; STP_KERNEL_FUZZ sets how many files,
 * STP_KERNEL_FUZZ_SEED which.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../budget.ts';
import { Terms } from '../expr.ts';
import { InputError } from '../input-error.ts';
import { Kernel } from '../kernel.ts';
import { Random } from '../testing/mutate.ts';
import { Decline } from '../verdict.ts';
import { readExport } from './export-file.ts';

const SEED = Number(process.env.STP_KERNEL_FUZZ_SEED ?? 77);
const FILES = Number(process.env.STP_KERNEL_FUZZ ?? 500);
const LIMITS = { ...DEFAULT_LIMITS, fuel: 200_000, nodes: 200_000 };
const folder = mkdtempSync(join(tmpdir(), 'kernel-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const exportFile = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../testing/exports', name));
/** A file that tries to prove `False`, and the beginning of Lean's library. */
const FORGED = exportFile('proj-from-prop.must-reject.ndjson').toString('utf8').trimEnd().split('\n');
const LIBRARY = gunzipSync(exportFile('init-medium.ndjson.gz')).toString('utf8').split('\n').slice(0, 400);

/** Several changes to one file: numbers, words, whole lines, or bytes. */
function damaged(random: Random): Buffer {
  const lines = [...(random.below(4) === 0 ? LIBRARY : FORGED)];
  const changes = 1 + random.below(3);
  const anywhere = (): number => 1 + random.below(lines.length - 1);
  for (let change = 0; change < changes; change++) {
    const at = anywhere();
    const line = lines[at]!;
    switch (random.below(14)) {
      case 0:
        lines[at] = lines[anywhere()]!;
        break;
      case 1:
        lines.splice(at, 1);
        break;
      case 2:
        lines.splice(anywhere(), 0, line);
        break;
      case 3:
        lines[at] = line.replace(/true|false/, (word) => (word === 'true' ? 'false' : 'true'));
        break;
      case 4:
        lines[at] = line.replace(
          /"(?:lam|forallE|app|thm|def|axiom|succ|max|imax|opaque)"/,
          () =>
            ['"lam"', '"forallE"', '"app"', '"thm"', '"def"', '"axiom"', '"succ"', '"max"', '"proj"'][random.below(9)]!,
        );
        break;
      case 5:
        lines[at] = line.slice(0, random.below(line.length + 1));
        break;
      default:
        lines[at] = withOtherNumber(line, random);
    }
  }
  const bytes = Buffer.from(lines.join('\n'));
  if (random.below(10) === 0)
    for (let count = random.below(6); count >= 0; count--) bytes[random.below(bytes.length)] = random.below(256);
  return random.below(20) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}

/**
 * Replaces an index by another existing one, mostly a smaller one, so the file stays an export. A line's own index
 * stays.
 */
function withOtherNumber(line: string, random: Random): string {
  const found = [...line.matchAll(/\d+/g)].filter(({ index }) => !/"(?:in|il|ie)":$/.test(line.slice(0, index)));
  const chosen = found[random.below(Math.max(1, found.length))];
  if (chosen === undefined) return line;
  const before = Number(chosen[0]);
  const value =
    random.below(30) === 0 ? 4_294_967_296 : before > 0 && random.below(6) > 0 ? random.below(before) : before + 1;
  return line.slice(0, chosen.index) + value + line.slice(chosen.index + chosen[0].length);
}

/** Continues after a rejection, as no real checker would; what is accepted later must be sound nevertheless. */
async function check(file: string, counts: Record<string, number>): Promise<void> {
  const terms = new Terms();
  const kernel = new Kernel(terms, { limits: LIMITS });
  const falsity = terms.names.of('False');
  const isFalse = (): boolean => {
    const constant = kernel.environment.find(falsity);
    return constant?.kind === 'inductive' && constant.constructors.length === 0;
  };
  try {
    for await (const declaration of readExport(terms, file)) {
      const verdict = kernel.add(declaration);
      counts[verdict.kind] = (counts[verdict.kind] ?? 0) + 1;
      if (verdict.kind !== 'accepted' || declaration.kind === 'inductive' || !('value' in declaration)) continue;
      if (declaration.type !== terms.constant(falsity, terms.levels.list([])) || !isFalse()) continue;
      expect(kernel.axioms.of(declaration.name), `${terms.names.print(declaration.name)} proves False`).not.toEqual([]);
    }
    counts.whole = (counts.whole ?? 0) + 1;
  } catch (error) {
    if (error instanceof Decline) counts.limits = (counts.limits ?? 0) + 1;
    else if (error instanceof InputError) counts.malformed = (counts.malformed ?? 0) + 1;
    else throw error;
  }
}

it('ends well on every file, and proves nothing false', async () => {
  const random = new Random(SEED);
  const file = join(folder, 'fuzzed.ndjson');
  const counts: Record<string, number> = {};
  for (let index = 0; index < FILES; index++) {
    const bytes = damaged(random);
    writeFileSync(file, bytes);
    try {
      await check(file, counts);
    } catch (error) {
      throw new Error(`file ${index} of seed ${SEED}: ${(error as Error).message}`, { cause: error });
    }
  }
  console.log(JSON.stringify(counts));
  // The files reach the reader and the rules behind it.
  for (const reached of ['whole', 'malformed', 'accepted', 'rejected'])
    expect(counts[reached]).toBeGreaterThan(FILES / 50);
}, 1_800_000);
