/**
 * Tests `stp verify` on every attack, and that an interrupted one leaves nothing behind. Costs about two minutes.
 *
 * @module-tag slow
 */
import { globSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verdictKindSchema } from '@stp/config/records';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAttacks } from '../adversarial/attacks.ts';
import { stp } from '../support/stp.ts';
import { answersOf, fileOf, linesOf, sum } from './verify-rows.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-verify-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

it('proves none of the attacks, and an honest proof beside each', async () => {
  const attacks = readAttacks('proof');
  const rows = attacks.flatMap(({ name, header, statement, proof }, index) => [
    { id: name, header, statement, proof },
    sum(index),
  ]);
  const { stdout, exitCode } = await stp(['verify', '--json', await fileOf(rows, directory)]);
  const answers = answersOf(stdout);
  expect(answers.map(({ id, verdict, checks }) => [id, verdict, (checks as readonly unknown[]).length > 0])).toEqual(
    attacks.flatMap(({ name, expected }, index) => [
      [name, expected, false],
      [sum(index).id, 'proved', true],
    ]),
  );
  expect(verdictKindSchema.options).toEqual(expect.arrayContaining(answers.map(({ verdict }) => verdict)));
  expect(exitCode).toBe(0);
});

describe('leaves nothing', () => {
  const isMarked = (pid: number): boolean =>
    readdirSync('/proc').some((name) => {
      try {
        return (
          /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').includes(`STP_RUN_MARK=verify@${pid}.`)
        );
      } catch {
        return false;
      }
    });

  /** The command while it compiles proofs for another look, its input not at an end. */
  async function atWork() {
    const scratch = mkdtempSync(join(directory, 'scratch-'));
    const env = { STP_SCRATCH: scratch };
    const command = stp(['verify', '-'], { env, stdin: 'pipe' });
    command.stdin!.on('error', () => undefined);
    command.stdin!.write(linesOf(Array.from({ length: 60 }, (_, index) => sum(index))));
    await expect.poll(() => globSync(join(scratch, 'verify@*', 'confirm-*', '*'))).not.toEqual([]);
    await expect.poll(() => isMarked(command.pid!)).toBe(true);
    return { command, pid: command.pid!, scratch, env };
  }

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('at %s, and says so by its exit code', async (signal, code) => {
    const { command, pid, scratch } = await atWork();
    command.kill(signal);
    const { exitCode, stderr } = await command;
    expect(exitCode).toBe(code);
    expect(stderr).toContain(`ended by ${signal}`);
    expect(readdirSync(scratch)).toEqual([]);
    expect(isMarked(pid)).toBe(false);
  });

  it('of a command that was killed, once the next one has run', async () => {
    const { command, pid, scratch, env } = await atWork();
    command.kill('SIGKILL');
    await command;
    await expect.poll(() => isMarked(pid)).toBe(false);
    await stp(['verify', await fileOf([], directory)], { env });
    expect(readdirSync(scratch)).toEqual([]);
  });
});
