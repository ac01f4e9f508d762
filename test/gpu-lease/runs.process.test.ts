/** Tests the runs of a GPU lease (`tools/bench/gpu/loop`). A program that records its arguments replaces `bin/stp`. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { resolveConfig } from '@stp/config';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPTS = resolve(import.meta.dirname, '../../tools/bench/gpu/loop');
/** The run has a first model only after a while; both write a table, and a checkpoint that is to stay. */
const PROGRAM = `#!/bin/sh
echo "$@" > "$STP_LEASE/$(basename "$7").called"
mkdir -p "$7/checkpoints" "$7/report" && echo weights > "$7/checkpoints/model" && echo round,proved > "$7/report/rounds.csv"
sleep 1
mkdir -p "$7/state" && echo '{}' > "$7/state/sft.json"
sleep 1
echo done
`;

let lease: string;
beforeEach(async () => {
  lease = await mkdtemp(join(tmpdir(), 'stp-lease-'));
  await mkdir(join(lease, 'stp/bin'), { recursive: true });
  await writeFile(join(lease, 'stp/bin/stp'), PROGRAM);
  await chmod(join(lease, 'stp/bin/stp'), 0o755);
});
afterEach(() => rm(lease, { recursive: true, force: true }));

const python = (script: string, ...options: string[]) =>
  execa('python3', [join(SCRIPTS, script), ...options], { env: { STP_LEASE: lease }, all: true });
const called = (name: string) => readFile(join(lease, `${name}.called`), 'utf8');
const configOf = async (name: string) => {
  const [, path] = /--config (\S+)/.exec(await called(name))!;
  return resolveConfig({
    preset: 'smollm2',
    file: { path: path!, content: JSON.parse(await readFile(path!, 'utf8')) },
  });
};

describe('the runs of a lease', () => {
  it('are the loop, and a control that begins with its first model and never trains', { timeout: 60_000 }, async () => {
    const measured = { engine: 'llama-cpp:128', tokensPerSecond: 2_000 };
    await writeFile(join(lease, 'engines.jsonl'), `${JSON.stringify(measured)}\n`);
    const { all } = await python('run.py');
    expect(all).toMatch(/sampling by llama-cpp:128\n.*the control begins\n.*ended with 0 and 0/);
    const [loop, control] = [await configOf('loop'), await configOf('control')];
    expect(loop.engines.generator).toMatchObject({ kind: 'llama-cpp', sequences: 128, contextLength: 1_024 });
    expect(control.engines.generator).toEqual(loop.engines.generator);
    expect([loop.training.from, control.training.from]).toEqual(['previous', 'none']);
    expect(loop.retrain.everyRounds).toBeGreaterThan(0);
    expect(control.retrain.everyRounds).toBe(0);
    expect(await called('control')).toContain(`--init-from ${lease}/runs/loop --from-round sft`);
    expect(await called('loop')).not.toContain('--init-from');
  });

  it('are sampled by the embedded engine where llama.cpp failed or is slow', { timeout: 60_000 }, async () => {
    for (const row of [{ failed: 'no GPU' }, { tokensPerSecond: 90 }]) {
      await writeFile(join(lease, 'engines.jsonl'), `${JSON.stringify({ engine: 'llama-cpp:128', ...row })}\n`);
      expect((await python('run.py')).all).toContain('sampling by embedded');
      expect((await configOf('loop')).engines.generator).toEqual({ kind: 'embedded' });
      await rm(join(lease, 'runs'), { recursive: true });
    }
  });

  it('leave all but their checkpoints', { timeout: 60_000 }, async () => {
    const { all } = await python('run.py', 'embedded');
    await writeFile(join(lease, 'run.out'), all);
    const { all: said } = await python('collect.py', lease, '600');
    expect(said).toMatch(/ended with 0 and 0/);
    for (const name of ['loop', 'control']) {
      const { stdout } = await execa('tar', ['-tf', join(lease, `${name}.tar.xz`)]);
      expect(stdout).toContain(`${name}/report/rounds.csv`);
      expect(stdout).not.toContain('checkpoints');
    }
    expect((await execa('tar', ['-tf', join(lease, 'logs.tar.xz')])).stdout).toContain('loop.log');
  });
});

describe('code of a CUDA library', () => {
  const container = (...pieces: readonly [kind: number, architecture: number, byte: number][]): Buffer => {
    const entries = pieces.map(([kind, architecture, byte]) => {
      const header = Buffer.alloc(64);
      header.writeUInt16LE(kind, 0);
      header.writeUInt32LE(64, 4);
      header.writeBigUInt64LE(16n, 8);
      header.writeUInt32LE(architecture, 28);
      return Buffer.concat([header, Buffer.alloc(16, byte)]);
    });
    const head = Buffer.alloc(16);
    head.writeUInt32LE(0xba55ed50, 0);
    head.writeUInt16LE(16, 6);
    head.writeBigUInt64LE(BigInt(entries.length * 80), 8);
    return Buffer.concat([head, ...entries]);
  };
  const dropped = async (data: Buffer) => {
    const code = `import sys; sys.path.insert(0, ${JSON.stringify(SCRIPTS)}); import one_gpu
data = bytearray.fromhex(sys.argv[1]); print(one_gpu.drop_others(data, 0, len(data)), data.hex())`;
    const { stdout } = await execa('python3', ['-c', code, data.toString('hex')]);
    const [whole, hex] = stdout.split(' ');
    return { whole, data: Buffer.from(hex!, 'hex') };
  };

  it('is kept for the one kind of GPU, in its place', async () => {
    const given = Buffer.concat([
      container([1, 80, 1], [1, 90, 2], [2, 90, 3]),
      Buffer.alloc(8),
      container([1, 90, 4]),
    ]);
    const { whole, data } = await dropped(given);
    expect(whole).toBe('True');
    expect(data).toHaveLength(given.length);
    const codes = [80, 160, 240, 264 + 80].map((end) => data.subarray(end, end + 16));
    expect(codes.map((code) => [...new Set(code)])).toEqual([[0], [2], [0], [4]]);
  });

  it('is refused where that kind could not run it', async () => {
    expect((await dropped(container([1, 80, 1], [2, 90, 3]))).whole).toBe('False');
  });
});
