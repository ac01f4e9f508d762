/**
 * Tests suggestions over HTTP with real Lean: the three contracts, classes and ranks, the cache, and invalid, numerous
 * or abandoned requests. About fifteen seconds of one core.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { moduleMarks, scratchFolder } from '@stp/lean-verifier/testing';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { markedProcesses } from '../../../test/support/processes.ts';
import type { Engine } from '../engines/engine.ts';
import { portfolioEngine } from '../engines/portfolio-engine.ts';
import { SuggesterProcess } from '../lsp/suggester-process.ts';
import type { Suggester } from '../suggester.ts';
import { listEngine, post, runMark, serve, suggesterOf } from '../testing/served.ts';

vi.setConfig({ testTimeout: 180_000 });

const AND = 'p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q';
const TACTICS = [
  { text: 'constructor', score: -2, logprob: -2 },
  { text: 'refine ⟨?_, ?_⟩', score: -1, logprob: -2 },
  { text: 'exact ⟨hp, hq⟩', score: -3, logprob: -9 },
  { text: 'exact hp', score: -1, logprob: -3 },
  { text: 'sorry', score: -0.1, logprob: -0.1 },
  { text: 'admit', score: -0.1, logprob: -0.1 },
  { text: 'and_intro', score: -5, logprob: -5 },
];

let suggester: Suggester;
let url: string;
let portfolioUrl: string;
beforeAll(async () => {
  suggester = await suggesterOf({ engines: [listEngine('list', TACTICS), portfolioEngine()] });
  ({ url } = await serve(suggester));
  ({ url: portfolioUrl } = await serve(await suggesterOf()));
});

/** Makes the bytes that llmstep's `suggest.py` sends by `requests.post(url, json=…)`: ASCII, with blanks after separators. */
const llmstepBytes = (state: string, prefix: string, context: string): string =>
  `{"tactic_state": ${ascii(state)}, "prefix": ${ascii(prefix)}, "context": ${ascii(context)}}`;
