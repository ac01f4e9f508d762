/**
 * Tests that AXLE's published client works with our service, only by its address: `check`, `verify_proof`, `disprove`,
 * status and environments; missing features give messages. Costs about 40 s of CPU, and as much again the first time.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LeanService, startLeanService } from '../support/lean-service.ts';
import { smallPython } from './small-environment.ts';

const python = await smallPython('axle', 'the published client of AXLE');
const SLOW = { tags: ['slow'], timeout: 280_000 };

let service: LeanService;
beforeAll(async () => {
  if (python !== null) service = await startLeanService({ env: { STP_LEAN_SERVE_KEYS: 'secret' } });
}, 280_000);
afterAll(() => service?.close());

type Found = Record<string, unknown> & { okay?: boolean; failed_declarations?: string[]; tool_messages?: unknown };
const calls = async (all: readonly (readonly [method: string, fields: object])[], key = 'secret'): Promise<Found[]> =>
  (await python!('axle_calls.py', { url: service.url, key, calls: all })) as Found[];
const environment = 'lean-4.28.0';
const none = { errors: [], warnings: [], infos: [] };

describe.skipIf(python === null)('axiom-axle', () => {
  it('finds the server healthy, and its one Lean', SLOW, async () => {
    const [status, environments, latest] = await calls([
      ['check_status', {}],
      ['environments', {}],
      ['get_latest_environment', {}],
    ]);
    expect(status).toEqual({ status: 'healthy' });
    expect(environments).toEqual([
      { name: expect.stringMatching(/^lean-\d+\.\d+\.\d+/u), description: expect.any(String) },
    ]);
    expect(latest).toEqual((environments as unknown as Found[])[0]);
  });

  it('checks a file: what Lean says of it, and which declarations prove nothing', SLOW, async () => {
    const [good, hole, axiom, wrong, broken, slow] = await calls(
      [
        'theorem a : 1 = 1 := rfl\ntheorem b (n : Nat) : n + 0 = n := by simp',
        'import Mathlib\ntheorem a : 1 = 1 := rfl\ntheorem b : 1 = 2 := by sorry\n#check b',
        'axiom lie : 1 = 2\ntheorem a : 1 = 2 := lie',
        'theorem a : 1 = 1 := rfl\n\ntheorem «b c» : 1 = 2 := by\n  rfl',
        'import Nowhere\ntheorem a : 1 = 1 := rfl',
        'example : ∀ n : Nat, n = n := by\n  set_option maxHeartbeats 0 in\n  intro n; repeat (have := n)',
      ].map((content, index) => [
        'check',
        {
          content,
          environment,
          ...(index === 4 ? { ignore_imports: false } : {}),
          timeout_seconds: index === 5 ? 1 : 60,
        },
      ]),
    );
    expect(good).toMatchObject({ okay: true, failed_declarations: [], tool_messages: none, lean_messages: none });
    expect(good!.content).toBe('import Init\n\ntheorem a : 1 = 1 := rfl\ntheorem b (n : Nat) : n + 0 = n := by simp\n');
    expect(hole).toMatchObject({ okay: true, failed_declarations: ['b'] });
    expect(hole!.lean_messages).toEqual({
      errors: [],
      warnings: ['-:4:8-4:9: warning: declaration uses `sorry`\n'],
      infos: ['-:5:0-5:6: info: b : 1 = 2\n'],
    });
    expect(axiom).toMatchObject({ okay: true, failed_declarations: ['lie', 'a'] });
    expect(wrong).toMatchObject({ okay: false, failed_declarations: ['«b c»'] });
    expect(broken).toMatchObject({ okay: false });
    expect(slow).toMatchObject({ raised: 'LeanTimeout' });
  });

  it('names what rests on a refused proof, and nothing that stands beside it', SLOW, async () => {
    const content = [
      ...[
        'theorem a : 1 = 1 := rfl',
        'def b : Nat := sorry',
        'namespace N',
        'theorem b : 1 = 2 := by',
        '  omega',
        'theorem c : 3 = 4 := by simpa using b',
      ],
      ...['theorem d : 2 = 2 := rfl', 'end N', ''],
    ].join('\n');
    const formal_statement = 'theorem a : 1 = 1 := sorry\ntheorem N.c : 3 = 4 := sorry\ntheorem N.d : 2 = 3 := sorry';
    const [checked, verified] = await calls([
      ['check', { content, environment }],
      ['verify_proof', { formal_statement, content, environment }],
    ]);
    expect(checked).toMatchObject({ okay: false, failed_declarations: ['b', 'N.b', 'N.c'] });
    expect(verified).toMatchObject({ okay: false });
    expect(verified!.failed_declarations!.toSorted()).toEqual(['N.b', 'N.c', 'N.d']);
  });

  const STATEMENT = 'def d (n : Nat) : Nat := n + n\ntheorem main (n : Nat) : d n = 2 * n := by sorry';
  const GOOD = 'def d (n : Nat) : Nat := n + n';
  const PROOFS: Readonly<Record<string, readonly [content: string, okay: boolean, failed?: string[]]>> = {
    'a proof': [`${GOOD}\ntheorem main (n : Nat) : d n = 2 * n := by unfold d; omega`, true],
    'a proof with a lemma and other names of binders': [
      `${GOOD}\nprivate theorem help (k : Nat) : k + k = 2 * k := by omega\ntheorem main (m : Nat) : d m = 2 * m := help m`,
      true,
    ],
    'a hole': [`${GOOD}\ntheorem main (n : Nat) : d n = 2 * n := by sorry`, false, ['main']],
    'a hole in a lemma': [
      `${GOOD}\ntheorem help (k : Nat) : k + k = 2 * k := by sorry\ntheorem main (n : Nat) : d n = 2 * n := help n`,
      false,
      ['help', 'main'],
    ],
    'an axiom': [
      `${GOOD}\naxiom lie : False\ntheorem main (n : Nat) : d n = 2 * n := lie.elim`,
      false,
      ['lie', 'main'],
    ],
    'the axiom of a native decision': [
      `${GOOD}\ntheorem help : d 1 = 2 := by native_decide\ntheorem main (n : Nat) : d n = 2 * n := by unfold d; omega`,
      false,
    ],
    'another definition under the name': [
      'def d (n : Nat) : Nat := 2 * n\ntheorem main (n : Nat) : d n = 2 * n := rfl',
      false,
      ['main'],
    ],
    'an instance that gives the words another meaning': [
      `${GOOD}\ninstance (priority := high) : HMul Nat Nat Nat := ⟨fun a b => b + b + 0 * a⟩\ntheorem main (n : Nat) : d n = 2 * n := by simp [d, HMul.hMul]`,
      false,
      ['main'],
    ],
    'notation that gives the words another meaning': [
      `${GOOD}\nlocal notation:50 (priority := high) a:51 " = " b:51 => a ≤ a + b\ntheorem main (n : Nat) : d n = 2 * n := by omega`,
      false,
      ['main'],
    ],
    'another theorem': ['theorem main (n : Nat) : n = n := rfl', false, ['main']],
    'a stronger hypothesis': [`${GOOD}\ntheorem main (n : Nat) (h : d n = 2 * n) : d n = 2 * n := h`, false, ['main']],
    nothing: [GOOD, false, ['main']],
    'a definition in place of the theorem': [`${GOOD}\ndef main (n : Nat) : d n = 2 * n := by unfold d; omega`, false],
    'an error': [`${GOOD}\ntheorem main (n : Nat) : d n = 2 * n := by rfl`, false, ['main']],
    'code that runs while it is checked': [
      `${GOOD}\nopen Lean Elab Command in\nelab "cheat" : command => do pure ()\ntheorem main (n : Nat) : d n = 2 * n := by unfold d; omega`,
      false,
    ],
  };
  it('verifies proofs against a statement: accepts a proof, and nothing that only looks like one', SLOW, async () => {
    const found = await calls(
      Object.values(PROOFS).map(([content]) => ['verify_proof', { formal_statement: STATEMENT, content, environment }]),
    );
    const expected = Object.entries(PROOFS);
    expect(Object.fromEntries(expected.map(([name], index) => [name, found[index]!.okay]))).toEqual(
      Object.fromEntries(expected.map(([name, [, okay]]) => [name, okay])),
    );
    for (const [index, [name, [, , failed]]] of expected.entries())
      if (failed !== undefined) expect([name, found[index]!.failed_declarations!.toSorted()]).toEqual([name, failed]);
  });

  it('is told what it cannot have, and which Lean judged', SLOW, async () => {
    const proof = { formal_statement: STATEMENT, content: PROOFS['a proof']![0], environment };
    const found = await calls([
      ['verify_proof', { ...proof, permitted_sorries: ['main'] }],
      ['verify_proof', { ...proof, verify_negation: true }],
      ['verify_proof', { ...proof, allow_statement_axioms: true }],
      ['check', { content: 'theorem a : 1 = 1 := rfl', environment, global_options: { maxHeartbeats: 1 } }],
      ['verify_proof', { ...proof, formal_statement: 'theorem main : nowhere := sorry' }],
      ['verify_proof', { ...proof, formal_statement: 'axiom lie : False\ntheorem main : False := sorry' }],
      ['verify_proof', { ...proof, formal_statement: 'def answer : Nat := sorry\ntheorem main : answer = 3 := sorry' }],
      ['verify_proof', { ...proof, formal_statement: `import Init\n${STATEMENT}`, ignore_imports: false }],
      ['verify_proof', { ...proof, formal_statement: `import Lean\n${STATEMENT}`, ignore_imports: false }],
      ['verify_proof', { ...proof, mathlib_options: true }],
    ]);
    const messages = found.map(({ message }) => String(message).split('\n')[0]);
    expect(messages.slice(0, 9)).toEqual([
      'permitted_sorries is not to be had here: leave it out',
      'verify_negation is not to be had here: leave it out',
      'allow_statement_axioms is not to be had here: leave it out',
      'global_options is not to be had here: leave it out',
      expect.stringContaining('formal_statement does not compile'),
      'formal_statement declares the axiom lie',
      'formal_statement leaves the definition answer open, which cannot be compared here',
      'undefined',
      'formal_statement and content import different modules',
    ]);
    expect(found[7]).toMatchObject({ okay: true });
    expect(found[9]).toMatchObject({
      okay: true,
      tool_messages: { errors: [], warnings: ['mathlib_options is not read here'], infos: [] },
      info: { lean: expect.stringMatching(/^Lean/u), not_filled: expect.arrayContaining(['negation']) },
    });
  });

  it('disproves what is false, by name and by place', SLOW, async () => {
    const content =
      'theorem solid : 1 = 1 := rfl\ndef twice (n : Nat) := n + n\ntheorem A.bold (n : Nat) : twice n < 12 := sorry\nlemma last : 2 = 3 := sorry';
    const [all, some, absent] = await calls([
      ['disprove', { content, environment }],
      ['disprove', { content, environment, names: ['bold'], indices: [-1], terminal_tactics: ['decide'] }],
      ['disprove', { content, environment, names: ['nowhere'] }],
    ]);
    expect(all).toMatchObject({
      disproved_theorems: ['A.bold', 'last'],
      negated: { solid: '¬ (1 = 1)', 'A.bold': '¬ (∀ (n : Nat), twice n < 12)', last: '¬ (2 = 3)' },
      results: { 'A.bold': expect.stringMatching(/^disproved: It fails for n = \d+\.$/u) },
    });
    expect((all!.results as Record<string, string>).solid).toMatch(/^unknown: /u);
    expect(some).toMatchObject({ disproved_theorems: ['A.bold', 'last'] });
    expect(Object.keys(some!.results as object)).toEqual(['A.bold', 'last']);
    expect(absent).toMatchObject({ raised: 'AxleInvalidArgument', message: expect.stringContaining('nowhere') });
  });

  it('does not disprove what rests on a theorem above, nor one of two theorems of one name', SLOW, async () => {
    const above = 'theorem a : True := trivial\n';
    const statement = 'theorem t : (by first | exact (fun _ => True) a | exact False) := trivial';
    const two = 'namespace A\ntheorem t : (1 : Nat) = 2 := sorry\nend A\ntheorem t : True := trivial';
    const [rests, same] = await calls([
      ['disprove', { content: `${above}${statement}`, environment, names: ['t'] }],
      ['disprove', { content: two, environment }],
    ]);
    expect(rests).toMatchObject({ disproved_theorems: [], results: { t: expect.stringContaining('theorem a above') } });
    expect(same).toMatchObject({ raised: 'AxleInvalidArgument', message: expect.stringContaining('several theorems') });
  });

  it('without the key is turned away', SLOW, async () => {
    const [found] = await calls([['check', { content: '#check Nat', environment }]], 'wrong');
    expect(found).toMatchObject({ raised: 'AxleInvalidArgument', message: expect.stringContaining('401') });
  });
});
