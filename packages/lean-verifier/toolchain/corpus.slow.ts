/**
 * Tests the verdicts of the installed Lean on scripts of every kind (`data/lean-corpus`). Most scripts share a process,
 * each in a namespace of its own; those with broken syntax get a process each. Takes 15 s. The test is slow-tier
 * because its result changes only with the pinned Lean.
 *
 * @module-tag slow
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { leanForTests } from '../testing/toolchain.ts';
import { runCommand } from './run-command.ts';
import type { Toolchain } from './toolchain.ts';

const scriptSchema = z.strictObject({
  id: z.string().regex(/^[a-z]+-[0-9]{3}$/),
  source: z.string().min(1).max(4_000),
  expected: z.enum(['accepted', 'rejected']),
  note: z.string().min(1).max(200),
});
type Script = z.infer<typeof scriptSchema>;

const PATH = join(import.meta.dirname, '../../../data/lean-corpus/scripts.jsonl');
const scripts = readFileSync(PATH, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => scriptSchema.parse(JSON.parse(line)));

const messageSchema = z.object({
  severity: z.enum(['error', 'warning', 'information']),
  pos: z.object({ line: z.number().int() }),
  data: z.string(),
});
type Message = z.infer<typeof messageSchema>;

/** All scripts together take 6 s on an idle machine. */
const TIMEOUT_MS = 120_000;
const SCRIPTS_PER_PROCESS = 60;
const REACHED = '#check (trivial : True)';

/** Returns the messages of one Lean process. Fails the test if the process ends with anything but exit code 0 or 1. */
async function check(lean: Toolchain, source: string): Promise<Message[]> {
  const result = await runCommand(lean.executable, ['--json', '--stdin', '-DmaxErrors=100000'], {
    environment: process.env,
    timeoutMs: TIMEOUT_MS,
    input: source,
  });
  const lines = result.stdout.split('\n').filter((line) => line !== '');
  const messages = lines.map((line) => messageSchema.parse(JSON.parse(line)));
  const errors = messages.filter(({ severity }) => severity === 'error');
  expect([result.exitCode, result.stderr]).toEqual([errors.length > 0 ? 1 : 0, '']);
  return messages;
}

function verdict(messages: readonly Message[]): 'accepted' | 'rejected' {
  const admits = ({ severity, data }: Message) => severity === 'warning' && data.includes('declaration uses `sorry`');
  return messages.some((message) => message.severity === 'error' || admits(message)) ? 'rejected' : 'accepted';
}

interface Part {
  readonly script: Script;
  readonly text: string;
  readonly firstLine: number;
  /** Line of the command that shows that Lean read past the script. */
  readonly lastLine: number;
}

function layOut(batch: readonly Script[]): Part[] {
  let line = 1;
  return batch.map((script) => {
    const name = `Script_${script.id.replace('-', '_')}`;
    const text = `namespace ${name}\n${script.source}end ${name}\n${REACHED}\n`;
    const firstLine = line;
    line += text.split('\n').length - 1;
    return { script, text, firstLine, lastLine: line - 1 };
  });
}

function wrongVerdicts(parts: readonly Part[], messages: readonly Message[]): string[] {
  return parts.flatMap(({ script, firstLine, lastLine }) => {
    const own = messages.filter(({ pos }) => pos.line >= firstLine && pos.line < lastLine);
    const reached = messages.some(({ pos, severity }) => pos.line === lastLine && severity === 'information');
    if (reached && verdict(own) === script.expected) return [];
    const said = own.map(({ data }) => data.split('\n')[0]).join(' | ');
    return [`${script.id} (${script.note}): expected ${script.expected}${reached ? '' : ', not reached'}; ${said}`];
  });
}

const alone = scripts.filter(({ id }) => id.startsWith('syntax-'));
const together = scripts.filter((script) => !alone.includes(script));
/**
 * Accepted and rejected scripts are in separate batches, so that no error can be reported on an accepted script's
 * lines.
 */
const batches = (['accepted', 'rejected'] as const).flatMap((expected) => {
  const kind = together.filter((script) => script.expected === expected);
  return Array.from({ length: Math.ceil(kind.length / SCRIPTS_PER_PROCESS) }, (_, index) =>
    kind.slice(index * SCRIPTS_PER_PROCESS, (index + 1) * SCRIPTS_PER_PROCESS),
  );
});

describe('the corpus', () => {
  it('has 300 scripts or more, each once, 120 or more of them rejected', () => {
    expect(scripts.length).toBeGreaterThanOrEqual(300);
    expect(scripts.filter(({ expected }) => expected === 'rejected').length).toBeGreaterThanOrEqual(120);
    expect(new Set(scripts.map(({ id }) => id)).size).toBe(scripts.length);
    expect(new Set(scripts.map(({ source }) => source)).size).toBe(scripts.length);
  });
});

describe('the Lean in use', () => {
  let lean: Toolchain;
  beforeAll(async () => {
    lean = await leanForTests();
  });

  it.each(batches.map((batch, index) => ({ name: `${batch[0]?.expected} ${index + 1}`, batch })))(
    'gives the expected verdicts: $name',
    async ({ batch }) => {
      const parts = layOut(batch);
      const messages = await check(lean, parts.map(({ text }) => text).join(''));
      expect(wrongVerdicts(parts, messages)).toEqual([]);
    },
  );

  it.each(alone)('gives the expected verdict: $id', async ({ source, expected }) => {
    expect(verdict(await check(lean, source))).toBe(expected);
  });
});