const ascii = (text: string): string =>
  JSON.stringify(text).replace(/[\u0080-\uffff]/gu, (unit) =>
    Array.from({ length: unit.length }, (_, at) => `\\u${unit.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

describe('/v2/suggest', () => {
  test('classes, ranks, and drops what leads to the same state', async () => {
    const { status, body, headers } = await post(`${url}/v2/suggest`, { id: 'mine', tactic_state: AND, all: true });
    expect(status).toBe(200);
    expect([body.id, headers.get('x-request-id'), body.goals]).toEqual(['mine', 'mine', [AND]]);
    const classes = body.suggestions.map((one: { class: string }) => one.class);
    expect(classes[0]).toBe('done');
    expect(classes).toEqual(classes.toSorted((a: string, b: string) => ORDER.indexOf(a) - ORDER.indexOf(b)));
    const of = (text: string) => body.suggestions.find((one: { text: string }) => one.text === text);
    expect(of('exact ⟨hp, hq⟩')).toMatchObject({
      class: 'done',
      remaining: 0,
      source: 'list',
      score: -3,
      reason: null,
    });
    // Two tactics leave the same goals except for the names of their cases; `refine` has the better score.
    expect(of('exact hp')).toMatchObject({ class: 'invalid', checked: true });
    expect(of('exact hp').reason).toContain('ype mismatch');
    expect([of('sorry').class, of('admit').class]).toEqual(['forbidden', 'forbidden']);
    const states = body.suggestions
      .filter((one: { class: string }) => one.class === 'valid')
      .map((one: { goals: string[] }) => one.goals.join('\n\n'));
    expect(new Set(states).size).toBe(states.length);
    const again = await post(`${url}/v2/suggest`, { tactic_state: AND, all: true });
    expect([again.body.cached, again.body.suggestions]).toEqual([true, body.suggestions]);
  });

  test('checks in the file where it is known; own name and axioms are forbidden', async () => {
    const context =
      'axiom bad : 2 = 3\ndef twice (n : Nat) : Nat := n + n\n\ntheorem own (n : Nat) : twice n = 2 * n := by\n  ';
    const engines = [
      listEngine('own', ['exact own n', 'exact absurd bad (by decide)', 'simp [twice]; omega', 'unfold twice']),
    ];
    const { url: other } = await serve(await suggesterOf({ engines }));
    const { body } = await post(`${other}/v2/suggest`, { context, all: true });
    expect(body.goals).toEqual(['n : Nat\n⊢ twice n = 2 * n']);
    const classes = Object.fromEntries(
      body.suggestions.map((one: { text: string; class: string }) => [one.text, one.class]),
    );
    expect(classes).toEqual({
      'simp [twice]; omega': 'done',
      'unfold twice': 'valid',
      'exact own n': 'forbidden',
      'exact absurd bad (by decide)': 'forbidden',
    });
  });

  test('scripts name theorems of the file that are like the goal, and never the one that is being proved', async () => {
    const context = [
      'def triple : Nat → Nat',
      '  | 0 => 0',
      '  | n + 1 => triple n + 3',
      '',
      'theorem other (p : Prop) (h : p) : p := h',
      'namespace Own',
      'theorem triple_eq (n : Nat) : triple n = 3 * n := by',
      '  induction n <;> simp_all [triple] <;> omega',
      '',
      'theorem same (a b : Nat) : triple (a * b) = 3 * (b * a) := by',
      '  ',
    ].join('\n');
    const { body } = await post(`${url}/v2/suggest`, { context });
    const [best] = body.suggestions;
    expect([best.class, best.source]).toEqual(['done', 'portfolio']);
    expect(best.text).toContain('Own.triple_eq');
    expect(best.text).not.toContain('same');
  });

  test.each([
    ['ex', '𝔸 : Type\nx : 𝔸\n⊢ x = x', 'exact rfl'],
    ['exact And.intro hp ', AND, 'exact And.intro hp hq'],
    ['exact ⟨h', 'p q r : Prop\nhp : p\nhq : q\n⊢ p ∧ q', null],
    ['rw [Nat.add_comm a, h', 'a b c : Nat\nhab : b + a = c\n⊢ a + b = c', 'rw [Nat.add_comm a, hab]'],
  ])('what begins with %s is completed without a model', async (prefix, tactic_state, text) => {
    const { body } = await post(`${portfolioUrl}/v2/suggest`, { tactic_state, prefix });
    const best = body.suggestions[0] ?? { class: 'none', text: null };
    expect([best.class, best.text]).toEqual(text === null ? ['none', null] : ['done', text]);
  });

  test('sends events as results come, the answer last', async () => {
    const response = await fetch(`${url}/v2/suggest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ tactic_state: 'n : Nat\n⊢ n + 0 = n' }),
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = (await response.text()).split('\n\n').flatMap((text) => /^event: (\w+)/u.exec(text)?.[1] ?? []);
    expect(events[0]).toBe('goals');
    expect(events).toContain('suggestion');
    expect(events.at(-1)).toBe('answer');
  });

  test('searches for a whole proof', { tags: ['slow'] }, async () => {
    const engines = [
      listEngine('steps', [
        'intro h',
        'cases h',
        'rename_i a',
        'exact Or.inr a',
        'rename_i b',
        'exact Or.inl b',
        'skip',
      ]),
    ];
    const { url: other } = await serve(await suggesterOf({ engines }));
    const asked = { tactic_state: 'p q : Prop\n⊢ p ∨ q → q ∨ p', search_seconds: 60 };
    const { body } = await post(`${other}/v2/suggest`, asked);
    expect(body.suggestions[0]).toMatchObject({ class: 'done', source: 'search' });
    expect(body.suggestions[0].text.split('\n').length).toBeGreaterThan(2);
  });
});

const ORDER = ['done', 'valid', 'invalid', 'forbidden'];

describe("llmstep's contract", () => {
  test('answers the bytes of its client with suggestions that begin with the prefix', async () => {
    const context = 'theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  ';
    const { status, body } = await post(url, llmstepBytes(AND, 'exact', context));
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['suggestions']);
    expect(body.suggestions[0]).toBe('exact ⟨hp, hq⟩');
    expect(body.suggestions.every((one: string) => one.startsWith('exact'))).toBe(true);
  });

  test('gives suggestions unchecked where the goal is of a library that is not here', async () => {
    const { body } = await post(url, llmstepBytes('f : ℕ → ℕ\n⊢ Monotone f', '', ''));
    expect(body.suggestions).toContain('constructor');
    const more = await post(`${url}/v2/suggest`, { tactic_state: 'f : ℕ → ℕ\n⊢ Monotone f' });
    expect(more.body.unchecked).toContain('ℕ');
    expect(new Set(more.body.suggestions.map((one: { checked: boolean }) => one.checked))).toEqual(new Set([false]));
  });
});

