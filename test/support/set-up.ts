/**
 * Before the first file that starts something: Lean, the library, the sandbox, both servers of Temporal and the workflows' bundle
 * are there. Where they are, this takes two seconds; in a checkout without a cache they are got here, once, and not within the
 * limits of the first tests that want them.
 */

import { libraryEnvironment } from '@stp/lean-explore/testing';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';
import { machineSandbox } from './sandbox.ts';
import { temporalCli, timeSkippingCli } from './temporal.ts';

export default async function setUp(): Promise<void> {
  const work = [
    libraryEnvironment().then(machineSandbox),
    temporalCli(),
    timeSkippingCli(),
    workflowBundle(workerSettings().cacheDirectory),
  ];
  // The tests that need what cannot be had fail by themselves, and say so; the others are not kept from running.
  for (const { status, reason } of (await Promise.allSettled(work)) as { status: string; reason?: unknown }[])
    if (status === 'rejected') console.error('not to be had here:', reason);
}
