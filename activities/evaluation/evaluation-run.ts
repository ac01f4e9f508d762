/** An evaluation of its own (`stp-evaluate`): its statements and model into its folder, its log and figures out of it. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import {
  formatOf,
  type RunConfig,
  requireSameConfig,
  resolveConfig,
  runConfigSchema,
  writesTactics,
} from '@stp/config';
import {
  type ArtifactRef,
  artifactRefSchema,
  costOf,
  type EvaluatedStatements,
  type EvaluateInput,
  type EvaluationFiles,
  type EvaluationGroup,
  type EvaluationPlan,
  type EvaluationReport,
  evaluateInputSchema,
  evaluationPlanSchema,
  expansionSchema,
  type ObjectStore,
  provedSchema,
  type ShardResult,
  type Statement,
  statementSchema,
  sumSearches,
  sumTokens,
  sumVerdicts,
} from '@stp/config/records';
import { STATE_MARKER } from '@stp/config/words';
import { modelIn } from '@stp/language-model';
import { PORTFOLIO_VERSION } from '@stp/lean-explore';
import { blockEstimate, budgetsFor, passAtK, randomStream, refusal } from '@stp/selfplay';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import type { Ports } from '../ports.ts';
import { theoremKeys } from '../prover-forms.ts';
import { once, readAll, readJson, readRecords, writeRecords } from '../records/record-files.ts';
import { wallsOf, whyIneligible } from '../round/certificate-record.ts';
import { type GrownRecord, grownTheorems, libraryAfter } from '../round/library.ts';
import { PORTFOLIO } from '../round/portfolio.ts';
import { describeRounds, lastRound, stateName } from '../run/finished-rounds.ts';
import { lastManifest } from '../run/history.ts';
import { runStateSchema } from '../run/run-state.ts';
import { nameOfRun } from '../run/take-over.ts';
import { storeCheckpoint, uploadsIn } from '../training/checkpoints.ts';
import { outcomesOf, planShards } from './evaluate.ts';
import { type JudgedSample, logRecords, writeEvaluationLog } from './evaluation-log.ts';
import { judgedSamples, type StatementTally, tallyShards } from './evaluation-shards.ts';
import { EVALUATION_SUBJECT, evaluationSubjectSchema, requireSameSubject } from './evaluation-subject.ts';
import { SEARCH_RESULTS, searchArguments, searchResults } from './search-results.ts';

const LABELS_MAX = 16;

export interface WriteEvaluationInput {
  readonly run: string;
  readonly input: EvaluateInput;
  readonly plan: EvaluationPlan;
  readonly shards: readonly ShardResult[];
  /** Certified proofs. */
  readonly proved: ArtifactRef;
}

const filesSchema = z.strictObject({ evaluation: artifactRefSchema, log: artifactRefSchema });

