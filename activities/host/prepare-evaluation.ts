/** Begins a separate evaluation (`stp-evaluate`): copies its model and its statements into its folder. */

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import {
  proverIn,
  type RunConfig,
  requireSameConfig,
  resolveConfig,
  runConfigSchema,
  writesTactics,
} from '@stp/config';
import {
  type ArtifactRef,
  type EvaluatedStatements,
  type EvaluateInput,
  type EvaluationPlan,
  evaluateInputSchema,
  evaluationPlanSchema,
  type ObjectStore,
  type Statement,
} from '@stp/config/records';
import { STATE_MARKER } from '@stp/config/words';
import { modelIn } from '@stp/language-model';
import { PORTFOLIO_VERSION } from '@stp/lean-explore';
import { withHeartbeat } from '../edge.ts';
import { EVALUATION_SUBJECT, evaluationSubjectSchema, requireSameSubject } from '../evaluation/evaluation-subject.ts';
import { planShards } from '../evaluation/plan-evaluation-shards.ts';
import type { DataSources, LibraryGrowth, RunStore } from '../ports.ts';
import { theoremKeys } from '../prover-forms.ts';
import { SCRIPTS_MODEL } from '../provers/scripts/portfolio.ts';
import { once, readJson, writeRecords } from '../records/record-files.ts';
import { type GrownRecord, grownTheorems, libraryAfter } from '../round/library.ts';
import { describeRounds, lastRound, stateName } from '../run/finished-rounds.ts';
import { lastManifest } from '../run/history.ts';
import { runStateSchema } from '../run/run-state.ts';
import { nameOfRun } from '../run/taken-over.ts';
import { storeCheckpoint, uploadsIn } from '../training/checkpoints.ts';

const LABELS_MAX = 16;

export function prepareEvaluationActivity(ports: RunStore & LibraryGrowth & DataSources<'problemSet' | 'definitions'>) {
  return {
    /**
     * Copies the model and the statements into the evaluation's folder. Configuration, model and split of an evaluation
     * never change: others are STP1002.
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
        requireModel(config, directory);
        if (directory !== null && writesTactics(config.prover.mode) && config.prover.slots)
          await requireStates(directory);
        const model = directory === null ? SCRIPTS_MODEL : await modelIn(directory);
        const subject = await once(store, EVALUATION_SUBJECT, evaluationSubjectSchema, async () => ({
          checkpoint:
            directory === null
              ? { manifest: await storeScriptsVersion(store), model }
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
            // STP's log contains the errors of all samples.
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
  };
}

/** Throws STP1002 if a prover that needs a model has none, or if one without a model gets one. */
function requireModel({ prover }: RunConfig, directory: string | null): void {
  if ((directory === null) === (proverIn(prover).asksNoModel ?? false)) return;
  throw new StpError(
    'STP1002',
    directory === null
      ? `prover.mode is ${prover.mode}, and no model is named`
      : `prover.mode is ${prover.mode}, which asks no model`,
    'Name a checkpoint, or set prover.mode=scripts and checkpoint null.',
  );
}

/** Throws STP1002 for an embedded model that was not trained on states: its tactics would be noise. */
async function requireStates(directory: string): Promise<void> {
  const tokenizer = await readFile(join(directory, 'tokenizer.json'), 'utf8');
  if (tokenizer.includes(STATE_MARKER)) return;
  throw new StpError(
    'STP1002',
    `the model in ${directory} was not trained on proof states, and prover.mode is steps`,
    'Take --prover whole, or a model of a run with prover.mode=both or steps.',
  );
}

/** Stores the version of the list of scripts in place of a checkpoint's manifest. */
const storeScriptsVersion = (store: ObjectStore): Promise<ArtifactRef> =>
  store.put('model/scripts.json', `${JSON.stringify({ scripts: PORTFOLIO_VERSION })}\n`);

interface LibraryToTake {
  readonly run: string;
  /** Name or URI of the run with the grown library. */
  readonly source: string;
  readonly config: RunConfig;
  readonly statements: readonly Statement[];
}

/**
 * Takes the library that a run in the same parent folder has grown after its last round. Marks theorems that restate an
 * evaluated statement (`theoremKey`). Throws STP1002 if the run has grown none.
 */
async function takeLibrary(
  ports: RunStore & LibraryGrowth & DataSources<'definitions'>,
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
      `${other.root} has finished ${await describeRounds(other)}. Name a run with library=grow in the evaluation's parent folder.`,
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

/**
 * Yields the statements of every set in file order, with the group as first label. A statement in two sets is tried
 * once.
 */
async function takeStatements(
  ports: DataSources<'problemSet'>,
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
