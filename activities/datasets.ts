/** Prepares a run: resolves its configuration, takes its statements, writes the SFT set. */
import { ApplicationFailure } from '@temporalio/activity';
import { z } from 'zod';
import { requireSameConfig, resolveConfig } from '../data/config/resolve.ts';
import { artifactRefSchema } from '../data/schemas/artifact.ts';
import { contentId } from '../data/schemas/ids.ts';
import type { Example, LibraryTheorem, Split, Statement } from '../data/schemas/records.ts';
import { type RunConfig, runConfigSchema, type StartInput, startInputSchema } from '../data/schemas/run-config.ts';
import { conjecturerTuples } from '../lean/library/extract.ts';
import { statementKey } from '../selfplay/dedupe.ts';
import { conjecturerExample, displayProof, proverExample } from '../selfplay/prompts.ts';
import { randomStream } from '../selfplay/random.ts';
import { dedupeExamples } from '../selfplay/select.ts';
import type { Ports } from './ports.ts';
import { once, writeRecords } from './record-files.ts';

export const preparedDataSchema = z.strictObject({
  /** Statements of the run; training reads these only. */
  train: artifactRefSchema,
  heldOut: artifactRefSchema,
  /** Hashes of the held-out statements up to names: the gate refuses a conjecture that is one of them. */
  heldOutKeys: artifactRefSchema,
  canaries: artifactRefSchema,
  sft: artifactRefSchema,
  counts: z.strictObject({
    libraryProofs: z.number(),
    searchedProofs: z.number(),
    conjecturerExamples: z.number(),
    /** Library theorems left out of the SFT set because they are a held-out statement up to names. */
    excludedForHeldOut: z.number(),
  }),
});
export type PreparedData = z.infer<typeof preparedDataSchema>;

/** Statements of one split, `max` of each set by a seeded choice, in the sets' own order. */
export async function takeStatements(
  ports: Pick<Ports, 'sources'>,
  config: RunConfig,
  split: Split,
  max: number | null,
): Promise<Statement[]> {
  const taken: Statement[] = [];
  for (const name of config.data.problemSets) {
    const statements: Statement[] = [];
    for await (const statement of ports.sources.problemSet(name))
      if (statement.split === split) statements.push(statement);
    const chosen = new Set(
      randomStream(config.seed, 'take', name, split)
        .shuffle(statements)
        .slice(0, max ?? statements.length),
    );
    taken.push(...statements.filter((statement) => chosen.has(statement)));
  }
  return taken;
}

/** Statements are longer than proofs: at half weight both roles have about the same share of the loss. */
const CONJECTURER_WEIGHT = 0.5;

/** Theorems this far apart in a file are still about the same thing. */
const NEIGHBOUR_DISTANCE_MAX = 5;

export function datasetActivities(ports: Ports) {
  return {
    /** Resolves the configuration and stores it as `config.json`. A run has one for good: another is STP1002. */
    async prepareRun(run: string, input: StartInput): Promise<RunConfig> {
      const { preset, rounds, seed, set } = startInputSchema.parse(input);
      const config = resolveConfig({ preset, set, flags: seed === undefined ? { rounds } : { rounds, seed } });
      const stored = await once(await ports.store(run), 'config.json', runConfigSchema, async () => config);
      requireSameConfig(run, stored, config);
      return stored;
    },

    /** Writes statements, canaries and the SFT set of the run. */
    async prepareData(run: string, config: RunConfig): Promise<PreparedData> {
      const store = await ports.store(run);
      return once(store, 'data/prepared.json', preparedDataSchema, async () => {
        const train = await takeStatements(ports, config, 'train', config.data.trainStatementsPerSetMax);
        if (train.length === 0)
          throw ApplicationFailure.nonRetryable('the problem sets hold no training statement', 'STP1501');
        const heldOutAll = await takeStatements(ports, config, 'held-out', null);
        const heldOutChosen = await takeStatements(ports, config, 'held-out', config.data.heldOutStatementsPerSetMax);
        const heldOutKeys = new Set(heldOutAll.map((statement) => statementKey(null, statement.statement)));
        const sft = await sftExamples(ports, config, heldOutKeys);
        return {
          train: await writeRecords(store, 'data/train/statements.jsonl', train),
          heldOut: await writeRecords(store, 'data/held-out/statements.jsonl', heldOutChosen),
          heldOutKeys: await writeRecords(store, 'data/held-out-keys.jsonl', [...heldOutKeys].sort()),
          canaries: await writeRecords(store, 'data/canaries.jsonl', ports.sources.canaries()),
          sft: await writeRecords(store, 'data/SFT/examples.jsonl', sft.examples),
          counts: sft.counts,
        };
      });
    },
  };
}

