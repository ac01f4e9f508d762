/**
 * A run that an earlier version began goes on under this one: the earlier version is taken from the repository's history, starts
 * a small run with real Lean, and is killed in a round. Recorded histories are replayed by test/workflows/replay.process.test.ts; what
 * cannot go on is refused (test/workers/followable.process.test.ts). Costs about two minutes, as a whole run does.
 *
 * @module-tag slow
 */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { summarySchema } from '@stp/config/records';
import { execa } from 'execa';
import { afterAll, expect, it, vi } from 'vitest';
import { REPOSITORY, stp, TINY_RUN } from '../support/stp.ts';

vi.setConfig({ testTimeout: 1_500_000 });

/** The version before this one: the last commit before runs had accounts and trackers. */
const BEFORE = '7c018b03ff01b33409a551a279406f580c1142a5';
const isThere =
  (await execa('git', ['cat-file', '-e', `${BEFORE}^{commit}`], { cwd: REPOSITORY, reject: false })).exitCode === 0;
if (!isThere)
  console.log(`skipped: a run of the version before (commit ${BEFORE} is not in this copy of the repository)`);

const directory = await mkdtemp(join(tmpdir(), 'stp-upgrade-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

it.skipIf(!isThere)('a run of the version before goes on', async () => {
  const before = join(directory, 'before');
  await mkdir(before);
  const { stdout: archive } = await execa('git', ['archive', BEFORE], { cwd: REPOSITORY, encoding: 'buffer' });
  await execa('tar', ['--extract', '--directory', before], { input: archive });
  await symlink(join(REPOSITORY, 'node_modules'), join(before, 'node_modules'));
  const run = join(directory, 'runs', 'run');
  const command = ['selfplay', ...TINY_RUN, '--run-dir', run];
  const env = { STP_CACHE: join(REPOSITORY, '.cache') };
  const began = execa(process.execPath, [join(before, 'cli', 'main.ts'), ...command], {
    cwd: before,
    env,
    all: true,
    reject: false,
    cleanup: true,
  });
  const isInRound = async (): Promise<boolean> => {
    const names = await readdir(join(run, 'rounds'), { recursive: true }).catch(() => []);
    return names.some((name) => name.endsWith('verified.json'));
  };
  let end: string | null = null;
  void began.then(({ all }) => {
    end = String(all);
  });
  while (!(await isInRound())) {
    if (end !== null) throw new Error(`the version before never got to a round: ${end}`);
    await sleep(100);
  }
  began.kill('SIGKILL');
  await began;

  const goneOn = await stp(command, { env });
  expect([goneOn.exitCode, String(goneOn.all)]).toEqual([
    0,
    expect.stringContaining('taking up the run where it was left'),
  ]);
  const summary = summarySchema.parse(JSON.parse(await readFile(join(run, 'summary.json'), 'utf8')));
  expect(summary.rounds.map(({ round, skipped }) => [round, skipped])).toEqual([
    [0, false],
    [1, false],
  ]);
  expect(summary.provedBaseline).toBeGreaterThan(0);
  expect(summary.proofsInFile).toBeGreaterThan(0);
});
