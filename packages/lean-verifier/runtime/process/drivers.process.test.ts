/** The contract of the drivers, by `lean --json` and by the language server. */
import { vi } from 'vitest';
import { describeDriver } from '../../testing/driver-contract.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

describeDriver('json');
describeDriver('server');
