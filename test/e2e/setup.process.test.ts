/** `stp setup`, `stp doctor` and `stp clean` report what they found and did. Costs about 10 s if Lean is installed. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stp, stpWithoutRights } from '../support/stp.ts';

it('setup names Lean, Temporal and where they are', async () => {
  const result = await stp(['setup']);
  expect(result.exitCode, String(result.all)).toBe(0);
  expect(result.stdout).toMatch(/Temporal \d+\.\d+\.\d+ \(/);
  expect(result.stdout).toMatch(/Lean 4\.\d+\.\d+.* \(.*\): \//);
});

it('doctor says what is used, and lists every way to a Lean', async () => {
  const result = await stp(['doctor']);
  expect(result.exitCode, String(result.all)).toBe(0);
  for (const word of ['Node', 'disk', 'Temporal', 'STP_LEAN', 'PATH', 'elan', 'registry packages'])
    expect(result.stdout).toContain(word);
});

it('doctor fails where the Lean or the project that was named does not work', async () => {
  const result = await stp(['doctor'], {
    env: {
      STP_LEAN: '/bin/false',
      STP_LEAN_PROJECT: '/nonexistent/mathlib4',
      STP_CACHE: '/nonexistent/cache',
      PATH: '/usr/bin:/bin',
    },
  });
  expect(result.stdout).toContain('BAD  Lean');
  expect(result.stdout).toMatch(/BAD {2}project .*\/nonexistent\/mathlib4: there is no lean-toolchain/);
  expect(result.exitCode).toBe(1);
});

it('doctor and check say that the folder for scratch files cannot be written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stp-setup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'A.lean');
  await writeFile(file, 'theorem a : 1 = 1 := rfl\n');
  await chmod(folder, 0o555);
  const scratch = join(folder, 'below');
  const env = { STP_SCRATCH: scratch };
  const examined = await stpWithoutRights(['doctor'], { env });
  expect(examined.stdout).toMatch(new RegExp(`^BAD  scratch +cannot write to ${scratch}: .*STP_SCRATCH`, 'm'));
  expect(examined.exitCode).toBe(1);
  const checked = await stpWithoutRights(['check', file], { env });
  expect(checked.all).toMatch(new RegExp(`cannot write to ${scratch}: .*STP_SCRATCH`, 's'));
  expect(checked.all).not.toMatch(/^ +at /m);
  expect(checked.exitCode).toBe(2);
});

it('clean reports on a run that has left nothing', async () => {
  const result = await stp(['clean', 'no-such-run']);
  expect(result.exitCode).toBe(0);
  expect(result.stdout).toContain('0 processes of run no-such-run ended');
});
