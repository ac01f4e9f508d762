/** A place to install Temporal in, with nothing of this machine but its Python. */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

const NOWHERE = 'http://127.0.0.1:9/archive'; // port 9 (discard) is closed on any machine of today
const python = (await execa('python3', ['-c', 'import sys; print(sys.executable)'])).stdout;

export async function setUp(settings: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'stp-find-'));
  const wheels = join(folder, 'wheels');
  await mkdir(wheels);
  // Only what the test gives: no Temporal of this machine, no index, no configuration of pip.
  const environment = {
    PATH: `${dirname(python)}:/usr/bin:/bin`,
    PIP_CONFIG_FILE: '/dev/null',
    PIP_NO_INDEX: '1',
    PIP_FIND_LINKS: wheels,
    STP_TEMPORAL_DOWNLOAD: NOWHERE,
    ...settings,
  };
  return { folder, wheels, environment, cacheDirectory: join(folder, 'cache'), install: true };
}
