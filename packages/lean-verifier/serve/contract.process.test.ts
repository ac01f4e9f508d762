/**
 * Kimina's contract, example by example, over HTTP and real Lean: what clients send and read. Costs about 40 s of CPU, most
 * of it starting Lean.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { DRIVER_NAMES } from '../testing/drivers.ts';
import { check, post, type Served, serveLean } from '../testing/served.ts';
import { whole } from '../testing/whole-file.ts';

describe.each(DRIVER_NAMES)('with the driver %s', (driver) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveLean({ driver });
  });

  it('answers what the published client tests a server with', async () => {
    expect(await check(served.server, ['#check Nat'])).toEqual([
      {
        id: '0',
        time: expect.any(Number),
        outcome: 'checked',
        response: {
          env: 0,
          messages: [
            {
              severity: 'info',
              pos: { line: 1, column: 0 },
              endPos: { line: 1, column: 6 },
              data: 'Nat : Type',
            },
          ],
        },
      },
    ]);
  });

  it('tells valid, wrong and unfinished snippets apart, in the order they came', async () => {
    const results = await check(served.server, [
      'theorem a (n : Nat) : n + 0 = n := by simp',
      'theorem a (n : Nat) : n + 1 = n := by simp',
      'import Init\n\ntheorem a : 1 = 2 := by\n  -- no sorry here\n  sorry',
      'theorem a : 1 = 2 := sorryAx _ false',
    ]);
    expect(results.map(({ id }) => id)).toEqual(['0', '1', '2', '3']);
    const [valid, wrong, unfinished, hidden] = results.map(({ response }) => response);
    expect(valid).toEqual({ env: 0 });
    expect(wrong?.messages?.map((message) => message.severity)).toContain('error');
    expect(wrong?.sorries).toBeUndefined();
    expect(unfinished?.sorries).toEqual([
      { pos: { line: 5, column: 2 }, endPos: { line: 5, column: 7 }, goal: expect.any(String) },
    ]);
    expect(unfinished?.messages).toMatchObject([{ severity: 'warning', pos: { line: 3, column: 8 } }]);
    expect(hidden?.sorries).toHaveLength(1);
  });

  it('tells the goals that were left open, where the driver can', async () => {
    const code =
      '/- 𝔸 -/\nimport Init\nimport Init.Data.List.Basic\ntheorem a (n : Nat) (h : 𝔸 ∨ n = 2) : n = 2 := by\n  cases h\n  · sorry\n  · admit\ntheorem b (p : Prop) : p := sorry'.replaceAll(
        '𝔸',
        'n = 3',
      );
    const [result] = await check(served.server, [code]);
    const goals = result?.response?.sorries?.map(({ goal }) => goal);
    if (driver === 'server')
      expect(goals).toEqual([
        'case inl\nn : Nat\nh✝ : n = 3\n⊢ n = 2',
        'case inr\nn : Nat\nh✝ : n = 2\n⊢ n = 2',
        'p : Prop\n⊢ p',
      ]);
    else expect(goals).toEqual(['', '', '']);
  });

  it('counts lines and columns as the client does, with text above and beside the imports', async () => {
    const codes = [
      'example : 1 = 2 := rfl',
      'import Init\nimport Init\n\nexample : 1 = 2 := rfl',
      '/- 𝔸 notice\nof two lines -/\nimport /- why -/ Init -- all of it\nexample : 1 = 2 := rfl',
      '-- 𝔸\n/- 𝔸 -/ import Init example : 1 = 2 := rfl',
      'import Init\r\n\r\nopen Nat\r\nexample : 1 = 2 := rfl',
    ];
    const results = await check(served.server, codes);
    for (const [index, { response }] of results.entries()) {
      const said = await whole(codes[index]!.replaceAll('\r\n', '\n'));
      expect(said.length).toBeGreaterThan(0);
      expect(response?.messages?.map(({ pos, data }) => ({ ...pos, data }))).toEqual(said);
    }
  });

  it('keeps nothing of a snippet for the next one', async () => {
    const results = [];
    for (const code of [
      'namespace Left\naxiom trick : False\nset_option autoImplicit true',
      'theorem a : False := trick',
      'open Left\ntheorem a : False := trick',
      '/- a comment that does not end',
      'theorem a : 1 = 1 := rfl',
    ])
      results.push(...(await check(served.server, [code])));
    expect(results.map(({ response }) => response?.messages?.map((message) => message.severity))).toEqual([
      undefined,
      ['error'],
      ['error', 'error'],
      ['error'],
      undefined,
    ]);
  });

  it('answers an import that is not there at its place, and goes on with others', async () => {
    const [missing, fine] = await check(served.server, [
      '-- first\nimport Nowhere.AtAll\ntheorem a : 1 = 1 := rfl',
      'import Init.Data.List.Basic\ntheorem a : 1 = 1 := rfl',
    ]);
    expect(missing).toMatchObject({
      outcome: 'header_error',
      response: { messages: [{ severity: 'error', pos: { line: 2, column: 0 } }] },
    });
    expect(missing?.response?.messages?.[0]?.data).toContain('Nowhere');
    expect(fine?.response).toEqual({ env: 0 });
  });

  it('tells of processes and times where it is asked to', async () => {
    const [result] = await check(served.server, ['theorem a : 1 = 1 := rfl'], { debug: true });
    expect(result?.diagnostics).toMatchObject({
      repl_uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      cpu_max: expect.any(Number),
      memory_max: expect.any(Number),
      queue_time: expect.any(Number),
    });
    expect(result?.diagnostics?.memory_max).toBeGreaterThan(50_000_000);
  });

  it('speaks the first version of the contract', async () => {
    const codes = [
      { custom_id: 7, proof: 'theorem a : 1 = 1 := rfl' },
      { custom_id: 'b', code: 'theorem b : 1 = 2 := rfl', proof: null },
    ];
    for (const route of ['/verify', '/one_pass_verify_batch']) {
      const { status, body } = await post(`${served.server.url}${route}`, { codes, timeout: 60, disable_cache: false });
      expect(status).toBe(200);
      expect(body.results).toMatchObject([
        { custom_id: '7', error: null, response: { env: 0, time: expect.any(Number) } },
        { custom_id: 'b', error: null, response: { messages: [{ severity: 'error' }, { severity: 'error' }] } },
      ]);
    }
  });

  it('answers with a slash at the end too', async () => {
    const snippets = [{ id: 'a', code: 'theorem a : 1 = 1 := rfl' }];
    expect((await post(`${served.server.url}/api/check/`, { snippets })).status).toBe(200);
  });

  it('reported no internal failure', () => {
    expect(served.failures).toEqual([]);
  });
});
