/** An agent proves a theorem of the example project by the server's tools, over the official client. About half a minute of two cores. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { answersOf } from '../e2e/verify-rows.ts';
import { stp } from '../support/stp.ts';
import { builtProject, type OpenedClient, type OpenedProject, openedClient } from './opened.ts';

vi.setConfig({ testTimeout: 180_000 });

let project: OpenedProject;
let agent: OpenedClient;
beforeAll(async () => {
  project = await builtProject();
  agent = await openedClient(project.folder);
}, 180_000);
afterAll(async () => {
  await agent?.client.close();
  await project?.remove();
});

const FILE = `import Shelf.Basic

namespace Shelf

theorem total_twice (xs : List Nat) : total (twice xs) = 2 * total xs := by
  sorry

end Shelf
`;

it('says what it can do', async () => {
  const { tools } = await agent.client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    ...['check_file', 'disprove', 'explain_certificate', 'find_premises', 'goals_at', 'search_proof'],
    ...['try_tactics', 'verify_proof'],
  ]);
  for (const { inputSchema, outputSchema, annotations, description } of tools) {
    expect(inputSchema.additionalProperties).toBe(false);
    expect(Object.keys(outputSchema?.properties ?? {})).not.toHaveLength(0);
    expect(annotations?.readOnlyHint).toBe(true);
    expect(description).toMatch(/\.$/u);
  }
});

describe('a theorem with a hole', () => {
  const path = 'Mine.lean';
  const position = { path, line: 6, column: 2 };
  const edit = async (replace: unknown, text: string): Promise<void> => {
    const { start, end } = replace as Record<'start' | 'end', { line: number; column: number }>;
    const lines = (await readFile(join(project.folder, path), 'utf8')).split('\n');
    const line = lines[start.line - 1]!;
    lines[start.line - 1] = line.slice(0, start.column) + text + line.slice(end.column);
    await writeFile(join(project.folder, path), lines.join('\n'));
  };

  it('is found to be open, proved by tactics, and accepted', async () => {
    await writeFile(join(project.folder, path), FILE);
    const open = await agent.call('check_file', { path });
    expect(open).toMatchObject({ outcome: 'rejected', theorems: [{ name: 'Shelf.total_twice', verdict: 'rejected' }] });
    const { goals, replace } = await agent.call('goals_at', position);
    expect(goals).toEqual(['xs : List Nat\n⊢ total (twice xs) = 2 * total xs']);
    const { premises } = await agent.call('find_premises', { goal: (goals as string[])[0] });
    expect((premises as { name: string }[]).map(({ name }) => name)).toContain('Shelf.total_twice');
    // A theorem cannot be proved by itself or by theorems below it.
    const near = await agent.call('find_premises', position);
    expect((near.premises as { name: string }[]).map(({ name }) => name)).not.toContain('Shelf.total_twice');
    const progress: string[] = [];
    const { results } = await agent.call(
      'try_tactics',
      {
        ...position,
        tactics: [
          'simp',
          'induction xs',
          'sorry',
          'exact total_twice xs',
          'induction xs with\n| nil => rfl\n| cons x xs ih =>\n  simp [twice, total, ih]\n  omega',
        ],
      },
      { onProgress: (message) => progress.push(message) },
    );
    const tried = results as { class: string; goals: string[]; new_text: string | null }[];
    expect(tried.map((one) => one.class)).toEqual(['invalid', 'valid', 'forbidden', 'forbidden', 'done']);
    expect(tried[1]!.goals).toHaveLength(2);
    expect(progress).toContain('1 of 5 tactics');
    await edit(replace, tried[4]!.new_text!);
    const checked = await agent.call('check_file', { path });
    expect(checked).toMatchObject({
      outcome: 'accepted',
      theorems: [{ name: 'Shelf.total_twice', verdict: 'accepted', line: 5 }],
      is_stale: false,
    });
    const { stdout, exitCode } = await stp(['check', '--json', path], {
      cwd: project.folder,
      env: { STP_LEAN_PROJECT: project.folder },
    });
    expect(answersOf(stdout)[0]).toMatchObject({ name: 'Shelf.total_twice', verdict: 'accepted' });
    expect(exitCode).toBe(0);
  });

  it('is proved by a search, too', async () => {
    await writeFile(join(project.folder, path), FILE);
    const found = await agent.call('search_proof', { ...position, seconds: 120 });
    expect(found).toMatchObject({ proof: expect.stringContaining('induction'), problem: null });
    await edit(found.replace, String(found.new_text));
    expect(await agent.call('check_file', { path })).toMatchObject({ outcome: 'accepted' });
  });
});

it('judges the other theorems of a text in which Lean refuses a proof', async () => {
  const text =
    'theorem a : 1 = 1 := rfl\ntheorem b : 1 = 2 := by\n  omega\ntheorem c : 3 = 4 := by simpa using b\nexample : 2 = 2 := rfl\n';
  const found = await agent.call('check_file', { text });
  const verdicts = (found.theorems as { name: string; verdict: string; message: string }[]).map(
    ({ name, verdict, message }) => [name, verdict, message.slice(0, 10)],
  );
  expect(verdicts).toEqual([
    ['a', 'accepted', ''],
    ['b', 'rejected', '3:2: omega'],
    ['c', 'rejected', 'rests on `'],
    ['example', 'accepted', ''],
  ]);
  expect(found).toMatchObject({ outcome: 'rejected', reason: expect.stringContaining('in line 2') });
});

it('judges a proof, certifies it, and explains the certificate', async () => {
  const statement = 'theorem t (xs : List Nat) : Shelf.total (xs ++ []) = Shelf.total xs';
  const rows = { header: 'import Shelf', statement };
  const bad = await agent.call('verify_proof', { ...rows, proof: '  rfl' });
  expect(bad).toMatchObject({ verdict: 'rejected', certificate_uri: null, message: expect.stringMatching(/^1:2: /u) });
  const good = await agent.call('verify_proof', { ...rows, proof: '  simp', certificate: true });
  expect(good).toMatchObject({
    verdict: 'proved',
    checks: expect.arrayContaining([expect.objectContaining({ by: 'second kernel', outcome: 'accepted' })]),
  });
  const uri = String(good.certificate_uri);
  const { resources } = await agent.client.listResources();
  expect(resources.map((one) => one.uri)).toContain(uri);
  const { contents } = await agent.client.readResource({ uri });
  expect((contents[0] as { text: string }).text).toBe(good.certificate);
  expect(await agent.call('explain_certificate', { uri })).toMatchObject({
    problem: null,
    verdict: 'confirmed',
    explanation: expect.arrayContaining([expect.stringContaining(statement)]),
  });
  const edited = String(good.certificate).replace('(xs ++ [])', '(xs ++ xs)');
  expect(await agent.call('explain_certificate', { certificate: edited })).toMatchObject({
    verdict: 'differs',
    differences: [{ field: 'statementHash' }],
  });
  // The command line says the same of the file.
  const file = join(project.folder, 'certificate.json');
  await writeFile(file, String(good.certificate));
  const { stdout } = await stp(['certificate', 'check', '--json', file], {
    env: { STP_LEAN_PROJECT: project.folder },
  });
  expect(answersOf(stdout)).toMatchObject([{ verdict: 'confirmed' }]);
});

/** The values are Lean terms, in the order of the variables, of which Lean proves that the claim fails. */
async function expectFails(
  { values }: Record<string, unknown>,
  claim: string,
  variables: readonly string[],
  header: string,
): Promise<void> {
  const found = values as { name: string; value: string }[];
  expect(found.map(({ name }) => name)).toEqual(variables);
  const statement = `theorem fails : ¬ (${claim}) ${found.map(({ value }) => `(${value})`).join(' ')}`;
  expect(await agent.call('verify_proof', { header, statement, proof: '  decide' })).toMatchObject({
    verdict: 'proved',
  });
}

