/**
 * `stp verify FILE`: one verdict per row, in order and as rows come, and exit codes for scripts.
 * `verify-command.slow.ts` has the attacks, and the leftovers of a killed command.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { stp, stpWithoutRights } from '../support/stp.ts';
import { answersOf, fileOf, good, linesOf, sum } from './verify-rows.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-verify-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Its header defines what its statement is about. */
const own = (id: string, answer: number) => ({
  ...{ id, header: `import Init\n\nabbrev answer : Nat := ${answer}`, statement: 'theorem t : 1 + 1 = answer' },
});
const BAD = { id: 'bad', header: 'import Init', statement: 'theorem t : (1 : Nat) = 2', proof: '  rfl' };

describe('answers every row in its place', () => {
  const rows = [
    // The header of the library, by leaving it out.
    { id: 'twice', statement: 'theorem t : notb true = false', proof: '  rfl' },
    BAD,
    'nonsense',
    { ...good('twice'), more: 1 },
    { ...good('sorry'), proof: '  sorry' },
    { ...good('axiom'), header: 'axiom cheat : False' },
    good('twice'),
    { ...own('own', 2), proof: '  rfl' },
    { ...own('false', 3), proof: '  rfl' },
    { ...good('a\u001b[31m\u202e'), proof: '  omega' },
  ];
  const verdicts = [
    ...['proved', 'rejected', 'invalid', 'proved', 'sorry', 'header_error', 'proved'],
    ...['proved', 'rejected', 'proved'],
  ];

  it('as JSON, with what checked each proof', async () => {
    const { stdout, stderr, exitCode } = await stp(['verify', '--json', await fileOf(rows, directory)]);
    const answers = answersOf(stdout);
    expect(answers.map(({ id, verdict }) => [id, verdict])).toEqual(
      ['twice', 'bad', null, 'twice', 'sorry', 'axiom', 'twice', 'own', 'false', 'a\u001b[31m\u202e'].map(
        (id, index) => [id, verdicts[index]],
      ),
    );
    for (const answer of answers) {
      const isProved = answer.verdict === 'proved';
      expect(Object.keys(answer)).toEqual(['id', 'verdict', 'axioms', 'checks', 'message']);
      expect(answer.message === '').toBe(isProved);
      if (isProved)
        expect(answer.checks).toEqual(
          expect.arrayContaining([expect.objectContaining({ by: 'second kernel', outcome: 'accepted' })]),
        );
    }
    expect(answers[2]!.message).toBe('line 3: it is not JSON');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('10 rows: 5 proved, 2 rejected, 1 sorry, 1 header_error, 1 invalid by Lean');
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it('as lines for people, from standard input', { tags: ['slow'] }, async () => {
    const { stdout, exitCode } = await stp(['verify', '-'], { input: linesOf(rows) });
    const lines = String(stdout).split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(verdicts);
    expect(lines.at(-1)).toMatch(/^proved +a\\u\{1B\}\[31m\\u\{202E\}$/);
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(exitCode).toBe(2);
  });
});

it('ends with 0 if all rows were judged, with any verdicts', async () => {
  const { stdout, exitCode } = await stp(['verify', '--json', await fileOf([BAD, good('a')], directory)]);
  expect(answersOf(stdout)).toMatchObject([
    { verdict: 'rejected', checks: [], message: expect.stringMatching(/^1:2: /) },
    { verdict: 'proved', checks: expect.arrayContaining([expect.objectContaining({ by: 'object' })]), message: '' },
  ]);
  expect(exitCode).toBe(0);
});

it('says of every row why no Lean looked at it, and looks for none without a row', async () => {
  const env = { STP_LEAN: '/no/such/lean' };
  const { stdout, exitCode } = await stp(['verify', '--json', await fileOf([good('a'), 'nonsense', BAD], directory)], {
    env,
  });
  const infra = { verdict: 'infra', message: expect.stringContaining('/no/such/lean') };
  expect(answersOf(stdout)).toMatchObject([{ id: 'a', ...infra }, { verdict: 'invalid' }, { id: 'bad', ...infra }]);
  expect(exitCode).toBe(2);
  const empty = await stp(['verify', await fileOf([], directory)], { env });
  expect(empty).toMatchObject({ exitCode: 0, stdout: '', stderr: '0 rows' });
  const none = await stp(['verify', join(directory, 'none.jsonl')], { env });
  expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('there is no file') });
  expect((await stp(['verify', directory], { env })).exitCode).toBe(2);
});

it('says that a file cannot be read, exit 2', async () => {
  const path = join(directory, 'secret.jsonl');
  await writeFile(path, 'no row\n');
  await chmod(path, 0);
  const { stdout, stderr, exitCode } = await stpWithoutRights(['verify', path]);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toMatch(/^STP1002 .*: cannot read .*secret\.jsonl: .*permission denied/);
  expect(String(stderr).split('\n')).toHaveLength(2);
});

it('answers before the writer has closed standard input', { tags: ['slow'] }, async () => {
  const command = stp(['verify', '--json', '-'], { buffer: false, stdin: 'pipe' });
  onTestFinished(() => {
    command.kill('SIGKILL');
  });
  const lines = createInterface(command.stdout!)[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value as string) as unknown;
  command.stdin!.write(linesOf([good('first'), BAD]));
  expect(await next()).toMatchObject({ id: 'first', verdict: 'proved' });
  expect(await next()).toMatchObject({ id: 'bad', verdict: 'rejected' });
  command.stdin!.write(linesOf([good('second')]));
  expect(await next()).toMatchObject({ id: 'second', verdict: 'proved' });
  command.stdin!.end();
  expect((await command).exitCode).toBe(0);
});

it('does not wait for more than its time for a writer that does not end, and answers what it has read', {
  tags: ['slow'],
}, async () => {
  const loop = {
    ...good('loop'),
    statement: 'theorem t : (List.range 100000000).length = 3',
    proof: '  decide +kernel',
  };
  const command = stp(['verify', '--json', '--timeout', '15.5', '-'], { stdin: 'pipe' });
  command.stdin!.write(linesOf([loop, 'nonsense']));
  const { stdout, stderr, exitCode } = await command;
  // On a machine that is quick, the limits of a proof come first.
  expect(answersOf(stdout)).toMatchObject([{ id: 'loop', verdict: expect.not.stringMatching('proved') }, {}]);
  expect(stderr).toContain('the rest of the input was not read: the 15.5 seconds of this command are over');
  expect(exitCode).toBe(2);
});

it('says of each row of a file that the time was up', async () => {
  const rows = Array.from({ length: 700 }, (_, index) => sum(index));
  const { stdout, exitCode } = await stp(['verify', '--json', '--timeout', '1', await fileOf(rows, directory)]);
  const answers = answersOf(stdout);
  expect(answers.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  expect(answers.at(-1)).toMatchObject({ verdict: 'infra', message: expect.stringContaining('the 1 seconds') });
  expect(exitCode).toBe(2);
});

it('ends as a program does whose reader has gone', async () => {
  const command = stp(['verify', '-'], { stdin: 'pipe', buffer: false });
  command.stdout!.destroy();
  command.stdin!.write('nonsense\n');
  expect((await command).exitCode).toBe(141);
});
