/** The Temporal CLI for tests: on PATH, or installed into the project's cache once. */

import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { environmentWithoutOurBin } from '../../cli/temporal.ts';
import { findTemporal, findTestServer } from '../../infra/temporal/find.ts';
import { SEARCH_ATTRIBUTES } from '../../infra/temporal/search-attributes.ts';
import { workerSettings } from '../../workers/settings.ts';

export async function temporalCli(): Promise<string> {
  const { cacheDirectory } = workerSettings();
  return (await findTemporal({ cacheDirectory, install: true, environment: environmentWithoutOurBin() })).executable;
}

/** The server whose clock jumps. */
export async function timeSkippingCli(): Promise<string> {
  const { cacheDirectory } = workerSettings();
  return (await findTestServer({ cacheDirectory, install: true })).executable;
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

/** `IndexedValueType` of Temporal's API. */
const ATTRIBUTE_TYPES: Readonly<Record<string, number>> = { Keyword: 2, Int: 3, Double: 4 };

/** As `localServer`, with a clock that jumps over every wait in which nobody works. */
export async function timeSkippingServer(): Promise<TestWorkflowEnvironment> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const path = await timeSkippingCli();
  const server = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  await server.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: Object.fromEntries(
      Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => [name, ATTRIBUTE_TYPES[type]!]),
    ),
  });
  return server;
}
