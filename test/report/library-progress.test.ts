/** What a report says of a compiled library: a sentence, areas and modules, each statement counted once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { summarySchema } from '@stp/config/records';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatherRun } from '../../activities/report/gather.ts';
import { MODULES_CSV } from '../../activities/report/library-progress.ts';
import { makeReport } from '../../activities/report/make-report.ts';
import { openRun } from '../../activities/report/open-run.ts';
import { type Plot, plotCsvName } from '../../activities/report/plot.ts';
import { summaryRows } from '../../activities/report/summary.ts';
import { makeRun } from './synthetic-run.ts';
import { firstFlaw } from './well-formed.ts';

const label = (module: string, area: string, set = 'core-part') => [set, area, module];
/** Five theorems of Lean, one of a project, and one of another kind of set. */
const LABELS = [
  label('Init.Data.List.Basic', 'List'),
  label('Init.Data.List.Lemmas', 'List'),
  label('Init.Data.List.Lemmas', 'List'),
  label('Init.Core', 'Core'),
  label('Init.Data.Nat.Basic', 'Nat'),
  label('Shelf.Lists', 'Lists', 'shelf'),
  ['nng', 'Addition', 'level 1'],
];

let directory: string;
let figures: Awaited<ReturnType<typeof gatherRun>>;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-library-progress-'));
  const { uri } = await makeRun(join(directory, 'run'), {
    statements: LABELS.map((_, index) => `theorem t${index} : ${index} = ${index}`),
    labels: LABELS,
    rounds: [
      {
        samples: 2,
        shards: [{ 0: 1, 1: 1, 2: 0, 3: 0, 4: 0, 5: 1, 6: 2 }],
        // The library of an assembled Lean has theorems without proofs.
        certified: {
          t0: { axioms: ['propext'] },
          t1: { axioms: ['List.map_map', 'propext'] },
        },
      },
      {
        samples: 2,
        shards: [{ 0: 1, 1: 1, 2: 0, 3: 1, 4: 0, 5: 0, 6: 0 }],
        certified: { t3: { axioms: ['Nat.add_comm'] }, t1: { axioms: ['List.map_map'] } },
      },
    ],
  });
  figures = await gatherRun({ ...(await openRun(uri)), losses: [] });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

it('counts by set, area and module, and what rests on nothing', () => {
  const { libraries } = summarySchema.parse({ ...figures.summary });
  expect(libraries).toEqual([
    {
      ...{ set: 'core-part', isCore: true, statements: 5, proved: 3, onAxiomsOnly: 1 },
      areas: [
        { area: 'Core', statements: 1, provedPerRound: [0, 1] },
        { area: 'List', statements: 3, provedPerRound: [2, 2] },
        { area: 'Nat', statements: 1, provedPerRound: [0, 0] },
      ],
    },
    {
      ...{ set: 'shelf', isCore: false, statements: 1, proved: 1, onAxiomsOnly: 1 },
      areas: [{ area: 'Lists', statements: 1, provedPerRound: [1, 1] }],
    },
  ]);
});

const SENTENCES = [
  "3 of 5 theorems of Lean's core library (the training part of core-part) proved again from their statements alone, on no assumption. 2 of these use theorems of the library below, whose proofs this Lean does not have.",
  '1 of 1 theorems of its project (the training part of shelf) proved again from their statements alone, on no assumption.',
];

it('says it at the end of a run', () => {
  const said = summaryRows(figures.summary).flatMap(([key, text]) => (key === 'library' ? [text] : []));
  expect(said).toEqual(SENTENCES);
});

describe('the report', () => {
  it('shows sentences, areas by round, and modules', async () => {
    const [page, ...files] = await makeReport([figures]);
    // The plot of the grown library lies in `report/library.csv`, and objects are written once.
    expect(MODULES_CSV).not.toBe(plotCsvName({ name: 'library' } as Plot));
    expect(firstFlaw(page!.text)).toBeNull();
    for (const sentence of SENTENCES) expect(page!.text).toContain(sentence);
    expect(page!.text).toContain('href="#library-progress"');
    expect(page!.text).toContain('<th scope="row">List</th><td class="number">3</td><td class="number">2</td>');
    expect(
      files
        .find(({ name }) => name === 'report/library-progress.csv')!
        .text.trimEnd()
        .split('\r\n'),
    ).toEqual([
      'set,area,module,statements,proved after round 0,proved after round 1',
      'core-part,Core,Init.Core,1,0,1',
      'core-part,List,Init.Data.List.Basic,1,1,1',
      'core-part,List,Init.Data.List.Lemmas,2,1,1',
      'core-part,Nat,Init.Data.Nat.Basic,1,0,0',
      'shelf,Lists,Shelf.Lists,1,1,1',
    ]);
  });

  it('says nothing of libraries where no statement comes from one', async () => {
    const { uri } = await makeRun(join(directory, 'other'), {
      ...{ statements: ['theorem a : 1 = 1'], labels: [['nng', 'Addition', 'level 1']] },
      rounds: [{ samples: 1, shards: [{ 0: 1 }] }],
    });
    const other = await gatherRun({ ...(await openRun(uri)), losses: [] });
    const files = await makeReport([other]);
    expect(other.summary.libraries).toBeUndefined();
    expect(files.map(({ name }) => name)).not.toContain('report/library-progress.csv');
    expect(files[0]!.text).not.toContain('library-progress');
  });
});
