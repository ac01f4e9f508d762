/** Runs a command on a node. The workflow `workflows/nodes/every-node.ts` runs this on every node. */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND_SECONDS_MAX } from '@stp/config';
import { CappedLog, ProcessGroup } from '@stp/language-model';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import type { RunMark, RunScratch } from '../ports.ts';

const ARGUMENTS_MAX = 256;
const ARGUMENT_CHARS_MAX = 16_384;
const VARIABLES_MAX = 64;
/** Length of the ends of outputs in a result, in UTF-16 units. The node keeps the whole output up to the log's cap. */
export const OUTPUT_CHARS_MAX = 16_384;

const MILLISECONDS = 1_000;

export const nodeCommandSchema = z.strictObject({
  run: z.string().min(1).max(200),
  /** Program and arguments; no shell interprets them. */
  command: z.array(z.string().max(ARGUMENT_CHARS_MAX)).min(1).max(ARGUMENTS_MAX),
  /** Added to the part of the worker's environment that a command gets: paths and devices, no keys. */
  environment: z
    .record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().max(ARGUMENT_CHARS_MAX))
    .refine((variables) => Object.keys(variables).length <= VARIABLES_MAX, `at most ${VARIABLES_MAX} variables`)
    .default({}),
  timeoutSeconds: z.number().positive().max(COMMAND_SECONDS_MAX),
  /**
   * Length of each output in the result, in UTF-16 units. The results of a fleet share the size limit of one workflow.
   */
  outputCharsMax: z.int().min(0).max(OUTPUT_CHARS_MAX).default(OUTPUT_CHARS_MAX),
});
export type NodeCommand = z.input<typeof nodeCommandSchema>;

export interface CommandResult {
  /** Name of the node. */
  readonly node: string;
  /** Null if a signal ended the process. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** The last characters of standard output and standard error, in order of arrival. */
  readonly output: string;
  readonly seconds: number;
  /** File on the node with the whole output, up to a cap. */
  readonly logPath: string;
}

export function runOnNodeActivity(ports: RunScratch & RunMark) {
  return {
    /**
     * Runs a command in a folder of the run and reports how it ended, successfully or not. It runs at most once,
     * because only the caller knows whether a repetition is harmless. Cancelling ends the command and all processes
     * that it started.
     */
    async runOnNode(asked: NodeCommand): Promise<CommandResult> {
      const { run, command, environment, timeoutSeconds, outputCharsMax } = nodeCommandSchema.parse(asked);
      return withHeartbeat(async (signal, report) => {
        const directory = await ports.scratch(run);
        const log = new CappedLog(join(directory, 'commands', `${randomBytes(6).toString('hex')}.log`));
        const started = performance.now();
        const group = await ProcessGroup.start(command, {
          environment: { ...environment, STP_RUN: run },
          directory,
          runMark: ports.runMark(run),
        });
        const ended = new AbortController();
        const limits = AbortSignal.any([signal, ended.signal]);
        const timeout = sleep(timeoutSeconds * MILLISECONDS, 'timeout' as const, { signal: limits }).catch(
          () => 'cancelled' as const,
        );
        try {
          report({ pid: group.pid, log: log.path });
          group.child.stdin!.end();
          log.take(group.child.stdout!);
          log.take(group.child.stderr!);
          const first = await Promise.race([group.exited, timeout]);
          signal.throwIfAborted();
          // Background processes must not outlive the command, and they keep its outputs open.
          await group.end();
          const { code, signal: endedBy } = await group.exited;
          return {
            node: hostname(),
            exitCode: code,
            signal: endedBy,
            timedOut: first === 'timeout',
            output: outputCharsMax === 0 ? '' : log.tail.slice(-outputCharsMax),
            seconds: (performance.now() - started) / MILLISECONDS,
            logPath: log.path,
          };
        } finally {
          ended.abort();
          await group.end();
          await log.close();
        }
      });
    },
  };
}
