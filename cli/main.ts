/**
 * `bin/stp`: the command line. Exit codes: 0 success, 1 the work failed or was rejected, 2 the work could not start.
 */

import { printableText, StpError } from '@stp/base';
import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addCheckCommand } from './commands/check.ts';
import { addDataCommands } from './commands/data.ts';
import { addEvaluationCommands } from './commands/eval.ts';
import { addInstallationCommands } from './commands/installation.ts';
import { addJudgeCommands } from './commands/judge.ts';
import { addKernelCommand } from './commands/kernel.ts';
import { addLeanCommands } from './commands/lean.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addNodesCommands } from './commands/nodes.ts';
import { addRetrieveCommands } from './commands/retrieve.ts';
import { addRunCommands } from './commands/run.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSuggestCommands } from './commands/suggest.ts';
import { addVerifierCommands } from './commands/verifier.ts';
import { addVerifyCommand } from './commands/verify.ts';
import { addWeightsCommands } from './commands/weights.ts';
import { endWithOutput } from './shared/output-closed.ts';
import { Stopped } from './shared/stop-signals.ts';

const program = new Command('stp')
  .description(
    'A self-play theorem prover for Lean 4. It finds conjectures, proves them, and uses the proved ones as lemmas. Lean and a second kernel decide what is proved.',
  )
  .version(manifest.version)
  .showHelpAfterError('(add --help for the options)')
  .configureHelp({ showGlobalOptions: true })
  .exitOverride();

addRunCommands(program);
addCheckCommand(program);
addDataCommands(program);
addEvaluationCommands(program);
addVerifyCommand(program);
addMcpCommand(program);
addJudgeCommands(program);
addWeightsCommands(program);
addServeCommand(program);
addInstallationCommands(program);
addLeanCommands(program);
addNodesCommands(program);
addKernelCommand(program);
addRetrieveCommands(program);
addVerifierCommands(program);
addSuggestCommands(program);

endWithOutput();

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // commander has already printed the problem; help and version are not errors
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else if (error instanceof StpError) {
    console.error(printableText(error.toText()));
    process.exitCode = error.code === 'STP1001' || error.code === 'STP1002' || error.code === 'STP1102' ? 2 : 1;
  } else if (error instanceof Stopped) {
    console.error(error.message);
    process.exitCode = error.exitCode;
  } else {
    console.error(error);
    process.exitCode = 1;
  }
}
