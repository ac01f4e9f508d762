/**
 * Clients of a Lean service, as many as are asked for, until their time is over: most ask about theorems whose answers are
 * known, a tenth hangs up in the middle, a tenth sends garbage, some send texts on which Lean dies. Prints what came of it as one
 * line of JSON. Runs on a machine of a rehearsal; the key comes by STP_LEAN_KEY.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CRASHING, GREEDY } from './deadly-texts.ts';
import type { LoadFigures } from './load.ts';

const [, , url = '', clients = '1', seconds = '10'] = process.argv;
const headers = { 'content-type': 'application/json', authorization: `Bearer ${process.env.STP_LEAN_KEY}` };
const ANSWER_MS_MAX = 120_000;
const PAUSE_MS = 500;

/** Texts by whether Lean accepts them; each client has numbers of its own in them, so that no answer is another's. */
const TEXTS: readonly (readonly [accepts: boolean, text: (n: number) => string])[] = [
  [true, (n) => `theorem a${n} : ${n} + ${n + 1} = ${2 * n + 1} := rfl`],
  [false, (n) => `theorem a${n} : ${n} + ${n + 1} = ${2 * n + 2} := rfl`],
  [true, (n) => `theorem a${n} (p q : Prop) (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩`],
  [false, (n) => `theorem a${n} (p q : Prop) (h : p ∨ q) : q ∧ p := ⟨h.2, h.1⟩`],
  [true, (n) => `theorem a${n} (x : Nat) : x + 0 = x := by simp`],
  [false, (n) => `theorem a${n} (x : Nat) : x + ${n + 1} = x := by simp`],
];
/** Every so many requests of a client are such a text; of these every tenth takes all the memory that a check may have. */
const DEADLY_EVERY = 40;
const GARBAGE: readonly string[] = [
  '{"snippets": [',
  '[]',
  '{"snippets": [{"id": 1}]}',
  `{"snippets": [{"id": "a", "code": "${'x'.repeat(300_000)}"}]}`,
  '\u0000\u0001\u0002',
  '{"__proto__": {"a": 1}, "snippets": []}',
];
const answerSchema = z.object({
  results: z.array(
    z.object({
      outcome: z.string(),
      // As Kimina's: a file without messages has none of the key.
      response: z.object({ messages: z.array(z.object({ severity: z.string() })).default([]) }).optional(),
    }),
  ),
});

const figures: LoadFigures = {
  right: 0,
  wrong: [],
  none: {},
  refused: 0,
  deadly: {},
  hungUp: 0,
  garbage: 0,
  garbageTaken: 0,
  p50Ms: 0,
  p99Ms: 0,
};
const answerMs: number[] = [];
const until = Date.now() + 1_000 * Number(seconds);

function none(why: string): void {
  figures.none[why] = (figures.none[why] ?? 0) + 1;
}

async function client(number: number): Promise<void> {
  for (let turn = 0; Date.now() < until; turn += 1) {
    const kind = (number + turn) % 10;
    try {
      if ((number + turn) % DEADLY_EVERY === 1) await askDeadly((number + turn) % (10 * DEADLY_EVERY) === 1);
      else if (kind === 3) await hangUp(number, turn);
      else if (kind === 7) await sendGarbage(number + turn);
      else await ask(number, turn);
    } catch (error) {
      none(`${(error as Error).name}: ${(error as Error).message.slice(0, 80).replaceAll(/\s+/g, ' ')}`);
      await sleep(PAUSE_MS);
    }
  }
}

const post = (body: string, signal: AbortSignal) =>
  fetch(`${url}/api/check`, { method: 'POST', headers, body, signal });

type Result = z.infer<typeof answerSchema>['results'][number];

/** Null where the service had no room, or another word than a result, which is counted. */
async function resultOf(code: string): Promise<Result | null> {
  const response = await post(
    JSON.stringify({ snippets: [{ id: 'a', code }], timeout: 60 }),
    AbortSignal.timeout(ANSWER_MS_MAX),
  );
  if (response.status === 429 || response.status === 503) {
    figures.refused += 1;
    await response.arrayBuffer();
    await sleep(PAUSE_MS);
    return null;
  }
  if (!response.ok) {
    none(`status ${response.status}: ${(await response.text()).slice(0, 80)}`);
    return null;
  }
  return answerSchema.parse(await response.json()).results[0]!;
}

const isAccepted = ({ response }: Result): boolean =>
  response !== undefined && !response.messages.some(({ severity }) => severity === 'error');

async function ask(number: number, turn: number): Promise<void> {
  const [accepts, text] = TEXTS[(number * 7 + turn) % TEXTS.length]!;
  const code = text(number * 1_000 + turn);
  const begun = Date.now();
  const result = await resultOf(code);
  if (result === null) return;
  if (result.outcome !== 'checked') return none(result.outcome);
  answerMs.push(Date.now() - begun);
  if (isAccepted(result) === accepts) figures.right += 1;
  else figures.wrong.push(code);
}

async function askDeadly(isGreedy: boolean): Promise<void> {
  const code = isGreedy ? GREEDY : CRASHING;
  const result = await resultOf(code);
  if (result === null) return;
  figures.deadly[result.outcome] = (figures.deadly[result.outcome] ?? 0) + 1;
  if (isAccepted(result)) figures.wrong.push(code);
}

async function hangUp(number: number, turn: number): Promise<void> {
  const [, text] = TEXTS[turn % TEXTS.length]!;
  const body = JSON.stringify({ snippets: [{ id: 'a', code: text(number) }], timeout: 60 });
  figures.hungUp += 1;
  await post(body, AbortSignal.timeout(5 + ((number * 31 + turn * 17) % 400))).then(
    (response) => response.arrayBuffer().then(() => undefined),
    () => undefined,
  );
}

async function sendGarbage(turn: number): Promise<void> {
  const response = await post(GARBAGE[turn % GARBAGE.length]!, AbortSignal.timeout(ANSWER_MS_MAX));
  figures.garbage += 1;
  if (response.ok) figures.garbageTaken += 1;
  await response.arrayBuffer();
}

await Promise.all(Array.from({ length: Number(clients) }, (_, number) => client(number)));
answerMs.sort((one, other) => one - other);
const quantile = (share: number): number =>
  answerMs[Math.min(answerMs.length - 1, Math.floor(share * answerMs.length))] ?? 0;
console.log(JSON.stringify({ ...figures, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }));
process.exit();