/**
 * SFT examples of both roles from the library: its own proofs, proofs found by the script search, and (lemma, earlier
 * theorem, later theorem) tuples for the conjecturer (STP §1.3). A proof that is one of several of its theorem shares
 * the weight among them.
 */
async function sftExamples(ports: Ports, config: RunConfig, heldOutKeys: ReadonlySet<string>) {
  const all = await ports.sources.libraryTheorems();
  const theorems = all.filter((theorem) => !heldOutKeys.has(statementKey(null, theorem.statement)));
  const byName = new Map<string, LibraryTheorem>(theorems.map((theorem) => [theorem.name, theorem]));
  const searched = new Map<string, string[]>();
  if (config.data.useSearchedProofs)
    for await (const row of ports.sources.searchedProofs()) {
      const theorem = byName.get(row.theorem);
      if (theorem && displayProof(theorem.proof) !== displayProof(row.proof))
        searched.set(row.theorem, [...(searched.get(row.theorem) ?? []), row.proof]);
    }
  const examples: Example[] = [];
  for (const theorem of theorems) {
    const further = searched.get(theorem.name) ?? [];
    examples.push(proverExample(theorem.statement, theorem.proof, 1));
    for (const proof of further) examples.push(proverExample(theorem.statement, proof, 1 / (1 + further.length)));
  }
  const proverCount = examples.length;
  examples.push(...conjecturerSet(theorems, config));
  const distinct = dedupeExamples(examples);
  return {
    examples: randomStream(config.seed, 'sft', contentId(...theorems.map((theorem) => theorem.id))).shuffle(distinct),
    counts: {
      libraryProofs: theorems.length,
      searchedProofs: proverCount - theorems.length,
      conjecturerExamples: distinct.length - proverCount,
      excludedForHeldOut: all.length - theorems.length,
    },
  };
}

/**
 * Conjecturer examples: (lemma, earlier theorem, later theorem) tuples, a seeded choice for each later theorem, and pairs
 * of near neighbours in a file with no lemma, which is how a seed is shown whose proof used none.
 */
function conjecturerSet(theorems: readonly LibraryTheorem[], config: RunConfig): Example[] {
  const random = randomStream(config.seed, 'tuples');
  const examples: Example[] = [];
  const add = (lemma: LibraryTheorem | null, easy: LibraryTheorem, hard: LibraryTheorem): void => {
    const input = { lemma: lemma?.statement ?? null, easyStatement: easy.statement, easyProof: easy.proof };
    examples.push(conjecturerExample(input, hard.statement, CONJECTURER_WEIGHT));
  };
  const ends = new Map<string, number>();
  for (const { lemma, easy, hard } of random.shuffle(conjecturerTuples(theorems))) {
    const taken = ends.get(hard.name) ?? 0;
    if (taken >= config.data.conjecturerExamplesPerTheoremMax) continue;
    ends.set(hard.name, taken + 1);
    add(lemma, easy, hard);
  }
  for (const [index, hard] of theorems.entries()) {
    const near = theorems
      .slice(Math.max(0, index - NEIGHBOUR_DISTANCE_MAX), index)
      .filter((easy) => easy.file === hard.file);
    for (const easy of random.shuffle(near).slice(0, config.data.conjecturerExamplesPerTheoremMax))
      add(null, easy, hard);
  }
  return examples;
}
