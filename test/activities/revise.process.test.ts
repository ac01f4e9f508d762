/**
 * Tests chats that prove: answers are read, verified under our statements, and revised with Lean's messages. A script
 * replaces the model; Lean is real in the last test, which takes half a minute. The others take some seconds.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { proverOf, resolveConfig } from '@stp/config';
import {
  type ArtifactRef,
  type ChatMessage,
  type ObjectStore,
  type Sample,
  type ShardResult,
  sampleSchema,
  type VerdictKind,
} from '@stp/config/records';
import { statement } from '@stp/config/testing';
import type { SampleRequest } from '@stp/language-model';
import type { Verifier } from '@stp/lean-verifier';
import { open as openVerifier } from '@stp/lean-verifier/testing-hooks';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tallyShards } from '../../activities/evaluation/evaluation-shards.ts';
import { verifyShardActivity } from '../../activities/lean/verify-shard.ts';
import { reviseShardActivity } from '../../activities/provers/revise/revise-shard.ts';
import type { Sampled } from '../../activities/provers/shard-turn.ts';
import { sampleShardActivity } from '../../activities/provers/whole/sample-shard.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { repositorySources } from '../../workers/sources.ts';
import { leanOfVersion, unasked } from '../support/stand-ins.ts';

vi.mock('../../activities/training/checkpoints.ts', () => ({ fetchCheckpoint: async () => 'checkpoint' }));
vi.setConfig({ testTimeout: 300_000 });

let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-revise-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const A = statement('theorem a (n : Nat) : 0 + n = n', { header: 'import Init' });
const B = statement('theorem b (p q : Prop) (hp : p) (hq : q) : p ∧ q', { header: 'import Init' });
const block = (text: string): string => `I think.\n\n\`\`\`lean4\nimport Mathlib\n\n${text}\n\`\`\`\n`;

interface Play {
  /** The model's answer to a chat. */
  readonly answer: (messages: readonly ChatMessage[], seed: number) => string;
  readonly kindOf?: (proof: string) => VerdictKind;
  readonly verifier?: Verifier;
  readonly samples?: number;
  readonly set?: Record<string, string>;
}

/** Does what the workflow does with one shard of both statements in `prover.mode` `revise`. */
async function play({ answer, kindOf = () => 'rejected', verifier, samples = 2, set = {} }: Play) {
  const config = resolveConfig({
    preset: 'smoke',
    set: {
      'prover.slots': 'false',
      'prover.format': 'goedel-prover-v2',
      'prover.mode': 'revise',
      'sampling.maxTokens': '100',
      ...set,
    },
  });
  const chats: { messages: readonly ChatMessage[]; seed: number }[] = [];
  const generator = {
    sample: async (requests: readonly SampleRequest[]) =>
      requests.map(({ id, messages, seed }) => {
        chats.push({ messages: messages!, seed });
        return {
          id,
          text: answer(messages!, seed),
          tokens: 50,
          promptTokens: 10,
          logprob: null,
          finish: 'stop' as const,
        };
      }),
  };
  const scripted: Pick<Verifier, 'check' | 'environment' | 'sandbox'> = {
    environment: leanOfVersion('test'),
    sandbox: { kind: 'none', description: 'a test' },
    check: async (candidates) =>
      candidates.map(({ id, proof }) => ({
        ...{ id, kind: kindOf(proof), premises: [], axioms: [], checkMs: 1, fromCache: false },
        messages: [{ severity: 'error' as const, line: 1, column: 0, text: `no: ${proof}` }],
      })),
  };
  const ports = {
    sources: repositorySources(),
    store: async () => store,
    scratch: async () => directory,
    generator: async () => generator,
    verifier: async () => verifier ?? scripted,
    ...{ contexts: unasked, portfolioKept: unasked },
    monitor: async () => ({ log: async () => undefined }),
  };
  const run = async <T>(activity: unknown, input: object): Promise<T> =>
    (await new MockActivityEnvironment().run(activity as never, input)) as T;
  const rows = [A, B].map((one) => ({ statement: one, origin: 'dataset', samples }));
  const items = await writeRecords(store, 'items.jsonl', rows);
  const shard = {
    run: 'test',
    name: 'shard',
    items,
    library: null,
    checkpoint: { manifest: items, model: 'm' },
    config,
  };
  const verify = (name: string, sampled: Sampled, earlier: ShardResult | null): Promise<ShardResult> =>
    run(verifyShardActivity(ports).verifyShard, { ...shard, name, sampled, earlier, library: null });
  const sampled = await run<Sampled>(sampleShardActivity(ports).sampleShard, { ...shard, keepsAnswers: true });
  let result = await verify('shard', sampled, null);
  const answers: ArtifactRef[] = [sampled.answers!];
  let turns = 0;
  for (let turn = 1; turn <= proverOf(config, 'revise').revision.turns; turn += 1) {
    const input = { ...shard, turn, answers, earlier: result };
    const revised = await run<Sampled | null>(reviseShardActivity(ports).reviseShard, input);
    if (revised === null) break;
    turns = turn;
    answers.push(revised.answers!);
    result = await verify(`shard/turn-${turn}`, revised, result);
  }
  const all = await readAll(store, result.samples, sampleSchema);
  return { chats, result, turns, samples: all };
}

