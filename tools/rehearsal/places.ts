/** Folders of a rehearsal. State that must not outlive a restart of this machine is under `/run`. */
import { join } from 'node:path';
import { workerSettings } from '../../workers/settings.ts';

/** Machines' disks, and keys. */
export const STATE = '/run/stp-rehearsal';
const CACHE = workerSettings().cacheDirectory;
/** Temporal's server, built once. */
export const BUILDS = join(CACHE, 'temporal-server');
export const CACHE_FOLDER = CACHE;
/** One folder for each rehearsal, with logs, plans and results. */
export const RECORDS = join(CACHE, 'rehearsals');

/** Mount point of this checkout and its cache on the machines. */
export const SEEN_REPOSITORY = '/mnt/stp';
export const SEEN_CACHE = '/mnt/cache';
export const SEEN_NODE = `${SEEN_REPOSITORY}/node_modules/node/bin/node`;
/** Mount point of each machine's own disk. */
export const SEEN_DISK = '/mnt/disk';
