/**
 * Revision: the model sees Lean's errors on its failed proofs and answers again. A new answer is a sample of its own.
 * Its index is the first answer's plus a multiple of the statement's number of first samples, so the index identifies
 * the revised sample.
 */

import { formatOf, proverOf } from '@stp/config';
import {
  costOf,
  type ObjectStore,
  type Sample,
  type ShardResult,
  sampleSchema,
  sumTokens,
  type Verdict,
  type VerdictKind,
  verdictSchema,
} from '@stp/config/records';
import { asPrompt, dedupeSamples, revisionPrompt, seedFrom, type WorkItem, workItemSchema } from '@stp/selfplay';
import { z } from 'zod';
import { withHeartbeat } from '../../edge.ts';
import type { LemmaSources } from '../../lemma-shelf.ts';
import { logMetrics, metricsAt } from '../../metrics.ts';
import type { DataSources, RunModel, RunMonitor, RunScratch, RunStore } from '../../ports.ts';
import { proverForms } from '../../prover-forms.ts';
import { once, readAll, readRecords, writeRecords } from '../../records/record-files.ts';
import { grownLibrary } from '../../round/library.ts';
import { fetchCheckpoint } from '../../training/checkpoints.ts';
import { type ShardTurn, sampledSchema } from '../shard-turn.ts';
import { sampleAnswers } from '../whole/sample-answers.ts';
import { type AnswerRecord, answerRecord, answerRecordSchema } from './answer-record.ts';

/** Verdicts that say what is wrong with a proof. A time-out or a truncated answer leaves nothing to revise. */
const TOLD: ReadonlySet<VerdictKind> = new Set(['rejected', 'sorry', 'forbidden', 'changed_statement']);

const revisedSchema = sampledSchema.extend({ figures: z.strictObject({ revisions: z.number() }) });

/** A failed sample that is being revised. */
interface Revised {
  readonly item: WorkItem;
  readonly index: number;
  readonly asked: AnswerRecord['messages'];
}

export function reviseShardActivity(
  ports: RunStore & RunScratch & RunModel<'sample'> & RunMonitor & DataSources<keyof LemmaSources>,
) {
  return {
    /**
     * Samples new answers to the last turn's failed samples of unproved statements. The result contains the earlier
     * samples too. Null if there is nothing to revise, or no tokens are left for it.
     */
    async reviseShard(input: ShardTurn): Promise<z.infer<typeof revisedSchema> | null> {
      const { run, config, turn, earlier } = input;
      if (earlier === null) return null;
      const store = await ports.store(run);
      const name = `${input.name}/turn-${turn}`;
      return once(store, `${name}/sampled.json`, revisedSchema.nullable(), () =>
        withHeartbeat(async (signal, report) => {
          const format = formatOf(config.prover);
          const samples = await readAll(store, earlier.samples, sampleSchema);
          const revised = await chooseRevised(store, input, earlier, samples);
          if (revised.length === 0) return null;
          const directory = await fetchCheckpoint(store, input.checkpoint, await ports.scratch(run), signal);
          const generator = await ports.generator(run, directory, config.modelThreads, signal);
          const grown = await grownLibrary(store, input.library ?? null);
          const formOf = await proverForms(ports.sources, config.prover, grown);
          const requests = revised.map(({ item, index, asked }) => ({
            id: item.statement.id,
            index,
            form: formOf(item.statement),
            ...asPrompt(format, asked),
            seed: seedFrom(config.seed, name, item.statement.id, index),
          }));
          const keeping = { store, name, model: input.checkpoint.model };
          const { completions, raw, forget } = await sampleAnswers(
            generator,
            config,
            requests,
            keeping,
            signal,
            report,
          );
          const all = dedupeSamples(raw, input.checkpoint.model, samples);
          const counted = sumTokens(completions);
          await logMetrics(
            ports,
            run,
            metricsAt(name, 0, {
              samples: raw.length,
              tokens: counted.tokens,
              ...(counted.promptTokens === undefined ? {} : { prompt_tokens: counted.promptTokens }),
              ...costOf(counted, config.sampling.price),
            }),
          );
          const answers = completions.map((completion, at) => {
            const { item, index, asked } = revised[at]!;
            return answerRecord(format, { statementId: item.statement.id, index, asked }, completion);
          });
          const sampled = {
            samples: await writeRecords(store, `${name}/samples-*.jsonl`, all, signal),
            sampleCount: earlier.sampleCount + raw.length,
            distinctCount: all.length,
            ...sumTokens([earlier, counted]),
            figures: { revisions: raw.length },
            answers: await writeRecords(store, `${name}/answers-*.jsonl`, answers, signal),
          };
          await forget();
          return sampled;
        }),
      );
    },
  };
}

/**
 * Chooses samples until their tokens reach the budget, in the order of the statements and of each statement's samples.
 */
async function chooseRevised(
  store: ObjectStore,
  { items, answers, turn, config }: ShardTurn,
  earlier: ShardResult,
  samples: readonly Sample[],
): Promise<Revised[]> {
  const { tokensPerStatement } = proverOf(config, 'revise').revision;
  const format = formatOf(config.prover);
  const judged = await judgedByIndex(store, earlier, samples);
  const proved = new Set(
    [...judged.values()].flatMap(({ sample, verdict }) => (verdict.kind === 'proved' ? [sample.statementId] : [])),
  );
  const left = new Map<string, number>();
  const last = new Map<string, AnswerRecord[]>();
  for (const [at, ref] of answers.entries())
    for await (const answer of readRecords(store, ref, answerRecordSchema)) {
      const { statementId, tokens } = answer;
      left.set(statementId, (left.get(statementId) ?? tokensPerStatement ?? Number.POSITIVE_INFINITY) - tokens);
      if (at === answers.length - 1) last.set(statementId, [...(last.get(statementId) ?? []), answer]);
    }
  const chosen: Revised[] = [];
  for (const item of await readAll(store, items, workItemSchema)) {
    const { id, statement } = item.statement;
    if (item.origin === 'canary' || proved.has(id)) continue;
    let tokens = left.get(id) ?? 0;
    for (const answer of (last.get(id) ?? []).toSorted((a, b) => a.index - b.index)) {
      const found = judged.get(indexKey(id, answer.index));
      if (found === undefined || !TOLD.has(found.verdict.kind) || tokens < config.sampling.maxTokens) continue;
      if (answer.messages.length === 0) continue;
      tokens -= config.sampling.maxTokens;
      const failed = { statement, proof: found.sample.proof, messages: found.verdict.messages };
      const content = revisionPrompt(format, failed, turn - 1);
      const first = answer.index % item.samples;
      chosen.push({
        item,
        index: turn * item.samples + first,
        asked: [...answer.messages, { role: 'user', content }],
      });
    }
  }
  return chosen;
}

const indexKey = (statementId: string, index: number): string => `${statementId} ${index}`;

async function judgedByIndex(
  store: ObjectStore,
  { verdicts }: ShardResult,
  samples: readonly Sample[],
): Promise<Map<string, { readonly sample: Sample; readonly verdict: Verdict }>> {
  const byId = new Map(samples.map((sample) => [sample.id, sample]));
  const judged = new Map<string, { sample: Sample; verdict: Verdict }>();
  for await (const verdict of readRecords(store, verdicts, verdictSchema)) {
    const sample = byId.get(verdict.sampleId);
    for (const index of sample?.indices ?? [])
      judged.set(indexKey(sample!.statementId, index), { sample: sample!, verdict });
  }
  return judged;
}