const indicesOf = (samples: readonly Sample[], id: string): number[] =>
  samples
    .filter(({ statementId }) => statementId === id)
    .flatMap(({ indices }) => indices)
    .toSorted((x, y) => x - y);
/** Returns the person's last message. */
const lastOf = (messages: readonly ChatMessage[]): string => messages.at(-1)!.content;

describe('a chat', () => {
  it('that gives no proof is counted as such, and Lean is not asked about it', async () => {
    const asked: string[] = [];
    const { result, samples, turns } = await play({
      answer: (messages) =>
        lastOf(messages).includes('theorem a')
          ? 'It is clear.'
          : block('axiom x : False\n\ntheorem b : True := by\n  trivial'),
      kindOf: (proof) => {
        asked.push(proof);
        return 'proved';
      },
    });
    expect(asked).toEqual([]);
    expect(result.verdictCounts).toEqual({ no_proof: 4 });
    expect(samples.map(({ refused }) => refused?.reason)).toEqual(['no-code', 'declares-more']);
    // Lean has no message for the model.
    expect(turns).toBe(0);
  });
});

describe('a revision', () => {
  it('shows the model its answer and Lean’s errors, and is a sample of its own', async () => {
    const { chats, result, samples } = await play({
      answer: (messages, seed) => block(`${A.statement} := by\n  simp_${messages.length}_${seed % 1_000}`),
      set: { 'prover.revision.turns': '1' },
    });
    expect(chats).toHaveLength(8);
    expect(new Set(chats.map(({ seed }) => seed)).size).toBe(8);
    const revised = chats[4]!.messages;
    expect(revised.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(revised[0]!.content).toBe(chats[0]!.messages[0]!.content);
    expect(revised[1]!.content).toContain('I think.');
    expect(lastOf(revised)).toContain('The proof (Round 0) is not correct.');
    expect(lastOf(revised)).toMatch(/theorem a \(n : Nat\) : 0 \+ n = n := by\n {2}<error>simp_1_\d+<\/error>\n```/u);
    expect(lastOf(revised)).toContain('Error Message: no: simp_1_');
    expect(result).toMatchObject({ sampleCount: 8, tokens: 400, promptTokens: 80, verdictCounts: { rejected: 8 } });
    for (const { id } of [A, B]) expect(indicesOf(samples, id)).toEqual([0, 1, 2, 3]);
  });

  it('is made of failed samples of unproved statements only, and ends where all are proved', async () => {
    const { chats, result, turns } = await play({
      answer: (messages) => {
        const name = messages[0]!.content.includes('theorem a') ? A : B;
        const isRight = name === A || messages.length > 1;
        return block(`${name.statement} := by\n  ${isRight ? 'right' : 'wrong'}`);
      },
      kindOf: (proof) => (proof.includes('right') ? 'proved' : 'rejected'),
      set: { 'prover.revision.turns': '5' },
    });
    expect(turns).toBe(1);
    expect(chats).toHaveLength(6);
    expect(result).toMatchObject({ provedStatements: 2, sampleCount: 6, verdictCounts: { proved: 4, rejected: 2 } });
  });

  it('ends with the tokens that a statement may take', async () => {
    const { chats, turns } = await play({
      answer: (messages) => block(`${A.statement} := by\n  wrong_${messages.length}`),
      // Two first answers take 100 of them; a revision may take 100.
      set: { 'prover.revision.turns': '9', 'prover.revision.tokensPerStatement': '250' },
    });
    // Each statement has one revision, then 100 tokens remain; the next takes 50 of them, which leaves too few for
    // another.
    expect(chats).toHaveLength(4 + 2 + 2);
    expect(turns).toBe(2);
  });

  it('is not made of a chat that is longer than a record may be', async () => {
    const { chats, result, turns } = await play({
      answer: (messages, seed) =>
        `${messages[0]!.content.includes('theorem a') ? 'plan '.repeat(100_000) : ''}${block(`${A.statement} := by\n  wrong_${seed}`)}`,
      set: { 'prover.revision.turns': '1' },
    });
    expect(turns).toBe(1);
    // The two answers to one statement, and nothing is lost of the others.
    expect(chats).toHaveLength(4 + 2);
    expect(result).toMatchObject({ sampleCount: 6, verdictCounts: { rejected: 6 } });
  });

  it('counts with the sample that it revises in pass@k', async () => {
    const { result } = await play({
      answer: (messages) => block(`${A.statement} := by\n  ${messages.length > 1 ? 'right' : 'wrong'}`),
      kindOf: (proof) => (proof.includes('right') ? 'proved' : 'rejected'),
    });
    const tallies = await tallyShards(store, [result]);
    const outcomes = tallies.get(A.id)!.outcomes;
    expect([outcomes.recorded(0, 2), outcomes.successes(0, 2), outcomes.recorded(2, 100)]).toEqual([2, 2, 0]);
  });
});

describe('with real Lean', () => {
  it('proves by lemmas, proof terms and corrected errors, always the statement that was asked for', {
    tags: ['slow'],
  }, async () => {
    const verifier = await openVerifier({});
    const told: string[] = [];
    const { result, samples } = await play({
      verifier,
      samples: 3,
      answer: (messages, seed) => {
        const first = messages[0]!.content;
        if (first.includes('theorem a')) {
          if (messages.length > 1) {
            told.push(lastOf(messages));
            // The lemma goes with the proof.
            return block(
              `lemma helper (m : Nat) :\n    0 + m = m := by\n  induction m with\n  | zero => rfl\n  | succ k ih => omega\n\n${A.statement} := by\n  have h := helper n\n  exact h`,
            );
          }
          return block(`${A.statement} := by\n  exact Nat.no_such_lemma n`);
        }
        // Another theorem, with a proof that is good for it and not for ours; a term; and nothing.
        const kinds = [
          block('theorem b (p q : Prop) (hp : p) (hq : q) : p ∨ q := by\n  exact Or.inl hp'),
          block(`${B.statement} :=\n  ⟨hp, hq⟩`),
          block(`${B.statement} := by\n  sorry`),
        ];
        return kinds[seed % 3]!;
      },
    });
    expect(told.length).toBeGreaterThan(0);
    expect(told[0]).toMatch(/no_such_lemma/u);
    expect(told[0]).toContain('<error>');
    const proofs = samples.filter(({ statementId }) => statementId === A.id).map(({ proof }) => proof);
    expect(proofs.some((proof) => proof.startsWith('have helper (m : Nat) :'))).toBe(true);
    expect(result.verdictCounts.proved).toBeGreaterThan(0);
    const changed = samples.filter(({ changedStatement }) => changedStatement);
    const tallies = await tallyShards(store, [result]);
    expect(tallies.get(A.id)!.shortest?.sample.proof).toContain('have helper');
    // A changed statement is tried under ours, where its proof fails.
    for (const sample of changed) expect(tallies.get(B.id)?.shortest?.sample.id).not.toBe(sample.id);
    await verifier.close();
  });
});