describe("LeanCopilot's contract", () => {
  test('generates with scores in order', async () => {
    const { body } = await post(`${url}/generate`, { name: 'stp', input: AND, prefix: 'exact' });
    expect(body.outputs[0].output).toBe('exact ⟨hp, hq⟩');
    const scores = body.outputs.map(({ score }: { score: number }) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    expect((await post(`${url}/generate`, { name: 'other', input: AND })).status).toBe(404);
  });

  test('encodes where an engine can', async () => {
    const embedding: Engine = { ...listEngine('vectors', []), embed: async () => Float32Array.of(0.5, 0.25) };
    const { url: other } = await serve(await suggesterOf({ engines: [embedding] }));
    expect((await post(`${other}/encode`, { name: 'vectors', input: AND })).body).toEqual({ outputs: [0.5, 0.25] });
    expect((await post(`${url}/encode`, { name: 'list', input: AND })).status).toBe(400);
  });
});

describe('bad input', () => {
  test('a path that cannot be decoded gets an error in our form', async () => {
    const answer = await fetch(`${url}/%zz`);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: { status: 400, message: expect.any(String) } },
    ]);
  });

  test.each([
    ['a goal of a megabyte', { tactic_state: 'x'.repeat(1_000_000), prefix: '' }, 413],
    ['a body of five megabytes', { tactic_state: AND, prefix: '', context: 'x'.repeat(5_000_000) }, 413],
    ['no goal', { prefix: '' }, 400],
    ['a separator in the prefix', { tactic_state: AND, prefix: 'a [SUGGESTION] b' }, 400],
    ['half a character', { tactic_state: '⊢ \ud800', prefix: '' }, 400],
    ['no JSON', '{"tactic_state": ', 400],
    ['no UTF-8', Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d]), 400],
  ])('%s', async (_, body, status) => {
    const answer = await post(url, body);
    expect(answer.status).toBe(status);
    expect(typeof answer.body.error).toBe('string');
  });

  test('the proxy of an editor passes on why a file is refused', async () => {
    const proxied = new SuggesterProcess({ url, key: null });
    const asked = proxied.ask({ context: 'x'.repeat(2_100_000) }, new AbortController().signal, () => {});
    await expect(asked).rejects.toThrow(/^the suggester answered 413: context: Too big/u);
  });

  test('line ends in a prefix are part of it', async () => {
    const { url: other } = await serve(
      await suggesterOf({ engines: [listEngine('lines', ['constructor\n· exact hp\n· exact hq'])] }),
    );
    const { body } = await post(other, llmstepBytes(AND, 'constructor\n', ''));
    expect(body.suggestions).toEqual(['constructor\n· exact hp\n· exact hq']);
  });

  test('another content type, another name of the host, and a missing key are refused', async () => {
    const { status } = await post(
      url,
      { tactic_state: AND, prefix: '' },
      { headers: { 'content-type': 'text/plain' } },
    );
    expect(status).toBe(415);
    const { hostname, port } = new URL(url);
    const foreign = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'a-page.example', 'content-type': 'application/json' };
      const sent = request({ hostname, port, method: 'POST', headers }, ({ statusCode }) => resolve(statusCode));
      sent.on('error', reject).end('{}');
    });
    expect(foreign).toBe(403);
    const guarded = await serve(suggester, { keys: ['secret'] });
    const asked = { tactic_state: '⊢ 2 = 2', prefix: '' };
    expect((await post(guarded.url, asked)).status).toBe(401);
    expect((await post(guarded.url, asked, { headers: { authorization: 'Bearer secret' } })).status).toBe(200);
  });

  test('a thousand at once: some are answered, the others are sent away for a while', { tags: ['slow'] }, async () => {
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => post(`${url}/v2/suggest`, { tactic_state: 'a : Nat\n⊢ a + 1 = 1 + a' })),
    );
    // On a busy machine, accepted requests may run out of time.
    const others = answers.filter(({ status }) => status !== 200 && status !== 504);
    expect(new Set(others.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))).toEqual(
      new Set(['429 1']),
    );
    expect((await post(`${url}/v2/suggest`, { tactic_state: 'a : Nat\n⊢ a + 1 = 1 + a' })).status).toBe(200);
  });
});

