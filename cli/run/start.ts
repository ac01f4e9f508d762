/**
 * `stp start`: turns run options into the workflow's input and passes everything else to the Temporal CLI (`temporal
 * workflow start stp-selfplay`), which knows addresses, TLS, API keys and profiles.
 */

import { StpError } from '@stp/base';
import { suggestion } from '@stp/config';
import { execa } from 'execa';
import { requireAnswer } from '../../infra/temporal/answer.ts';
import { workerSettings } from '../../workers/settings.ts';
import { CONTROL_QUEUE, SELFPLAY_TYPE, selfplayWorkflowId } from '../../workflows/control/contracts.ts';
import { freshRunName, type RunOptions, runSummary, startInput } from '../shared/options.ts';
import { environmentWithoutOurBin, temporalExecutable } from './temporal.ts';
import { addressOfCommand } from './temporal-address.ts';
import { splitTemporalFlags, TEMPORAL_FLAGS } from './temporal-flags.ts';

/** Maximum wait for a running server, which answers within one or two round trips. */
const ANSWER_MS_MAX = 3_000;

const OWN_FLAGS = [
  '--rounds',
  '--preset',
  '--seed',
  '--set',
  '--config',
  '--init-from',
  '--from-round',
  '--run',
  '--help',
];

/** @param words arguments that are not our options: Temporal's own, or mistakes */
export async function start(options: RunOptions & { run?: string }, words: readonly string[]): Promise<number> {
  const { temporal, given, values, unknown } = splitTemporalFlags(words);
  const [stranger] = unknown;
  if (stranger !== undefined)
    throw new StpError(
      'STP1002',
      `unknown option "${stranger.slice(0, 100)}"${suggestion(stranger.split('=')[0]!, [...OWN_FLAGS, ...TEMPORAL_FLAGS])}`,
      'See --help; options of `temporal workflow start` pass through.',
    );
  const { input } = startInput(options);
  const run = options.run ?? freshRunName(input.preset);
  const defaults: [string, string][] = [
    ['task-queue', CONTROL_QUEUE],
    ['workflow-id', selfplayWorkflowId(run)],
    ['static-summary', runSummary(input)],
  ];
  const address = addressOfCommand(values, given);
  // Checked before the CLI is searched or installed; the CLI itself would take ten seconds to report it.
  if (address !== null) await requireAnswer(address, ANSWER_MS_MAX);
  const found = await temporalExecutable(workerSettings(), (line) => console.error(line));
  const result = await execa(
    found.executable,
    [
      'workflow',
      'start',
      '--type',
      SELFPLAY_TYPE,
      '--input',
      JSON.stringify(input),
      ...defaults.filter(([name]) => !given.has(name)).flatMap(([name, value]) => [`--${name}`, value]),
      ...temporal,
    ],
    { stdio: 'inherit', reject: false, env: environmentWithoutOurBin(), extendEnv: false },
  );
  return result.exitCode ?? 1;
}
