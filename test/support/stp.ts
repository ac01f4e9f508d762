/** Runs `bin/stp` as a person would, and the smallest run that still goes through every stage. */
import { join } from 'node:path';
import { execa, type Options } from 'execa';

export const REPOSITORY = join(import.meta.dirname, '../..');
export const STP = join(REPOSITORY, 'bin', 'stp');

export function stp(args: readonly string[], options: Options = {}) {
  return execa(STP, args, { cwd: REPOSITORY, reject: false, all: true, ...options });
}

/** The same without root's right to pass by the modes of files. */
export function stpWithoutRights(args: readonly string[], options: Options = {}) {
  const drop = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'] : ['env'];
  return execa(drop[0]!, [...drop.slice(1), STP, ...args], { cwd: REPOSITORY, reject: false, all: true, ...options });
}

/** A model of 60,000 weights on a dozen statements: half a minute with one round. */
export const TINY_RUN: readonly string[] = [
  ...['--preset', 'smoke', '--rounds', '1', '--seed', '3'],
  ...['--config', join(REPOSITORY, 'examples', 'smoke-run', 'run.json')],
];

/** The same on problems whose conjectures, explored and written, are ranked, proved first and become lemmas: a minute and a half. */
export const GROWING_RUN: readonly string[] = [
  ...TINY_RUN,
  ...settings({
    'data.problemSets': '["isaplanner"]',
    library: 'grow',
    'prover.lemmas': 'marked',
    'prover.scripts': 'unproved',
    'conjectures.source': 'both',
    'conjectures.rankedShare': 0.5,
    'conjectures.reward.kind': 'use',
    'conjectures.conditionOn.kind': 'unproved-target',
  }),
];

/** `--set` for each. */
export function settings(values: Readonly<Record<string, string | number | boolean>>): string[] {
  return Object.entries(values).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
}