export function evaluationRunActivities(ports: Ports) {
  return {
    /**
     * Takes the model and the statements into the evaluation's folder. An evaluation has one configuration, model and
     * split for good: others are STP1002.
     */
    async prepareEvaluation(run: string, input: EvaluateInput): Promise<EvaluationPlan> {
      const { preset, seed, set, checkpoint: directory, ...asked } = evaluateInputSchema.parse(input);
      const { split, nameFilter, theorems, library } = asked;
      const wanted = resolveConfig({ preset, set, flags: seed === undefined ? {} : { seed } });
      const store = await ports.store(run);
      return withHeartbeat(async (signal, onProgress, earlier) => {
        const uploads = uploadsIn(earlier);
        const config = await once(store, 'config.json', runConfigSchema, async () => wanted);
        requireSameConfig(run, config, wanted);
        const isPortfolio = directory === PORTFOLIO;
        if (writesTactics(config.prover.mode) && config.prover.slots) await requireStates(directory);
        const model = isPortfolio ? PORTFOLIO : await modelIn(directory);
        const subject = await once(store, EVALUATION_SUBJECT, evaluationSubjectSchema, async () => ({
          checkpoint: isPortfolio
            ? { manifest: await storePortfolio(store), model }
            : await storeCheckpoint(store, 'model', directory, { signal, uploads, onProgress }),
          split,
          nameFilter,
          theorems,
          library,
        }));
        requireSameSubject(run, subject, { model, split, nameFilter, theorems, library });
        return once(store, 'evaluation/plan.json', evaluationPlanSchema, async () => {
          const statements = await takeStatements(ports, config, asked);
          const { verification } = config;
          const explainedShare = verification.explainedShare ?? 1;
          return {
            // The log has the errors of all samples.
            config: { ...config, verification: { ...verification, explainedShare } },
            checkpoint: subject.checkpoint,
            statements: await writeRecords(store, 'statements.jsonl', statements, signal),
            shards: await planShards(store, statements, config.sampling.samplesPerStatement, config.sampling),
            library:
              library === null ? null : await takeLibrary(ports, { run, source: library, config, statements }, signal),
          };
        });
      });
    },

    /** Writes STP's log, of searches their results in llmstep's form, and `evaluation.json`, the latter last. */
    async writeEvaluation(input: WriteEvaluationInput): Promise<EvaluationFiles> {
      const { run, plan, shards } = input;
      const store = await ports.store(run);
      return once(store, 'finished.json', filesSchema, () =>
        withHeartbeat(async (signal) => {
          const scratchPath = join(await ports.scratch(run), `log-${process.pid}.jsonl.gz`);
          const records = allRecords(judgedSamples(store, shards), input.input.round);
          const log = await writeEvaluationLog(store, records, scratchPath, signal);
          const statements = await readAll(store, plan.statements, statementSchema);
          const certified = new Set<string>();
          const sandbox = await ports.sandbox(plan.config.verification.sandbox);
          const ineligible = new Set(whyIneligible(sandbox));
          for await (const proof of readRecords(store, input.proved, provedSchema)) {
            certified.add(proof.statementId);
            for (const reason of whyIneligible(wallsOf(proof))) ineligible.add(reason);
          }
          const tallies = await tallyShards(store, shards);
          const groups = Map.groupBy(statements, (statement) => statement.labels[0]!);
          const verifier = await ports.verifier(run, plan.config.verification);
          const searches = sumSearches(shards.flatMap(({ search }) => search?.figures ?? []));
          const begun = searches.searches === 0 ? null : await begunSearches(store, shards);
          const report: EvaluationReport = {
            name: run,
            model: plan.checkpoint.model,
            modelName: input.input.modelName,
            round: input.input.round,
            split: input.input.split,
            samplesPerStatement: plan.config.sampling.samplesPerStatement,
            temperature: plan.config.sampling.temperature,
            seed: plan.config.seed,
            leanVersion: verifier.environment.version,
            samples: shards.reduce((sum, shard) => sum + shard.sampleCount, 0),
            verdicts: sumVerdicts(shards.map((shard) => shard.verdictCounts)),
            ...(plan.library === null || input.input.library == null
              ? {}
              : { library: { run: nameOfRun(input.input.library, store.root), theorems: plan.library.count } }),
            format: formatOf(plan.config.prover).name,
            ...sumTokens(shards),
            ...costOf(sumTokens(shards), plan.config.sampling.price),
            groups: await Promise.all(
              [...groups].map(async ([group, members]) => ({
                ...(await groupResult(group, members, tallies, certified, plan.config)),
                ...(begun === null ? {} : { begun: members.filter(({ id }) => begun.has(id)).length }),
              })),
            ),
            leanSeconds: (searches.leanMs + shards.reduce((sum, { checkMs }) => sum + checkMs, 0)) / 1_000,
            ...(searches.searches === 0 ? {} : { search: searches }),
            eligible: ineligible.size === 0,
            ineligibleBecause: [...ineligible],
          };
          if (begun !== null) {
            const proved = new Set([...tallies].flatMap(([id, { shortest }]) => (shortest === null ? [] : [id])));
            const results = await searchResults(store, shards, statements, proved);
            const args = searchArguments(input.input.modelName, plan.config);
            await store.put(SEARCH_RESULTS, `${JSON.stringify({ results, args }, null, 4)}\n`);
          }
          return { evaluation: await store.put('evaluation.json', `${JSON.stringify(report, null, 2)}\n`), log };
        }),
      );
    },
  };
}

/** STP1002 for an embedded model that was not trained on states: its tactics would be noise. */
async function requireStates(directory: string): Promise<void> {
  const tokenizer = await readFile(join(directory, 'tokenizer.json'), 'utf8');
  if (tokenizer.includes(STATE_MARKER)) return;
  throw new StpError(
    'STP1002',
    `the model in ${directory} was not trained on proof states, and prover.mode is steps`,
    'Take --prover whole, or a model of a run with prover.mode=both or steps.',
  );
}

/** In the place of a checkpoint's manifest: which list of scripts it is. */
const storePortfolio = (store: ObjectStore): Promise<ArtifactRef> =>
  store.put('model/portfolio.json', `${JSON.stringify({ portfolio: PORTFOLIO_VERSION })}\n`);

/** Ids of the statements for which a search expanded a state. */
async function begunSearches(store: ObjectStore, shards: readonly ShardResult[]): Promise<ReadonlySet<string>> {
  const begun = new Set<string>();
  for (const { search } of shards)
    if (search !== undefined)
      for await (const { statementId } of readRecords(store, search.expansions, expansionSchema))
        begun.add(statementId);
  return begun;
}

interface LibraryToTake {
  readonly run: string;
  /** Name or URI of the run that has it. */
  readonly source: string;
  readonly config: RunConfig;
  readonly statements: readonly Statement[];
}

