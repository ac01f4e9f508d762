/** Returns the URI of a run that the user names by its folder, its URI, or its name in the worker's store. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { workerSettings } from '../../workers/settings.ts';

export function runUri(run: string): string {
  if (run.includes('://')) return run.replace(/\/+$/, '');
  if (existsSync(run) || run.includes('/')) return pathToFileURL(resolve(run)).href;
  return `${workerSettings().storeUri.replace(/\/+$/, '')}/${run}`;
}
