/** `bin/stp kernel`: exit codes and reports of the command itself. About 5 s of processor time. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');
const kernel = (...given: string[]) =>
  execa(process.execPath, ['cli/main.ts', 'kernel', ...given], { cwd: root, reject: false });
const exports = 'packages/lean-kernel/testing/exports';

describe('bin/stp kernel', () => {
  it('accepts with 0 and reports as JSON', async () => {
    const { exitCode, stdout } = await kernel(`${exports}/lex-prelude.ndjson.gz`, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'accepted',
      constants: 127,
      rejected: [],
      cpuSeconds: expect.any(Number),
      peakResidentBytes: expect.any(Number),
    });
  });

  it('rejects with 1 and names declaration and rule', async () => {
    const { exitCode, stdout } = await kernel(`${exports}/proj-from-prop.must-reject.ndjson`);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/explosion_helper.*rule: projection/);
  });

  it('declines with 2: too little fuel, or no export', async () => {
    const { exitCode, stdout } = await kernel(`${exports}/lex-prelude.ndjson.gz`, '--fuel', '500');
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/not decided within 500 steps/);
    const other = await kernel('package.json');
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toMatch(/STP1801/);
  });

  it('shows no control character of names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stp-kernel-names-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'named.ndjson');
    const text = await readFile(join(root, exports, 'proj-from-prop.must-reject.ndjson'), 'utf8');
    await writeFile(file, text.replaceAll('explosion_helper', 'a\\u001b[31m\\naccepted\\u009b\\u202e'));
    const { stdout } = await kernel(file);
    expect(stdout).toContain('a\\u{1B}[31m\\u{0A}accepted\\u{9B}\\u{202E}');
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    const json = await kernel(file, '--json');
    expect(json.stdout).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(json.stdout)).toMatchObject({ verdict: 'rejected' });
  });

  it('binds to a statement', async () => {
    const file = `${exports}/lex-prelude.ndjson.gz`;
    expect((await kernel(file, '--statement', `Nat.le_trans=${file}`)).exitCode).toBe(0);
    const wrong = await kernel(file, '--statement', `Nat.le_trans=${exports}/proj-from-prop.must-reject.ndjson`);
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stdout).toMatch(/rule: statement/);
  });
});
