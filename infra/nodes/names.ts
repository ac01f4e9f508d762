/** The names of nodes and their queues, shared by workers, providers and start-up scripts. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { NodeSet } from './provider.ts';

/** Labels and names of Compute Engine have at most 63 characters, including what slices append. */
const SLUG_CHARS_MAX = 24;
const HASH_DIGITS = 8;
/** A run may be named after another run's machine, so the last hash before a generation ends the label. */
const NODE_NAME = /^(stp-[a-z0-9-]*-[0-9a-f]{8})-g\d+(?:-[a-z0-9]+)*$/;
const HASH_DIGIT = '[0-9a-f]';

/** Returns the label `stp-run` of everything that a run owns: readable and unique. */
export function runLabel(run: string): string {
  const slug = slugOf(run).slice(0, SLUG_CHARS_MAX).replace(/-+$/, '');
  return `stp-${slug}-${createHash('sha256').update(run).digest('hex').slice(0, HASH_DIGITS)}`;
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');

/**
 * May the label belong to a run of this name in any store? On machines a run's name includes its store (`localRunName`:
 * `RUN-` and the store's hash). A label has only the beginning of a long name, so long names with the same beginning
 * are not distinguished.
 */
export function mayBeLabelOf(label: string, run: string): boolean {
  const characters = [...`${slugOf(run)}-`, ...Array.from({ length: HASH_DIGITS }, () => HASH_DIGIT)];
  const slug = characters.slice(0, SLUG_CHARS_MAX).join('').replace(/-+$/, '');
  return new RegExp(`^stp-${slug}-${HASH_DIGIT}{${HASH_DIGITS}}$`).test(label);
}

/** Returns the name of a set of nodes. It is the same for every request, so a second one finds the first. */
export const nodeName = ({ run, generation }: NodeSet): string => `${runLabel(run)}-g${generation}`;

/** Returns the run's label in a resource's name, or null for a name that is not ours. */
export const runLabelOf = (name: string): string | null => NODE_NAME.exec(name)?.[1] ?? null;

/** Returns the queue of one machine of a cloud's or an inventory's node; the start-up script uses the same form. */
export const hostQueue = (node: string, index: number): string => `host/${node}/${index}`;

/** Returns the queue of this machine's worker: STP_HOST_QUEUE on nodes, otherwise named after the machine. */
export const ownHostQueue = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment.STP_HOST_QUEUE || `stp/host/${hostname()}`;
