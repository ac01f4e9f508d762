/** The Temporal CLI for tests: on PATH, or installed into the project's cache once. */

import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { environmentWithoutOurBin } from '../../cli/temporal.ts';
import { findTemporal } from '../../infra/temporal/find.ts';
import { SEARCH_ATTRIBUTES } from '../../infra/temporal/search-attributes.ts';
import { workerSettings } from '../../workers/settings.ts';

export async function temporalCli(): Promise<string> {
  const { cacheDirectory } = workerSettings();
  return (await findTemporal({ cacheDirectory, install: true, environment: environmentWithoutOurBin() })).executable;
}

/** A server of its own, in memory, that knows our search attributes. */
export async function localServer(): Promise<TestWorkflowEnvironment> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const attributes = Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => [
    '--search-attribute',
    `${name}=${type}`,
  ]);
  return TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'existing-path', path: await temporalCli() }, extraArgs: attributes },
  });
}
