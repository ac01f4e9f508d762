/** Answers do not show folders of this machine, and give readable times. Real Lean. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { StpError } from '@stp/base';
import { describe, expect, it } from 'vitest';
import { DRIVER_NAMES } from '../testing/drivers.ts';
import { coreEnvironment, scratchFolder } from '../testing/environment.ts';
import { check, serveLean } from '../testing/served.ts';
import type { LeanEnvironment } from '../verifier.ts';
import { hidePathsOf } from './private-paths.ts';
import { serviceErrorOf } from './service-error.ts';

/** A search path with an invalid module, below a link. */
async function environmentWith(): Promise<{ environment: LeanEnvironment; secret: string[] }> {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'as-it-lies'));
  writeFileSync(join(folder, 'as-it-lies', 'Damaged.olean'), 'no module');
  symlinkSync(join(folder, 'as-it-lies'), join(folder, 'as-it-is-named'));
  const core = await coreEnvironment();
  const environment = { ...core, searchPath: [join(folder, 'as-it-is-named')] };
  const lean = [core.executable, realpathSync(core.executable)].map((path) => dirname(dirname(path)));
  return { environment, secret: [folder, ...lean] };
}

describe.each(DRIVER_NAMES)('with the driver %s', (driver) => {
  it('no answer names a folder of the machine', async () => {
    const { environment, secret } = await environmentWith();
    const { server } = await serveLean({ driver, environment });
    const results = await check(server, [
      'import Nowhere.AtAll\ntheorem a : 1 = 1 := rfl',
      'import Damaged\ntheorem a : 1 = 1 := rfl',
      'import Init\nimport Damaged.Below\ntheorem a : 1 = 1 := rfl',
      'theorem a : 1 = 2 := rfl',
    ]);
    const text = JSON.stringify(results);
    for (const path of secret) expect(text).not.toContain(path);
    expect(results[0]?.response?.messages?.[0]?.data).toContain('Nowhere');
    expect(text).toContain('<LIBRARY>');
  });

  it('times are told as a person would', async () => {
    const { server } = await serveLean({ driver });
    const tiny = { timeout: 1.0000000000000003e-9, cpu_timeout: 1.0000000000000003e-9, debug: true };
    const results = await check(server, ['theorem a : 1 = 1 := by decide'], tiny);
    const odd = await check(server, ['theorem a : 1 = 1 := by decide'], { timeout: 0.0123456789012, debug: true });
    const text = JSON.stringify([results, odd]);
    expect(results[0]?.error).toMatch(/timed out in 0\.001 seconds/);
    // A time has at most six digits after the point; numbers of processes are not times.
    expect(text.replaceAll(/"repl_uuid":"[^"]*"/g, '')).not.toMatch(/\d\.\d{7,}|\de-\d/);
  });
});

describe('texts', () => {
  const hide = hidePathsOf({ executable: '/opt/lean/bin/lean', searchPath: ['/srv/library', 'relative'] }, [
    '/srv/scratch (1)/a+b',
    '/srv',
  ]);

  it.each([
    ["object file '/opt/lean/lib/lean/X.olean' of module X", "object file '<LEAN>/lib/lean/X.olean' of module X"],
    ['/srv/library:/srv/scratch (1)/a+b/c', '<LIBRARY>:<SERVICE>/c'],
    ['file:///srv/library/A.lean is in /srv.', 'file://<LIBRARY>/A.lean is in <SERVICE>.'],
    [`${homedir()}/.elan`, '<HOME>/.elan'],
    ['a /srvx b x/srv /srv-2 1/2 ⟨/⟩', 'a /srvx b x/srv /srv-2 1/2 ⟨/⟩'],
  ])('%s', (text, shown) => {
    expect(hide(text)).toBe(shown);
  });

  it('errors of ours are told without paths', () => {
    const told = (code: 'STP1203' | 'STP1401'): unknown =>
      serviceErrorOf(new StpError(code, 'cannot write /srv/library/x', 'Free space.'), () => {}, hide).detail;
    expect(told('STP1203')).toBe('STP1203: cannot write <LIBRARY>/x. Try again.');
    expect(told('STP1401')).toBe('STP1401: cannot write <LIBRARY>/x');
  });
});
