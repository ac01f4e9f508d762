/** Folders of a rehearsal. What must not outlive a restart of this machine is under `/run`. */
import { join } from 'node:path';
import { workerSettings } from '../../workers/settings.ts';

/** Disks of machines, keys. */
export const STATE = '/run/stp-rehearsal';
const CACHE = workerSettings().cacheDirectory;
/** Temporal's server, built once. */
export const BUILDS = join(CACHE, 'temporal-server');
export const CACHE_FOLDER = CACHE;
/** One folder a rehearsal: logs, plans, results. */
export const RECORDS = join(CACHE, 'rehearsals');

/** Where machines see this checkout and its cache, whatever is hidden of the rest. */
export const SEEN_REPOSITORY = '/mnt/stp';
export const SEEN_CACHE = '/mnt/cache';
export const SEEN_NODE = `${SEEN_REPOSITORY}/node_modules/node/bin/node`;
/** Where each sees its own disk. */
export const SEEN_DISK = '/mnt/disk';
