/**
 * The fast tier, in two projects: files that keep to themselves share processes, which are made and filled with modules once;
 * every other file has a process of its own. Tests with the tag `slow` are left out by `npm test`; a file that is named on
 * vitest's own command line runs with them.
 */
import './test/support/compile-cache.ts';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SLOW } from './test/support/slow-tag.ts';

/**
 * No Lean, no server of Temporal, no process, no mocked module, no variable of the environment that is set: what such a file
 * leaves behind is nothing that another could see.
 */
const SHARED = [
  'test/activities/{certified-parts,conjecture,edge,every-node,external-sort,held-out,plan,provision}.test.ts',
  'test/activities/{release-closed,retention,select,take-over,verdict-parts}.test.ts',
  'test/data/{declaration-head,leandojo,llmstep-text,printable,search-results,turns}.test.ts',
  'test/e2e/verify-windows.test.ts',
  'test/evaluation/{pass-at-k,run-folders}.test.ts',
  'test/data/round-cost.test.ts',
  'test/experiments/curves.test.ts',
  'test/experiments/objectives.test.ts',
  'test/infra/nodes/{meeting-place,names}.test.ts',
  'test/kernel/{agreement,curriculum,export,faults,fuzz,hostile,inductive,levels,mutants,quotient,rules,special-names,taken-names}.test.ts',
  'test/lean/{cache-files,check-backlog,drivers-protocol,goal-text,header-parts,print-tokens,screen,tokenizer}.test.ts',
  'test/lean-serve/{check-batch,check-snippet,remote-session}.test.ts',
  'test/library/{grown-text,no-leak,scan}.test.ts',
  'test/model/{checkpoint,choose-token,embedding,inner-products,llama-folder,process-parts}.test.ts',
  'test/model/{safetensors,sample-text,sampler,tokenizer}.test.ts',
  'test/model-training/{decoder,gradients,optimizer,parts,sizes}.test.ts',
  'test/problems/{loaders,row-text,tip-goal}.test.ts',
  'test/retrieval/retrieval.test.ts',
  'test/report/{measures,report,write-report}.test.ts',
  'test/selfplay/{config,conjecturer-set,dedupe,guide,presets,prompts,seeds,selection,transport}.test.ts',
  'test/selfplay/formats/opens.test.ts',
  'test/selfplay/{retrieval,search}/*.test.ts',
  'test/simulation/*.test.ts',
  'test/toolchain/{convert,elf-symbols,names}.test.ts',
  'test/trainers/levanter.test.ts',
  'test/workers/{run-together,settings}.test.ts',
];

/** Files of half a minute and more: they start first, so that none of them runs alone at the end. */
const LONG = [
  'lean/verifier',
  'adversarial/adversarial',
  'e2e/verify-command',
  'workflows/selfplay',
  'e2e/check-command',
  'workflows/cloud-nodes',
  'lean/drivers',
  'lean-serve/faults',
  'differential/differential',
  'workflows/full-disk',
  'activities/library',
  'docs/guides',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONG.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
      return found === -1 ? LONG.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    // Lean, Temporal and training each want a core, and half of the time a file waits for them: one more than the two cores
    // this is measured on. More only make every one slower.
    maxWorkers: 3,
    tags: [SLOW],
    testTimeout: 60_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    // What comes at once on an idle machine may take long on one that stands still; vitest's own limit is one second.
    expect: { poll: { timeout: 50_000 } },
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'own',
          include: ['test/**/*.test.ts'],
          exclude: SHARED,
          globalSetup: 'test/support/set-up.ts',
        },
      },
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
    ],
  },
});
