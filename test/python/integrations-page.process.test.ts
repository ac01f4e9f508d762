/**
 * Runs the examples of docs/integrations.md against services on this machine; they print the output that the page
 * shows. A model of some thousand weights replaces the reader's: it answers with proofs, wrong proofs and holes.
 * Examples without their packages are skipped with a message. About a minute and a half of a core.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LeanService, startLeanService } from '../support/lean-service.ts';
import { freePort } from '../support/ports.ts';
import { REPOSITORY, stp } from '../support/stp.ts';
import { interpreter, runPython, skipsPython, systemPython } from './python.ts';
import { smallInterpreter } from './small-environment.ts';

const PAGE = readFileSync(join(REPOSITORY, 'docs/integrations.md'), 'utf8');
const LINES_MAX = 10;
const SLOW = { tags: ['slow'], timeout: 280_000 };
const folder = mkdtempSync(join(tmpdir(), 'stp-integrations-'));
let service: LeanService;
beforeAll(async () => {
  service = await startLeanService();
}, 280_000);
afterAll(async () => {
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The indented blocks below a heading of the page. */
function blocksOf(heading: string): string[] {
  const section = PAGE.split(/^## /mu).find((text) => text.startsWith(`${heading}\n`))!;
  const blocks: string[][] = [[]];
  for (const line of section.split('\n'))
    if (line.startsWith('    ')) blocks.at(-1)!.push(line.slice(4));
    else if (line !== '') blocks.push([]);
    else if (blocks.at(-1)!.length > 0) blocks.at(-1)!.push('');
  return blocks.map((lines) => lines.join('\n').trimEnd()).filter((text) => text !== '');
}

const MODEL_NAME = 'prover';

/** Runs a block of the page as a script; `places` stands for what is the reader's own. */
async function run(
  python: string,
  block: string,
  replacements: Readonly<Record<string, string>> = {},
): Promise<string> {
  let text = block.replaceAll('http://localhost:8000', service.url);
  for (const [ours, theirs] of Object.entries(replacements)) {
    expect(text).toContain(ours);
    text = text.replaceAll(ours, theirs);
  }
  const script = join(folder, 'example.py');
  writeFileSync(script, text);
  const { stdout } = await execa(python, [script], {
    cwd: folder,
    timeout: 240_000,
    env: {
      ...{ PYTHONPATH: join(REPOSITORY, 'packages/python/src'), PYTHONDONTWRITEBYTECODE: '1', MODEL_KEY: 'none' },
      ...{ STP_VERIFIER_URL: service.url, HF_HUB_OFFLINE: '1', OMP_NUM_THREADS: '1', CUDA_VISIBLE_DEVICES: '' },
      ...{ TRANSFORMERS_VERBOSITY: 'error', WANDB_MODE: 'disabled', NO_PROXY: '127.0.0.1,localhost' },
    },
  });
  return stdout.trim();
}

/** A folder with a model that answers with a proof, a wrong one, or a hole. */
async function makeModel(): Promise<string> {
  const directory = join(folder, 'model');
  const statement = 'theorem t (a b : Nat) : a + b = b + a';
  const answers = ['omega', 'rfl', 'sorry'].map((tactic) => `\n\`\`\`lean4\n${statement} := by\n  ${tactic}\n\`\`\`\n`);
  await runPython('make_answering_model.py', { directory, answers });
  return directory;
}

const system = systemPython()?.command ?? null;
const axle = await smallInterpreter('axle', "the page's example for AXLE");
const kimina = await smallInterpreter('kimina', "the page's example for Kimina");
const noTrainers = skipsPython("the page's examples for TRL and verifiers");

it('has examples of ten lines at most', () => {
  for (const heading of ['Python', 'TRL', 'veRL', 'verifiers', 'AXLE', 'Kimina', 'HTTP'])
    for (const block of blocksOf(heading))
      expect([heading, block.split('\n').filter((line) => line.trim() !== '').length <= LINES_MAX]).toEqual([
        heading,
        true,
      ]);
});

describe('the example for', () => {
  it.skipIf(system === null)('Python', { timeout: 280_000 }, async () => {
    const [example, printed] = blocksOf('Python');
    expect(await run(system!, example!)).toBe(printed);
  });

  it.skipIf(system === null)('veRL', { timeout: 280_000 }, async () => {
    const [, example, printed] = blocksOf('veRL');
    expect(await run(system!, example!)).toBe(printed);
  });

  it('HTTP', { timeout: 280_000 }, async () => {
    const [command] = blocksOf('HTTP');
    const { stdout } = await execa('bash', ['-c', command!.replace('localhost:8000', new URL(service.url).host)]);
    expect(JSON.parse(stdout)).toMatchObject({ results: [{ id: 'a', verdict: 'proved' }] });
  });

  it.skipIf(axle === null)('AXLE', SLOW, async () => {
    const [example, printed] = blocksOf('AXLE');
    expect(await run(axle!, example!)).toBe(printed);
  });

  it.skipIf(kimina === null)('Kimina', SLOW, async () => {
    const [example, printed] = blocksOf('Kimina');
    // Python 3.11 lacks what the client imports.
    const shim =
      'import sys, typing, typing_extensions\nif sys.version_info < (3, 12): typing.TypedDict = typing_extensions.TypedDict\n';
    expect((await run(kimina!, shim + example!)).split('\n').at(-1)).toBe(printed);
  });

  it.skipIf(noTrainers)('TRL: two steps of GRPO with rewards from Lean', SLOW, async () => {
    const [example] = blocksOf('TRL');
    const shown = 'import json\nprint(json.dumps(trainer.state.log_history))';
    const replacements = {
      '"MODEL"': JSON.stringify(await makeModel()),
      'logging_steps=1': 'logging_steps=1, use_cpu=True, report_to="none", max_completion_length=8, seed=5',
    };
    const log = JSON.parse(
      (await run(interpreter, `${example}\n${shown}`, replacements)).split('\n').at(-1)!,
    ) as Record<string, number>[];
    const steps = log.filter((entry) => 'rewards/lean_reward/mean' in entry);
    expect(steps).toHaveLength(2);
    for (const step of steps) {
      expect(step['lean/proved']).toBe(step['rewards/lean_reward/mean']);
      expect(step['lean/not_judged']).toBe(0);
    }
    // Some of the model's answers are proofs, and not all: rewards come from Lean.
    const means = steps.map((step) => step['rewards/lean_reward/mean']!);
    expect(Math.max(...means)).toBeGreaterThan(0);
    expect(Math.min(...means)).toBeLessThan(1);
  });

  it.skipIf(noTrainers)('verifiers, with our own server for the model', SLOW, async () => {
    const port = await freePort();
    const model = stp([
      'serve',
      '--model',
      await makeModel(),
      '--name',
      MODEL_NAME,
      '--threads',
      '1',
      '--port',
      String(port),
    ]);
    try {
      await new Promise<void>((resolve, reject) => {
        model.stdout?.on('data', (text: Buffer) => {
          if (text.includes('serving ')) resolve();
        });
        model.then((result) => reject(new Error(String(result.all))), reject);
      });
      const [example] = blocksOf('verifiers');
      const replacements = {
        'http://localhost:8001': `http://127.0.0.1:${port}`,
        '"max_tokens": 1024': '"max_tokens": 4',
      };
      const shown =
        'import json\nprint(json.dumps([{"said": one["completion"][-1]["content"], "reward": one["reward"]} for one in found["outputs"] if not one.get("error")]))';
      const rollouts = JSON.parse(
        (await run(interpreter, `${example}\n${shown}`, replacements)).split('\n').at(-1)!,
      ) as {
        said: string;
        reward: number;
      }[];
      expect(rollouts.length).toBeGreaterThan(0);
      // The last theorem with its proof counts.
      for (const { said, reward } of rollouts)
        expect([said, reward]).toEqual([said, /omega\n```\s*$/u.test(said) ? 1 : 0]);
    } finally {
      model.kill('SIGKILL');
      await model;
    }
  });
});
