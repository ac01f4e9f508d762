/**
 * `POST /api/verify` of the service as a process: verdicts on proofs and on models' answers, the same as the command line's. Some
 * thirty seconds of a core.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORMAT_NAMES } from '@stp/config';
import { post } from '@stp/lean-verifier/testing-hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LeanService, startLeanService } from '../support/lean-service.ts';
import { stp } from '../support/stp.ts';

let service: LeanService;
beforeAll(async () => {
  service = await startLeanService({ args: ['--processes', '2'] });
}, 280_000);
afterAll(() => service?.close());

const header = 'import Init';
const COMMUTES = 'theorem commutes (a b : Nat) : a + b = b + a';
const block = (code: string): string => `I think so.\n\`\`\`lean4\n${code}\n\`\`\`\n`;
const verify = (rows: readonly object[]) =>
  post(`${service.url}/api/verify`, { rows: rows.map((row, index) => ({ id: String(index), header, ...row })) }, {});
/** Verdicts on answers to `COMMUTES`. */
const answered = async (answers: readonly string[], more: object = {}) => {
  const rows = answers.map((answer) => ({ statement: COMMUTES, answer, format: 'goedel-prover-v2', ...more }));
  return (await verify(rows)).body.results.map(({ verdict }) => verdict);
};

describe('verdicts', () => {
  it('are those of `bin/stp verify`, on proofs and attempts to deceive', async () => {
    const rows = [
      { statement: COMMUTES, proof: '  omega' },
      { statement: COMMUTES, proof: '  exact Nat.add_comm a b' },
      { statement: 'theorem no : (1 : Nat) = 2', proof: '  sorry' },
      { statement: 'theorem no : (1 : Nat) = 2', proof: '  rfl' },
      { statement: 'theorem no : (1 : Nat) = 2', proof: '  exact sorryAx _ false' },
      { statement: 'theorem no : (1 : Nat) = 2', proof: '  native_decide' },
      { statement: 'theorem no : (1 : Nat) = 2', proof: '  skip\n\naxiom lie : (1 : Nat) = 2' },
      { statement: 'theorem no (n : Nat) : nowhere n', proof: '  simp' },
    ].map((row, index) => ({ id: String(index), header, ...row }));
    const file = join(service.scratch, 'rows.jsonl');
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const command = await stp(['verify', file, '--json', '--sandbox', 'where-available']);
    const expected = String(command.stdout)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const { results } = (await verify(rows)).body;
    const shared = ({ id, verdict, axioms }: Record<string, unknown>) => ({ id, verdict, axioms });
    expect(results.map(shared)).toEqual(expected.map(shared));
    expect(results.map(({ verdict }) => verdict).slice(0, 3)).toEqual(['proved', 'proved', 'sorry']);
    expect(results.slice(2).map(({ verdict }) => verdict)).not.toContain('proved');
    expect(results[0]).toMatchObject({ proof: '  omega', changed: false, dropped: null, message: '' });
  });

  it('on answers are read by the format, under the statement that was asked for', async () => {
    expect(
      await answered([
        block(`${COMMUTES} := by\n  omega`),
        block('theorem commutes (a b : Nat) : a + b = b + a := Nat.add_comm a b'),
        block(`${COMMUTES} := by\n  sorry`),
        block('axiom lie : False\ntheorem commutes (a b : Nat) : a + b = b + a := lie.elim'),
        'It is obvious.',
        `\`\`\`lean4\n${COMMUTES} := by\n  omega`,
      ]),
    ).toEqual(['proved', 'proved', 'sorry', 'no_proof', 'no_proof', 'proved']);
    expect(await answered([`\`\`\`lean4\n${COMMUTES} := by\n  omega`], { finish: 'length' })).toEqual(['no_proof']);
  });

  it('on answers that state another theorem are refused on demand, and never on their statement', async () => {
    const easier = block('theorem commutes (a b : Nat) : a = a := rfl');
    const hypothesis = block('theorem commutes (a b : Nat) (h : a + b = b + a) : a + b = b + a := by\n  exact h');
    const renamed = block('theorem commutes (x y : Nat) : x + y = y + x := by\n  omega');
    const answers = [easier, hypothesis, renamed];
    expect(await answered(answers, { when_changed: 'refuse' })).toEqual(Array(3).fill('changed_statement'));
    // Under our statement the proof counts for what it is worth.
    expect(await answered(answers, { when_changed: 'ours' })).toEqual(['rejected', 'rejected', 'proved']);
  });

  it('on answers in every format that has proofs in Lean', async () => {
    const { formats } = (await (await fetch(`${service.url}/api/environment`)).json()) as { formats: string[] };
    expect(formats).toEqual(FORMAT_NAMES.filter((name) => name !== 'words'));
    const rows = formats.map((format) => {
      const isWhole = ['embedded', 'stp', 'deepseek-prover-v1.5'].includes(format);
      const answer = isWhole ? '  omega\n' : block(`${COMMUTES} := by\n  omega`);
      return { statement: COMMUTES, answer, format };
    });
    expect((await verify(rows)).body.results.map(({ verdict }) => verdict)).toEqual(formats.map(() => 'proved'));
  });
});

describe('a request', () => {
  it.each([
    ['for an unknown format', { statement: COMMUTES, answer: 'a', format: 'mine' }, /is none of embedded, stp/],
    ['for an answer without a format', { statement: COMMUTES, answer: 'a' }, /no `format`/],
    ['with a proof and an answer', { statement: COMMUTES, proof: 'a', answer: 'b', format: 'stp' }, /one of `proof`/],
    ['with half a character', { statement: COMMUTES, proof: '  /- \ud800 -/ omega' }, /half a character/],
    ['with a misspelt key', { statement: COMMUTES, proof: 'a', headers: 'import Init' }, /headers/],
  ])('%s is refused, and the answer says where', async (_, row, said) => {
    const { status, body } = await verify([{ statement: COMMUTES, proof: '  rfl' }, row]);
    expect(status).toBe(422);
    expect(JSON.stringify(body.detail)).toMatch(said);
    expect(JSON.stringify(body.detail)).toContain('"rows",1');
  });

  it('with an answer of a megabyte and more gets a verdict on it, and on the others', async () => {
    const verdicts = await answered(['x'.repeat(1_200_000), block(`${COMMUTES} := by\n  omega`)]);
    expect(verdicts).toEqual(['no_proof', 'proved']);
  });

  it('that a page in a browser could send is refused', async () => {
    const plain = { headers: { 'content-type': 'text/plain' } };
    for (const path of ['/api/verify', '/api/check', '/api/v1/check'])
      expect((await post(`${service.url}${path}`, { rows: [] }, plain)).status).toBe(415);
  });
});
