/** Tests rewards as veRL and `verifiers` request them. About half a minute of a core if the packages are installed. */
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LeanService, startLeanService } from '../support/lean-service.ts';
import { freePort } from '../support/ports.ts';
import { REPOSITORY } from '../support/stp.ts';
import { runPython, skipsPython, systemPython } from './python.ts';
import { smallPython } from './small-environment.ts';

const SLOW = { tags: ['slow'], timeout: 280_000 };
const STATEMENT = 'theorem t (a b : Nat) : a + b = b + a';
const block = (proof: string, statement = STATEMENT): string =>
  `So:\n\`\`\`lean4\n${statement} := by\n  ${proof}\n\`\`\``;
const ANSWERS = [
  block('omega'),
  block('rfl'),
  block('sorry'),
  block('omega', 'theorem t (a b : Nat) : b + a = a + b'),
  'No.',
];

const python = systemPython()?.command ?? null;
const verl = await smallPython('verl', "veRL's calls of a score function");
const noVerifiers = skipsPython('the rubric for verifiers');
let service: LeanService;
beforeAll(async () => {
  service = await startLeanService();
}, 280_000);
afterAll(() => service?.close());

/** Calls a function of `stp_verifier.verl` with keyword arguments; the answer, or the name of what it raised. */
async function score(name: string, fields: object, url = service.url): Promise<unknown> {
  const script = `
import json, sys
import stp_verifier.verl as verl
from stp_verifier import Verifier
verl._verifier = lambda: Verifier(${JSON.stringify(url)}, patience=0.2 if ${url === service.url ? 0 : 1} else 100)
try:
    print(json.dumps(getattr(verl, ${JSON.stringify(name)})(**json.load(sys.stdin))))
except Exception as error:
    print(json.dumps({"raised": type(error).__name__}))
`;
  const { stdout } = await execa(python!, ['-c', script], {
    input: JSON.stringify(fields),
    env: { PYTHONPATH: join(REPOSITORY, 'packages/python/src'), PYTHONDONTWRITEBYTECODE: '1' },
  });
  return JSON.parse(stdout);
}

it.skipIf(verl === null || python === null)(
  'veRL calls our functions with the names that they have',
  SLOW,
  async () => {
    const calls = (await verl!('verl_signature.py', {})) as Record<string, string[][]>;
    const one = {
      data_source: 'lean',
      solution_str: ANSWERS[0],
      ground_truth: STATEMENT,
      extra_info: { header: 'import Init' },
    };
    const many = {
      data_sources: ANSWERS.map(() => 'lean'),
      solution_strs: ANSWERS,
      ground_truths: ANSWERS.map(() => STATEMENT),
      extra_infos: ANSWERS.map(() => ({ header: 'import Init', rollout_reward_scores: {} })),
    };
    expect(calls['naive.py']!.flat()).toEqual(expect.arrayContaining(Object.keys(one)));
    expect(calls['batch.py']).toEqual([Object.keys(many)]);
    // Its asynchronous managers pass more, which depends on the run; `format` comes from `reward_kwargs`.
    const more = Object.fromEntries(calls['naive.py']!.flat().map((name) => [name, null]));
    expect(await score('compute_score', { ...more, ...one, format: 'goedel-prover-v2' })).toEqual({
      score: 1,
      verdict: 'proved',
    });
    const verdicts = ['proved', 'rejected', 'sorry', 'changed_statement', 'no_proof'];
    expect(await score('compute_scores', { ...many, format: 'goedel-prover-v2' })).toEqual(
      verdicts.map((verdict) => ({ score: verdict === 'proved' ? 1 : 0, verdict })),
    );
    const dead = `http://127.0.0.1:${await freePort()}`;
    expect(await score('compute_score', { ...one, format: 'goedel-prover-v2' }, dead)).toEqual({ raised: 'NoVerdict' });
  },
);

it.skipIf(noVerifiers)('the rubric scores a group at once, and raises where nobody can judge', SLOW, async () => {
  const given = {
    url: service.url,
    dead: `http://127.0.0.1:${await freePort()}`,
    rows: [{ question: 'Prove it.', statement: STATEMENT, header: 'import Init' }],
    completions: ANSWERS,
  };
  const { judged, dead } = (await runPython('lean_rubric.py', given)) as {
    judged: { states: unknown[]; alone: number };
    dead: { raised: string; rewards: unknown[] };
  };
  expect(judged.alone).toBe(1);
  expect(judged.states).toEqual(
    [1, 0, 0, 0, 0].map((reward, index) => ({
      reward,
      advantage: expect.closeTo(reward - 0.2, 6),
      metrics: { proved: reward, changed_statement: index === 3 ? 1 : 0 },
    })),
  );
  expect(dead.raised).toContain('gave no verdict');
  expect(dead.rewards).toEqual(ANSWERS.map(() => null));
});
