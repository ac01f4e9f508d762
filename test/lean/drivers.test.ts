/** The contract of the drivers, by `lean --json` and by the language server. The REPL's double, with its slow starts: `drivers.slow.ts`. */
import { rmSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDriver } from '../../lean/process/open-driver.ts';
import { describeDriver } from './driver-contract.ts';
import { coreEnvironment, scratchFolder } from './environment.ts';

/** Processes, one after the other, each of which takes as long as the machine has it take. */
vi.setConfig({ testTimeout: 180_000 });

describeDriver('json');
describeDriver('server');

test('a REPL is needed for the driver of its name', async () => {
  const environment = await coreEnvironment();
  const workingDirectory = scratchFolder();
  onTestFinished(() => rmSync(workingDirectory, { recursive: true, force: true }));
  expect(() => openDriver('repl', { environment, workingDirectory })).toThrow(
    expect.objectContaining({ code: 'STP1201' }),
  );
});
