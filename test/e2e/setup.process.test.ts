/** `stp setup`, `stp doctor` and `stp clean` report what they found and did. Costs about 10 s if Lean is installed. */
import { expect, it } from 'vitest';
import { stp } from '../support/stp.ts';

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

it('clean reports on a run that has left nothing', async () => {
  const result = await stp(['clean', 'no-such-run']);
  expect(result.exitCode).toBe(0);
  expect(result.stdout).toContain('0 processes of run no-such-run ended');
});
