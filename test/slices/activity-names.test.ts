/** The loop takes a method's activities by their names: each name that a method says is an activity of the queue that it says. */
import { conjecturerIn, type ProverConfig, proverIn, type RunConfig } from '@stp/config';
import { expect, it } from 'vitest';
import { createHostActivities, createLeanActivities } from '../../activities/index.ts';
import type { Ports } from '../../activities/ports.ts';

/** Every one: the type says so. */
const PROVERS: Readonly<Record<ProverConfig['mode'], true>> = {
  ...{ whole: true, revise: true, steps: true, both: true, walks: true, judged: true, scripts: true },
};
const CONJECTURERS: Readonly<Record<RunConfig['conjectures']['source'], true>> = {
  ...{ none: true, model: true, explore: true, decode: true, both: true, random: true },
};
const ports = {} as Ports;
const NAMES = {
  host: Object.keys(createHostActivities(ports)),
  lean: Object.keys(createLeanActivities(ports)),
};

it.each(Object.keys(PROVERS) as ProverConfig['mode'][])('the prover %s names activities that there are', (mode) => {
  const turns = proverIn({ mode }).turns({ mode, revision: { turns: 1 } } as ProverConfig);
  expect(turns.length).toBeGreaterThan(0);
  for (const { activity, queue } of turns) expect(NAMES[queue]).toContain(activity);
});

it.each(Object.keys(CONJECTURERS) as RunConfig['conjectures']['source'][])(
  'the conjecturer %s names activities that there are',
  (source) => {
    const { before, after, isLearned } = conjecturerIn({ source });
    for (const turn of [before, after]) if (turn !== null) expect(NAMES.lean).toContain(turn.activity);
    if (source !== 'none') expect(isLearned || after !== null).toBe(true);
  },
);