describe('faults', () => {
  const hangs: Engine = { ...listEngine('hangs', []), propose: () => new Promise(() => {}) };
  const limits = { stepMs: 4_000, checkMs: 30_000, engineMs: 300, answerMs: 60_000 };

  test('an engine that hangs: 504 alone, named beside others', async () => {
    const alone = await serve(await suggesterOf({ engines: [hangs], limits }));
    expect((await post(alone.url, { tactic_state: AND, prefix: '' })).status).toBe(504);
    const both = await serve(await suggesterOf({ engines: [hangs, listEngine('list', ['constructor'])], limits }));
    const { body } = await post(`${both.url}/v2/suggest`, { tactic_state: AND });
    expect(body.suggestions).toHaveLength(1);
    expect(body.failures).toEqual([{ source: 'hangs', reason: 'took longer than 0.3 s' }]);
  });

  test('an answer ends by its time: what is checked so far, the rest unchecked', async () => {
    const texts = Array.from({ length: 64 }, (_, n) => `have h${n} : ${n} = ${n} := by decide`);
    const engines = [listEngine('list', texts)];
    const { url: other } = await serve(await suggesterOf({ engines, limits: { ...limits, checkMs: 600_000 } }));
    const asked = { tactic_state: AND, answer_seconds: 0.05 };
    const { body } = await post(`${other}/v2/suggest`, asked);
    expect(body.unfinished).toBeGreaterThan(0);
    const open = body.suggestions.filter((one: { checked: boolean }) => !one.checked);
    expect(open.length).toBeGreaterThan(0);
    expect(open[0].reason).toBe('not checked: there was no time left');
    expect((await post(`${other}/v2/suggest`, asked)).body.cached).toBe(true);
  });

  test.each([
    ['one proposal', ['repeat (have := 1)', 'rfl']],
    ['some', ['repeat (have := 1)', 'repeat rw [Nat.add_comm]', 'sleep 600000', 'repeat (have := 2)', 'exact rfl']],
  ])('%s without an end costs its own bound, and the good one is checked', async (_, texts) => {
    const engines = [listEngine('endless', texts)];
    const limits = { stepMs: 2_000, checkMs: 4_000, engineMs: 20_000, answerMs: 10_000 };
    const { url: other } = await serve(await suggesterOf({ engines, limits }));
    const context = 'example (n : Nat) : n + 0 = n := by\n  ';
    const { body } = await post(`${other}/v2/suggest`, { context });
    const [best, ...rest] = body.suggestions;
    expect(best).toMatchObject({ text: texts.at(-1), class: 'done', checked: true });
    expect(rest.every((one: { class: string }) => ['invalid', 'valid', 'forbidden'].includes(one.class))).toBe(true);
  });

  test('closing scripts are tried together, and the one that closes is checked by itself', async () => {
    const closers = ['rfl', 'omega', 'exact absurd hp', 'exact ⟨hp, hq⟩', 'simp_all'];
    const list = closers.map((text) => ({ text, score: null, logprob: null, isCloser: true }));
    const engines = [{ ...listEngine('list', list), isQuiet: true }];
    const { url: other } = await serve(await suggesterOf({ engines }));
    const { body } = await post(`${other}/v2/suggest`, { tactic_state: AND });
    // The first tactic that closes the goal is shown, although others precede it; nothing else was checked.
    expect(body.suggestions.map((one: { text: string; class: string }) => [one.text, one.class])).toEqual([
      ['exact ⟨hp, hq⟩', 'done'],
    ]);
    const none = await post(`${other}/v2/suggest`, { tactic_state: 'p q : Prop\nhp : p\n⊢ p ∧ q' });
    expect(none.body.suggestions.filter((one: { class: string }) => one.class === 'done')).toEqual([]);
  });

  test('work ends when its client goes', async () => {
    const seen: AbortSignal[] = [];
    const waits: Engine = {
      ...listEngine('waits', []),
      propose: (_, signal) => {
        seen.push(signal);
        return new Promise(() => {});
      },
    };
    const { url: other } = await serve(await suggesterOf({ engines: [waits] }));
    const leave = new AbortController();
    const asked = post(`${other}/v2/suggest`, { tactic_state: AND }, { signal: leave.signal });
    await expect.poll(() => seen.length).toBe(1);
    leave.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => seen[0]!.aborted).toBe(true);
  });

  test('a Lean that is killed in a check is replaced, and the answer comes', { tags: ['slow'] }, async () => {
    const engines = [
      listEngine(
        'list',
        Array.from({ length: 24 }, (_, n) => `have h${n} : ${n} = ${n} := by decide`),
      ),
    ];
    const { url: other } = await serve(await suggesterOf({ engines }));
    const asked = post(`${other}/v2/suggest`, { tactic_state: AND, all: true });
    await expect.poll(() => markedProcesses(runMark).length).toBeGreaterThan(0);
    await pause(50);
    for (const pid of markedProcesses(runMark)) process.kill(pid, 'SIGKILL');
    const { body, status } = await asked;
    expect(status).toBe(200);
    expect(body.suggestions.filter((one: { class: string }) => one.class === 'valid').length).toBeGreaterThan(0);
  });
});

describe('a Lake project that is built anew below the service', () => {
  test('ends all answers, and is told to whoever opens it again', async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'A.olean'), 'a module');
    let told = 0;
    const { url: own } = await serve(suggester, {
      environment: { projectModules: { folders: [folder], marks: await moduleMarks([folder]) } },
      onStale: () => {
        told += 1;
      },
    });
    const ask = () => post(`${own}/v2/suggest`, { tactic_state: AND });
    expect([(await ask()).status, told]).toEqual([200, 0]);
    writeFileSync(join(folder, 'A.olean'), 'another module');
    await vi.waitFor(async () => expect((await ask()).status).toBe(503), { timeout: 30_000 });
    const { body, headers } = await ask();
    expect(body.error.message).toMatch(/built anew since it was opened here, and the server opens it again/);
    expect(headers.get('retry-after')).toBe('1');
    expect(told).toBeGreaterThan(0);
    expect((await fetch(`${own}/health`)).status).toBe(200);
    rmSync(folder, { recursive: true });
  });
});