it('disproves a statement about the project’s own functions, and searches one that holds', async () => {
  const header = 'import Shelf\nopen Shelf';
  const found = await agent.call('disprove', { header, statement: 'theorem t (xs : List Nat) : total xs = xs.length' });
  expect(found).toMatchObject({ verdict: 'disproved', words: expect.stringMatching(/^It fails for xs = /u) });
  await expectFails(found, 'fun (xs : List Nat) => total xs = xs.length', ['xs'], header);
  const other = await agent.call('disprove', {
    statement: 'theorem t : ∀ (n : Nat) (b : Bool), (if b then n else n + 1) = n',
  });
  await expectFails(other, 'fun (n : Nat) (b : Bool) => (if b then n else n + 1) = n', ['n', 'b'], 'import Init');
  const { negation, proof } = found;
  expect(await agent.call('verify_proof', { header, statement: negation, proof })).toMatchObject({ verdict: 'proved' });
  const searched = await agent.call('search_proof', {
    ...{ header, statement: 'theorem t (xs : List Nat) : total (0 :: xs) = total xs', seconds: 60 },
  });
  expect(searched).toMatchObject({ problem: null, judgement: { verdict: 'proved' } });
});

it('opens its Lean anew when the project is built again', async () => {
  const statement = 'theorem t : Shelf.answer = 42';
  const asked = { header: 'import Shelf.Answer', statement, proof: '  rfl' };
  expect(await agent.call('verify_proof', asked)).toMatchObject({ verdict: 'header_error' });
  const before = await agent.call('verify_proof', {
    statement: 'theorem t : 1 = 1',
    proof: '  rfl',
    certificate: true,
  });
  await writeFile(join(project.folder, 'Shelf', 'Answer.lean'), 'def Shelf.answer := 42\n');
  const script = (await readFile(join(project.folder, 'build.sh'), 'utf8')).replace(
    'Shelf/Basic',
    'Shelf/Answer Shelf/Basic',
  );
  await writeFile(join(project.folder, 'build.sh'), script);
  await project.build();
  expect(await agent.call('verify_proof', asked)).toMatchObject({ verdict: 'proved' });
  // The certificate of before names modules that are not there any more.
  expect(await agent.call('explain_certificate', { certificate: before.certificate })).toMatchObject({
    verdict: 'differs',
    differences: [{ field: 'fingerprint' }],
  });
});