/**
 * The grown library that a run in the same place has after its last round. Its theorems know what of the evaluated statements they
 * state in other names (`theoremKey`). STP1002 where the run has grown none.
 */
async function takeLibrary(
  ports: Ports,
  { run, source, config, statements }: LibraryToTake,
  signal: AbortSignal,
): Promise<ArtifactRef> {
  const store = await ports.store(run);
  const name = nameOfRun(source, store.root);
  const other = await ports.store(name);
  const state = await other.stat(stateName(await lastRound(other)));
  const outcomes = state === null ? [] : (await readJson(other, state, runStateSchema)).outcomes;
  const last = await lastManifest(
    other,
    outcomes.map(({ manifest }) => manifest),
  );
  const grown = last === undefined ? null : await libraryAfter(ports, run, last, config, signal);
  if (grown === null || (grown.before === null && grown.added.length === 0))
    throw new StpError(
      'STP1002',
      `run ${name} has no grown library`,
      `It has finished ${await describeRounds(other)}; only certified proofs of its rounds become lemmas.`,
    );
  const keyOf = await theoremKeys(ports.sources, { slots: true });
  const byKey = Map.groupBy(statements, keyOf);
  async function* theorems(): AsyncGenerator<GrownRecord> {
    yield* grownTheorems(store, grown!.before);
    yield* grown!.added;
  }
  async function* taken(): AsyncGenerator<GrownRecord> {
    for await (const one of theorems()) {
      const restates = (byKey.get(keyOf(one)) ?? []).map(({ id }) => id).filter((id) => id !== one.statementId);
      yield restates.length === 0 ? one : { ...one, restates };
    }
  }
  return writeRecords(store, 'library-*.jsonl', taken(), signal);
}

/** Statements of every set in file order, each labelled with its group first; one that is in two sets is tried once. */
async function takeStatements(
  ports: Pick<Ports, 'sources'>,
  config: RunConfig,
  { split, nameFilter, theorems }: EvaluatedStatements,
): Promise<Statement[]> {
  const taken = new Map<string, { readonly statement: Statement; readonly order: string }>();
  for (const set of config.data.problemSets)
    for await (const statement of ports.sources.problemSet(set)) {
      if ((split !== 'all' && statement.split !== split) || taken.has(statement.id)) continue;
      if (!md5(statement.name).startsWith(nameFilter)) continue;
      const labels = [`${set} ${statement.split}`, ...statement.labels].slice(0, LABELS_MAX);
      taken.set(statement.id, { statement: { ...statement, labels }, order: md5(`${set}:${statement.name}`) });
    }
  const found = [...taken.values()];
  if (found.length === 0)
    throw new StpError(
      'STP1501',
      `${config.data.problemSets.join(', ')}: no statement of split ${split}${nameFilter === '' ? '' : ` with a name that hashes to ${nameFilter}…`}`,
      'Name other problem sets, or --split all.',
    );
  if (theorems !== null) found.sort((a, b) => (a.order < b.order ? -1 : 1)).splice(theorems);
  return found.map(({ statement }) => statement);
}

const md5 = (text: string): string => hash('md5', text);

async function* allRecords(judged: AsyncIterable<JudgedSample>, round: number | null): AsyncGenerator<object> {
  const lemmaIds = new Map<string, number>();
  for await (const one of judged) {
    const lemmaId = lemmaIds.get(one.statement.id) ?? lemmaIds.size;
    lemmaIds.set(one.statement.id, lemmaId);
    yield* logRecords(one, lemmaId, round);
  }
}

async function groupResult(
  group: string,
  members: readonly Statement[],
  tallies: ReadonlyMap<string, StatementTally>,
  certified: ReadonlySet<string>,
  config: RunConfig,
): Promise<EvaluationGroup> {
  const { samplesPerStatement } = config.sampling;
  const outcomes = outcomesOf(members, tallies);
  const recorded = outcomes.reduce((sum, one) => sum + one.recorded(0, samplesPerStatement), 0);
  const missing = members.length * samplesPerStatement - recorded;
  const unverified = missing + members.reduce((sum, { id }) => sum + (tallies.get(id)?.unverified ?? 0), 0);
  const refused = refusal({ statements: members.length, samplesPerStatement, unverified, missing });
  const budgets = refused === null ? budgetsFor(samplesPerStatement) : [];
  return {
    group,
    statements: members.length,
    proved: outcomes.filter((one) => one.successes(0, samplesPerStatement) > 0).length,
    certified: members.filter(({ id }) => certified.has(id)).length,
    unverified,
    refused,
    block: budgets.map((k) => blockEstimate(outcomes, k, samplesPerStatement, 'drop')),
    unbiased: await passAtK(outcomes, budgets, samplesPerStatement, randomStream(config.seed, 'bootstrap', group)),
  };
}
