/** The contract of the drivers, by the protocol of the REPL: a double of it, which starts real Lean for every command. */
import { describeDriver } from './driver-contract.ts';

describeDriver('repl');
