/**
 * Tests judging over the wire, by a server that marks by a rule and has the faults of services: OpenAI's format through
 * the client for samples, Anthropic's through its official one. A few seconds, most of them pauses before retries.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Judging, judgingSchema, NOTHING_SPENT, type ObjectStore } from '@stp/config/records';
import { statement } from '@stp/config/testing';
import { dedupeSamples } from '@stp/selfplay';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../infra/stores/open-store.ts';
import {
  type Fault,
  type JudgeServer,
  type JudgeServerOptions,
  startJudgeServer,
} from '../../test/fakes/judge-server.ts';
import { Asker } from './ask/asker.ts';
import { RateLimits } from './ask/rate-limits.ts';
import { judgeReward } from './judge-reward.ts';
import { markProof } from './mark-proof.ts';
import { rankProofs } from './rank-proofs.ts';
import { scaleOf } from './scale.ts';

const KEY_VARIABLE = 'STP_TEST_JUDGE_KEY';
const signal = new AbortController().signal;
const rule = (proof: string): number => (proof.includes('complete') ? 1 : proof.includes('half') ? 0.5 : 0);
const problem = {
  id: 'p',
  set: 's',
  text: 'Show it.',
  scale: scaleOf('0-7'),
  rubric: 'Everything counts.',
  reference: 'It is so.',
};

let directory: string;
let store: ObjectStore;
let limits: RateLimits;
const open: (() => void | Promise<void>)[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-judge-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
  limits = new RateLimits(join(directory, 'limits.sqlite'));
  process.env[KEY_VARIABLE] = 'secret-key';
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
  limits.close();
  delete process.env[KEY_VARIABLE];
  await rm(directory, { recursive: true, force: true });
});

async function serve(options: Partial<JudgeServerOptions> = {}): Promise<JudgeServer> {
  const server = await startJudgeServer({ rule, ...options });
  open.push(() => server.close());
  return server;
}

function judgingBy(
  server: JudgeServer,
  more: Partial<Record<keyof Judging, unknown>> = {},
  judge: object = {},
): Judging {
  const own = {
    provider: 'server',
    url: `${server.url}/v1`,
    model: 'm',
    keyVariable: KEY_VARIABLE,
    timeoutSeconds: 1,
    ...judge,
  };
  return judgingSchema.parse({ judges: [own], ...more });
}

function askerOf(judging: Judging, replay = false): Asker {
  const asker = new Asker({ ...judging, store, limits, replay });
  open.push(() => asker.close());
  return asker;
}

const judgeOne = (judging: Judging, proof: string, asker = askerOf(judging)) =>
  markProof(asker, judging, { id: 'x', problem, proof }, signal);

describe.each([
  ['openai', {}],
  ['anthropic', { provider: 'anthropic' }],
])('over the wire of %s', (wire, judge) => {
  const by = (server: JudgeServer, more = {}, own = {}) =>
    judgingBy(server, more, { ...judge, ...(wire === 'anthropic' ? { url: server.url } : {}), ...own });

  it('a proof is marked, with its problem, rubric and reference shown, and the answer is kept', async () => {
    const server = await serve();
    const judging = by(server, {}, { price: { prompt: 1, answer: 2 } });
    const asker = askerOf(judging);
    const judgement = await judgeOne(judging, 'a half proof', asker);
    expect(judgement).toMatchObject({
      outcome: 'marked',
      mark: { raw: 4, scale: '0-7', normalised: 4 / 7 },
      allFull: false,
    });
    const [{ text, body, headers }] = server.requests as [JudgeServer['requests'][0]];
    for (const part of ['Show it.', 'Everything counts.', 'It is so.', 'a half proof']) expect(text).toContain(part);
    expect(JSON.stringify(body)).toContain('json_schema');
    expect(JSON.stringify(headers)).toContain('secret-key');
    const { requests, answers, cost, promptTokens, answerTokens } = asker.spent;
    expect([requests, answers]).toEqual([1, 1]);
    expect(cost).toBeCloseTo((promptTokens + 2 * answerTokens) / 1e6);
    // A repetition asks no judge, and neither does a replay without a server.
    await server.close();
    expect(await judgeOne(judging, 'a half proof')).toEqual(judgement);
    expect(await judgeOne(judging, 'a half proof', askerOf(judging, true))).toEqual(judgement);
    expect(await judgeOne(judging, 'another proof', askerOf(judging, true))).toMatchObject({
      failure: { kind: 'provider' },
    });
  });

  it('is counted once, for the work that asked, whoever goes on with that', async () => {
    const server = await serve({ fault: (request) => (request === 0 ? 'busy' : undefined) });
    const judging = by(server, {}, { price: { prompt: 1, answer: 2 } });
    const first = askerOf(judging).for('shard 1');
    await judgeOne(judging, 'a half proof', first);
    expect(first.spent).toMatchObject({ requests: 2, answers: 1, cost: expect.any(Number) });
    const heirs = [askerOf(judging).for('shard 1'), askerOf(judging).for('shard 2'), askerOf(judging)];
    for (const heir of heirs) for (const _ of [1, 2]) await judgeOne(judging, 'a half proof', heir);
    expect(heirs.map(({ spent }) => spent)).toEqual([first.spent, NOTHING_SPENT, NOTHING_SPENT]);
    expect(server.requests).toHaveLength(2);
  });

  it('is asked again while it is busy or broken', async () => {
    const faults: Fault[] = ['busy', 'broken', 'silent', 'stalled'];
    const server = await serve({ fault: (request) => faults[request] });
    expect(await judgeOne(by(server), 'a complete proof')).toMatchObject({ outcome: 'marked', allFull: true });
    expect(server.requests).toHaveLength(5);
  });

  it('an error with status 200 is no answer, and its text is kept', { tags: ['slow'] }, async () => {
    const server = await serve({ fault: () => 'ok-error' });
    const { outcome, mark, failure } = await judgeOne(by(server), 'a complete proof');
    expect([outcome, mark]).toEqual(['unjudged', null]);
    expect(failure).toMatchObject({ kind: 'provider', raw: expect.stringContaining('upstream provider failed') });
    // The judge is asked again next time, because no answer was stored.
    expect(await readdir(join(directory, 'store')).catch(() => [])).toEqual([]);
  });

  it('a wrong key ends the work', async () => {
    const server = await serve({ fault: () => 'denied' });
    await expect(judgeOne(by(server), 'a proof')).rejects.toMatchObject({ code: 'STP1901', retryable: false });
    expect(server.requests).toHaveLength(1);
    delete process.env[KEY_VARIABLE];
    await expect(judgeOne(by(server), 'a proof')).rejects.toMatchObject({ code: 'STP1001' });
  });
});

describe('answers that cannot be used', () => {
  it.each([
    ['cut', 'cut-off'],
    ['prose', 'malformed'],
    ['off-scale', 'off-scale'],
    ['invented', 'not-quoted'],
  ] as const)('%s: asked anew once, then no mark, and what came is kept', async (fault, kind) => {
    const server = await serve({ fault: () => fault });
    const judgement = await judgeOne(judgingBy(server), 'a complete proof of it all, in words');
    expect(judgement).toMatchObject({ outcome: 'unjudged', mark: null, failure: { kind } });
    expect(judgement.votes[0]!.failures.map((failure) => [failure.kind, failure.raw !== ''])).toEqual([
      [kind, true],
      [kind, true],
    ]);
    expect(server.requests).toHaveLength(2);
  });

  it('count once the answer after them can be used', async () => {
    const server = await serve({ fault: (request) => (request === 0 ? 'prose' : undefined) });
    const judgement = await judgeOne(judgingBy(server), 'a complete proof');
    expect(judgement).toMatchObject({
      outcome: 'marked',
      votes: [{ failures: [{ kind: 'malformed', raw: 'I give it five points.' }] }],
    });
  });

  it('a rubric that cannot be read, and a proof that is not there, are asked of nobody', async () => {
    const server = await serve();
    const judging = judgingBy(server);
    const candidate = { id: 'x', problem: { ...problem, rubric: '(Partial)\nnone' }, proof: 'a complete proof' };
    expect(await markProof(askerOf(judging), judging, candidate, signal)).toMatchObject({
      outcome: 'unjudged',
      failure: { kind: 'rubric', raw: '(Partial)\nnone' },
    });
    expect(await judgeOne(judging, ' ')).toMatchObject({ outcome: 'empty', mark: { raw: 0 } });
    expect(server.requests).toHaveLength(0);
  });
});

describe('several votes', () => {
  it('become the least, or a mean without the ends; too few are none', async () => {
    const server = await serve({ fault: (request) => (request < 4 ? 'prose' : undefined) });
    const judging = judgingBy(server, { askedAnew: 0 }, { votes: 3 });
    expect(await judgeOne(judging, 'a complete proof')).toMatchObject({
      outcome: 'unjudged',
      failure: { kind: 'no-quorum' },
    });
    const two = await judgeOne(judging, 'a complete proof, once more');
    // The first of these three votes failed as well: two of three count, so not all three gave the full mark.
    expect(two).toMatchObject({ outcome: 'marked', mark: { normalised: 1 }, allFull: false });
    expect(two.votes.filter(({ mark }) => mark !== null)).toHaveLength(2);
  });

  it.each([
    [true, { outcome: 'marked', mark: { raw: 4 } }],
    [false, { outcome: 'unjudged', failure: { kind: 'no-quorum' } }],
  ])('claims of errors are checked: they stand, %s', async (stands, expected) => {
    const server = await serve({ stands });
    const judgement = await judgeOne(judgingBy(server, { metaChecks: 3 }), 'a half proof');
    expect(judgement).toMatchObject(expected);
    expect(judgement.votes[0]!.errorsStanding).toBe(stands ? 1 : 0);
    expect(server.requests).toHaveLength(4);
  });
});

describe('ranks', () => {
  const proofs = ['nothing here at all', 'a half proof of it', 'a complete proof of it', 'another half proof', ''];

  it('give points by the places in shuffled chunks', async () => {
    const server = await serve();
    const judging = judgingBy(server);
    const { points, failures } = await rankProofs(askerOf(judging), judging, problem, proofs, [1], signal);
    expect(failures).toEqual([]);
    expect(server.requests).toHaveLength(10);
    expect(points[2]).toBe(1);
    expect(points[0]).toBeCloseTo(0.2);
    expect(points[4]).toBe(0.2);
    expect(points[1]! > points[0]! && points[1]! < points[2]!).toBe(true);
    // The same seeds of the shuffles cause no new request.
    const again = await rankProofs(askerOf(judging), judging, problem, proofs, [1], signal);
    expect(again.points).toEqual(points);
    expect(server.requests).toHaveLength(10);
  });

  it('of a label that has two places are none', async () => {
    const server = await serve({ fault: () => 'twice' });
    const judging = judgingBy(server, { ranking: { rounds: 1 } });
    const { points, failures } = await rankProofs(askerOf(judging), judging, problem, proofs.slice(0, 3), [1], signal);
    expect(points).toEqual([null, null, null]);
    expect(failures.map(({ kind }) => kind)).toEqual(['label-twice', 'label-twice']);
    expect(failures[0]!.raw).toContain('placements');
  });
});

describe('as rewards', () => {
  const own = { ...statement('Show that it is so.'), grading: { reference: 'It is.' } };
  const texts = ['a complete proof', 'a half proof here', 'nothing here'];
  const samples = dedupeSamples(
    texts.map((text, index) => ({
      statementId: own.id,
      index,
      text,
      tokens: 1,
      logprob: null,
      seed: index,
      finish: 'stop' as const,
    })),
    'm',
  );
  const groups = [{ statement: own, samples: samples.map((sample) => ({ sample, verdict: null })) }];
  const options = { signal, stream: [1, 'shard'], onProgress: () => {} };

  it.each([
    ['judge_score', [1, 4 / 7, 0]],
    ['group_points', [1, 0.6, 0.2]],
    ['harmonic_rank', [1, 1 / 2, 1 / 3]],
    ['squared', [1, 0.36, 0.04]],
  ])('%s', async (reward, values) => {
    const server = await serve();
    const judging = judgingBy(server, { reward });
    const rewards = await judgeReward(askerOf(judging), judging).rewards(groups, options);
    expect(rewards.map((one) => one.kind === 'reward' && one.value)).toEqual(
      values.map((value) => expect.closeTo(value)),
    );
    expect(server.requests[0]!.text).toContain('It is.');
  });

  it('what cannot be judged is missing, never 0', async () => {
    const server = await serve({ fault: (_, text) => (text.includes('half') ? 'prose' : undefined) });
    const judging = judgingBy(server);
    const rewards = await judgeReward(askerOf(judging), judging).rewards(groups, options);
    expect(rewards).toMatchObject([
      { value: 1 },
      { kind: 'missing', why: expect.stringContaining('malformed') },
      { value: 0 },
    ]);
  });

  it('a judge that does not answer makes the shard be tried again, and then only the rest is asked', {
    tags: ['slow'],
  }, async () => {
    let isUp = false;
    const server = await serve({ fault: (_, text) => (text.includes('half') && !isUp ? 'broken' : undefined) });
    const judging = judgingBy(server);
    const rewards = () => judgeReward(askerOf(judging), judging).rewards(groups, options);
    await expect(rewards()).rejects.toMatchObject({ code: 'STP1902', retryable: true });
    isUp = true;
    const before = server.requests.length;
    expect((await rewards()).map(({ kind }) => kind)).toEqual(['reward', 'reward', 'reward']);
    expect(server.requests.length - before).toBe(1);
  });
});
