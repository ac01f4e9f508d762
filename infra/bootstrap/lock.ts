/**
 * `node infra/bootstrap/lock.ts [ENVIRONMENT...]` writes `locks/ENVIRONMENT.txt`: all packages that an environment of
 * `pins.json` needs, each at one version, so later nodes get the same packages. Needs uv on PATH. Run it after changing
 * a pin, and test the result.
 */
import { writeFile } from 'node:fs/promises';
import { execa } from 'execa';
import { lockPath, readPins } from './script.ts';

/** Platform of nodes: Ubuntu 22.04 or later on x86-64. libtpu has wheels for nothing older than glibc 2.31. */
const PLATFORM = 'x86_64-manylinux_2_35';

const { python, environments } = readPins();
const asked = process.argv.slice(2);
for (const [name, { packages }] of Object.entries(environments)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const options = ['--prerelease', 'allow', '--no-annotate', '--no-header', '--quiet'];
  const target = ['--python-version', python.version, '--python-platform', PLATFORM];
  const { stdout } = await execa('uv', ['pip', 'compile', ...options, ...target, '-'], { input: packages.join('\n') });
  await writeFile(lockPath(name), `# Made by infra/bootstrap/lock.ts.\n${stdout.trim()}\n`);
  console.log(`${name}: ${stdout.trim().split('\n').length} packages`);
}
