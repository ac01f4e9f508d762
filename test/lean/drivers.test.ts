/** The contract of the drivers, by `lean --json` and by the language server. */
import { vi } from 'vitest';
import { describeDriver } from './driver-contract.ts';

/** Processes, one after the other, each of which takes as long as the machine has it take. */
vi.setConfig({ testTimeout: 180_000 });

describeDriver('json');
describeDriver('server');
