/** This project's blocks of docs/coming-from.md run, and give what the page says. A quarter of a minute of a core. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { openedClient } from '../mcp/opened.ts';
import { systemPython } from '../python/python.ts';
import { startLeanService } from '../support/lean-service.ts';
import { REPOSITORY } from '../support/stp.ts';

const PAGE = readFileSync(join(REPOSITORY, 'docs/coming-from.md'), 'utf8');
const LIMIT_MS = 280_000;
const folder = mkdtempSync(join(tmpdir(), 'stp-coming-from-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The indented blocks below a heading, each with the words before it. */
function blocksOf(heading: string): { readonly before: string; readonly text: string }[] {
  const section = PAGE.split(/^## /mu).find((text) => text.startsWith(`${heading}\n`))!;
  return [...section.matchAll(/([^\n]*)\n\n((?: {4}[^\n]*\n|\n(?= {4}))+)/gu)].map(([, before, text]) => ({
    before: before!,
    text: text!.replaceAll(/^ {4}/gmu, '').trimEnd(),
  }));
}

const python = systemPython()?.command ?? null;
if (python === null) console.log('skipped: what users of LeanInteract write here (there is no python3)');

it.skipIf(python === null)('what users of LeanInteract write here', { timeout: LIMIT_MS }, async () => {
  const blocks = blocksOf('LeanInteract');
  const ours = blocks.flatMap(({ before, text }, index) =>
    before.startsWith('here') ? [{ text, printed: blocks[index + 1]! }] : [],
  );
  expect(ours).toHaveLength(2);
  const service = await startLeanService();
  try {
    for (const { text, printed } of ours) {
      const script = join(folder, 'example.py');
      writeFileSync(script, text.replaceAll('http://localhost:8000', service.url));
      const { stdout } = await execa(python!, [script], {
        env: {
          PYTHONPATH: join(REPOSITORY, 'packages/python/src'),
          PYTHONDONTWRITEBYTECODE: '1',
          NO_PROXY: '127.0.0.1,localhost',
        },
      });
      expect([printed.before, stdout]).toEqual(['prints', printed.text]);
    }
  } finally {
    await service.close();
  }
});

it('what users of lean-lsp-mcp call here', { timeout: LIMIT_MS }, async () => {
  const [file, ...calls] = blocksOf('lean-lsp-mcp').flatMap(({ text }) => text.split('\n\n'));
  expect(calls).toHaveLength(3);
  writeFileSync(join(folder, 'A.lean'), `${file}\n`);
  const agent = await openedClient(folder);
  try {
    for (const call of calls) {
      const [, name, given, answer] = /^→ (\w+) (.+)\n← (.+)$/u.exec(call)!;
      expect(await agent.call(name!, JSON.parse(given!))).toMatchObject(JSON.parse(answer!));
    }
  } finally {
    await agent.client.close();
  }
});
