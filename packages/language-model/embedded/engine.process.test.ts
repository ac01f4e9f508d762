/**
 * The engine behind its ports, in real processes: what it gives, and every way its processes can end. Signals are sent to
 * the processes for real. Costs about 25 seconds of CPU, most of it starting processes.
 */
import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { markedProcesses } from '../../../test/support/processes.ts';
import { readManifest, writeCheckpoint } from '../checkpoint/checkpoint.ts';
import { readModel } from '../checkpoint/model-folder.ts';
import type { Completion, Generator, SampleRequest } from '../generator.ts';
import { LEAN_TEXTS, SMALL_SHAPE, smallCheckpoint, temporaryDirectory } from '../testing/small-checkpoint.ts';
import type { TrainRequest } from '../trainer.ts';
import { embeddedGenerator, embeddedTrainer } from './engine.ts';
import { EngineProcess } from './process/engine-process.ts';
import type { SamplingMessage, SamplingRequest } from './process/sampling-messages.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const SAMPLING = { temperature: 1, topP: 0.95, maxTokens: 60 };
const engineError = expect.objectContaining({ name: 'StpError', code: 'STP1301', retryable: true });

async function checkpointDirectory(): Promise<string> {
  const directory = join(await temporaryDirectory(), 'model');
  await writeCheckpoint(directory, smallCheckpoint());
  return directory;
}

async function openGenerator(
  options: { threads?: number; runMark?: string; staysWarm?: boolean } = {},
): Promise<Generator> {
  const generator = await embeddedGenerator({ threads: 1, batchSize: 8, ...options })(await checkpointDirectory());
  onTestFinished(() => generator.close());
  return generator;
}

/** Makes requests that mix prompts. Ids repeat, since samples of a statement share its id. */
function requestsFor(samplesEach: number): SampleRequest[] {
  return Array.from({ length: samplesEach * LEAN_TEXTS.length }, (_, index) => {
    const text = LEAN_TEXTS[index % LEAN_TEXTS.length]!;
    return { id: `s${index % LEAN_TEXTS.length}`, prompt: text.slice(0, text.indexOf('<by>') + 4), seed: 31 * index };
  });
}

const newMark = (name: string) => `test-${name}-${process.pid}-${Math.random().toString(36).slice(2)}`;

/** Starts sampling and waits for the first sample, so that work is in progress. */
function startSampling(generator: Generator, samplesEach: number, signal?: AbortSignal) {
  let begun = () => {};
  const underWay = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const requests = requestsFor(samplesEach);
  const sampling = generator.sample(requests, SAMPLING, { onProgress: () => begun(), ...(signal && { signal }) });
  return { underWay: Promise.race([underWay, sampling]), sampling };
}

describe('embedded generator', () => {
  it('answers in the order of the requests, the same from any number of processes', async () => {
    const requests = requestsFor(6);
    const reported: number[] = [];
    const one = await (await openGenerator()).sample(requests, SAMPLING, {
      onProgress: ({ completions }) => reported.push(completions),
    });
    expect(one.map(({ id }) => id)).toEqual(requests.map(({ id }) => id));
    expect(reported.at(-1)).toBe(requests.length);
    expect(reported).toEqual([...reported].sort((a, b) => a - b));
    const two = await openGenerator({ threads: 2 });
    expect(await two.sample(requests, SAMPLING)).toEqual(one);
    // Two concurrent calls share batches, and each gets its own samples.
    const [left, right] = await Promise.all([
      two.sample(requests.slice(0, 10), SAMPLING),
      two.sample(requests.slice(10), SAMPLING),
    ]);
    expect([...left, ...right]).toEqual(one);
  });

  it('refuses a damaged checkpoint, and options that make no sense', async () => {
    const directory = await checkpointDirectory();
    const weights = join(directory, 'model.safetensors');
    const content = await readFile(weights);
    content[content.length - 1]! ^= 1;
    await writeFile(weights, content);
    const opening = embeddedGenerator({ threads: 2, batchSize: 8 })(directory);
    await expect(opening).rejects.toThrow(expect.objectContaining({ code: 'STP1302', retryable: false }));
    const generator = await openGenerator();
    const [request] = requestsFor(1);
    for (const wrong of [
      { temperature: -1 },
      { topP: 0 },
      { topP: 1.1 },
      { maxTokens: 0 },
      { temperature: Number.NaN },
    ]) {
      const sampling = generator.sample([request!], { ...SAMPLING, ...wrong });
      await expect(sampling).rejects.toThrow(expect.objectContaining({ code: 'STP1002' }));
    }
    await expect(generator.sample([{ ...request!, seed: 0.5 }], SAMPLING)).rejects.toThrow(
      expect.objectContaining({ code: 'STP1002' }),
    );
    expect(await generator.sample([], SAMPLING)).toEqual([]);
  });

  it('fails with a typed error when its process is killed, and the next try goes on from what was finished', async () => {
    const mark = newMark('kill');
    const generator = await openGenerator({ runMark: mark });
    // Enough requests that the engine still works when it is killed, even if its first samples arrive late here.
    const requests = requestsFor(60);
    const expected = await generator.sample(requests, SAMPLING);
    const [pid, ...others] = markedProcesses(mark);
    expect(others).toEqual([]);
    let finished = 0;
    const sampling = generator.sample(requests, SAMPLING, {
      onProgress: ({ completions }) => {
        if (completions > 0 && finished === 0) process.kill(pid!, 'SIGKILL');
        finished = completions;
      },
    });
    await expect(sampling).rejects.toThrow(engineError);
    expect(finished).toBeGreaterThan(0);
    expect(finished).toBeLessThan(requests.length);
    const reported: number[] = [];
    const again = await generator.sample(requests, SAMPLING, {
      onProgress: ({ completions }) => reported.push(completions),
    });
    expect(again).toEqual(expected);
    expect(reported[0]).toBeGreaterThanOrEqual(finished);
    expect(markedProcesses(mark)).not.toContain(pid);
  });

  it('loses only the calls that had samples in the process that died', async () => {
    const mark = newMark('one-of-two');
    const generator = await openGenerator({ threads: 2, runMark: mark });
    const before = markedProcesses(mark);
    expect(before.length).toBe(2);
    const { underWay, sampling } = startSampling(generator, 200);
    await underWay;
    process.kill(before[0]!, 'SIGKILL');
    await expect(sampling).rejects.toThrow(engineError);
    const expected = await generator.sample(requestsFor(2), SAMPLING);
    const after = markedProcesses(mark);
    expect(after).toContain(before[1]);
    expect(after.length).toBe(2);
    expect(expected.length).toBe(2 * LEAN_TEXTS.length);
  });

  it('stops when told: rejects with the reason of the signal and leaves no process', async () => {
    const mark = newMark('abort');
    const generator = await openGenerator({ threads: 2, runMark: mark });
    const abort = new AbortController();
    const { underWay, sampling } = startSampling(generator, 200, abort.signal);
    await underWay;
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(sampling).rejects.toBe(reason);
    expect(markedProcesses(mark)).toEqual([]);
    await expect(generator.sample(requestsFor(1), SAMPLING, { signal: abort.signal })).rejects.toBe(reason);
    expect((await generator.sample(requestsFor(1), SAMPLING)).length).toBe(LEAN_TEXTS.length);
  });

  it('that stays warm keeps its process when it is stopped, and drops what nobody waits for', async () => {
    const mark = newMark('warm');
    const generator = await openGenerator({ runMark: mark, staysWarm: true });
    const expected = await generator.sample(requestsFor(1), SAMPLING);
    const before = markedProcesses(mark);
    const abort = new AbortController();
    const { underWay, sampling } = startSampling(generator, 5_000, abort.signal);
    await underWay;
    abort.abort(new Error('enough'));
    await expect(sampling).rejects.toThrow('enough');
    // After thirty thousand samples this would take minutes.
    expect(await generator.sample(requestsFor(1), SAMPLING)).toEqual(expected);
    expect(markedProcesses(mark)).toEqual(before);
    expect(before).toHaveLength(1);
  });

  it('hands over each sample when it is finished, and text as it comes', async () => {
    const generator = await openGenerator({ threads: 2 });
    const requests = requestsFor(4);
    const finished = new Map<number, Completion>();
    const texts = requests.map(() => '');
    const completions = await generator.sample(requests, SAMPLING, {
      onText: (index, delta) => {
        expect(finished.has(index)).toBe(false);
        expect(delta).not.toBe('');
        texts[index] += delta;
      },
      onCompletion: (index, completion) => finished.set(index, completion),
    });
    expect(texts).toEqual(completions.map(({ text }) => text));
    expect(completions.map((_, index) => finished.get(index))).toEqual(completions);
    // Streaming does not change the text.
    expect(await generator.sample(requests, SAMPLING)).toEqual(completions);
  });

  it('ends at stop texts, with what was chosen until then', async () => {
    const generator = await openGenerator();
    const requests = requestsFor(4);
    const whole = await generator.sample(requests, { ...SAMPLING, tokenLogprobs: true });
    const stop = ['e', ' '];
    let texts = '';
    const cut = await generator.sample(
      requests,
      { ...SAMPLING, stop, tokenLogprobs: true },
      {
        onText: (_, delta) => {
          texts += delta;
        },
      },
    );
    expect(texts).not.toMatch(/[e ]/);
    for (const [index, completion] of cut.entries()) {
      const { text, tokens, finish, logprob, tokenLogprobs } = whole[index]!;
      expect(completion.text).toBe(text.split(/[e ]/)[0]);
      if (completion.text === text) expect(completion).toEqual(whole[index]);
      else expect(completion.finish).toBe('stop');
      expect(completion.tokens).toBeLessThanOrEqual(tokens);
      expect(completion.tokenLogprobs).toEqual(tokenLogprobs!.slice(0, completion.tokens));
      expect(tokenLogprobs!.length).toBe(tokens);
      expect(tokenLogprobs!.reduce((sum, token) => sum + token.logprob, 0)).toBeCloseTo(logprob!, 8);
      expect(tokenLogprobs!.at(-1)!.token === '<end>').toBe(finish === 'stop');
    }
    expect(cut.some(({ text }, index) => text !== whole[index]!.text)).toBe(true);
    for (const wrong of [[''], ['x'.repeat(65)], new Array(9).fill('x'), ['\uD800']]) {
      const sampling = generator.sample(requests, { ...SAMPLING, stop: wrong });
      await expect(sampling).rejects.toThrow(expect.objectContaining({ code: 'STP1002' }));
    }
  });

  it('fails a call whose own code throws, and no other', async () => {
    const generator = await openGenerator();
    const expected = await generator.sample(requestsFor(2), SAMPLING);
    const mistake = new Error('a mistake');
    const failing = generator.sample(requestsFor(50), SAMPLING, {
      onCompletion: () => {
        throw mistake;
      },
    });
    const other = generator.sample(requestsFor(2), SAMPLING);
    await expect(failing).rejects.toBe(mistake);
    expect(await other).toEqual(expected);
  });

  it('embeds in the order of the texts, the same from any number of processes, beside samples', async () => {
    const [one, two] = [await openGenerator(), await openGenerator({ threads: 2 })];
    const texts = Array.from({ length: 700 }, (_, index) => `${LEAN_TEXTS[index % LEAN_TEXTS.length]} ${index}`);
    const vectors = await one.embed(texts);
    expect(vectors.length).toBe(texts.length);
    expect(new Set(vectors.map((vector) => vector.length))).toEqual(new Set([one.model.hiddenSize]));
    const [again, last, completions] = await Promise.all([
      two.embed(texts),
      two.embed(texts.slice(-1)),
      two.sample(requestsFor(2), SAMPLING),
    ]);
    expect(again).toEqual(vectors);
    expect(last[0]).toEqual(vectors.at(-1));
    expect(completions).toEqual(await one.sample(requestsFor(2), SAMPLING));
    expect(await one.embed([])).toEqual([]);
  });

  it('fails embedding with a typed error when its process is killed, and stops it when told', async () => {
    const mark = newMark('embed');
    const generator = await openGenerator({ runMark: mark });
    const texts = Array.from({ length: 20_000 }, (_, index) => `${LEAN_TEXTS[0]} ${index}`);
    const embedding = generator.embed(texts);
    for (const pid of markedProcesses(mark)) process.kill(pid, 'SIGKILL');
    await expect(embedding).rejects.toThrow(engineError);
    const abort = new AbortController();
    const aborted = generator.embed(texts, { signal: abort.signal });
    abort.abort();
    await expect(aborted).rejects.toBe(abort.signal.reason);
    expect((await generator.embed(texts.slice(0, 2))).length).toBe(2);
    const closed = expect(generator.embed(texts)).rejects.toThrow(engineError);
    await generator.close();
    await closed;
    await expect(generator.embed(texts)).rejects.toThrow(engineError);
  });

  it('says what model it has', async () => {
    const directory = await checkpointDirectory();
    const generator = await embeddedGenerator({ threads: 1, batchSize: 8 })(directory);
    onTestFinished(() => generator.close());
    const { contextLength, vocabularySize, hiddenSize } = SMALL_SHAPE;
    const name = (await readManifest(directory)).model;
    expect(generator.model).toEqual({ name, contextLength, vocabularySize, hiddenSize });
  });

  it('drops an aborted call beside another, which goes on', async () => {
    const generator = await openGenerator();
    const expected = await generator.sample(requestsFor(2), SAMPLING);
    const abort = new AbortController();
    const { underWay, sampling } = startSampling(generator, 200, abort.signal);
    await underWay;
    const other = generator.sample(requestsFor(2), SAMPLING);
    abort.abort();
    await expect(sampling).rejects.toBe(abort.signal.reason);
    expect(await other).toEqual(expected);
  });

  it('closes: what runs fails, what comes later fails, no process is left', async () => {
    const mark = newMark('close');
    const generator = await openGenerator({ runMark: mark });
    const { underWay, sampling } = startSampling(generator, 200);
    await underWay;
    const failed = expect(sampling).rejects.toThrow(engineError);
    await generator.close();
    await failed;
    expect(markedProcesses(mark)).toEqual([]);
    await expect(generator.sample(requestsFor(1), SAMPLING)).rejects.toThrow(engineError);
  });

  it('does not outlive the process that started it', async () => {
    const mark = newMark('orphan');
    const engine = new URL('./engine.ts', import.meta.url).href;
    const program = `
      const { embeddedGenerator } = await import(${JSON.stringify(engine)});
      const generator = await embeddedGenerator({ threads: 1, batchSize: 8, runMark: ${JSON.stringify(mark)} })(process.argv[1]);
      console.log('open');
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program, await checkpointDirectory()], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => parent.stdout.once('data', resolve));
    expect(markedProcesses(mark).length).toBe(1);
    parent.kill('SIGKILL');
    while (markedProcesses(mark).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});

describe('engine process', () => {
  it('is given up when it is silent while messages are due', async () => {
    const directory = await checkpointDirectory();
    let engine: EngineProcess<SamplingRequest, SamplingMessage> | undefined;
    const failure = new Promise<Error>((resolve) => {
      engine = new EngineProcess<SamplingRequest, SamplingMessage>({
        entry: new URL('./process/sampling-child.ts', import.meta.url),
        silenceLimitMs: 200,
        onMessage: () => {
          // An idle engine may be silent. Then it is stopped while it has work.
          process.kill(engine!.pid!, 'SIGSTOP');
          engine!.setBusy(true);
        },
        onFailure: resolve,
      });
      engine.send({ type: 'open', opening: directory, rows: 2 });
    });
    expect(await failure).toEqual(engineError);
    expect((await failure).message).toContain('no sign of progress');
    await engine!.end();
  });

  it('says so when it runs out of memory, and passes on the errors of its work', { tags: ['slow'] }, async () => {
    const directory = await temporaryDirectory();
    const serve = new URL('./process/serve.ts', import.meta.url).href;
    const errors = new URL('../../base/errors.ts', import.meta.url).href;
    const fail = async (name: string, body: string) => {
      const path = join(directory, `${name}.ts`);
      await writeFile(
        path,
        `import { serve } from '${serve}';\nimport { StpError } from '${errors}';\nserve(async () => { ${body} });`,
      );
      return new Promise<Error>((resolve) => {
        const engine = new EngineProcess({ entry: new URL(`file://${path}`), onMessage: () => {}, onFailure: resolve });
        engine.send({});
      });
    };
    const memory = await fail('memory', 'const all = []; for (;;) all.push(new Array(3e7).fill(0.5));');
    expect(memory).toEqual(engineError);
    expect(memory.message).toContain('ran out of memory');
    const typed = await fail(
      'typed',
      "throw new StpError('STP1302', 'cut short', 'Fetch it again.', { facts: { file: 'x' } });",
    );
    expect(typed).toMatchObject({
      code: 'STP1302',
      message: 'cut short',
      advice: 'Fetch it again.',
      retryable: false,
      facts: { file: 'x' },
    });
    const plain = await fail('plain', "throw new TypeError('a mistake');");
    expect(plain).toMatchObject({ code: 'STP1301', message: 'a mistake', retryable: false });
    const exit = await fail('exit', 'process.exit(7);');
    expect(exit).toEqual(engineError);
    expect(exit.message).toContain('exit code 7');
  });
});

describe('embedded trainer', () => {
  const requestFor = async (steps: number): Promise<TrainRequest> => {
    const directory = await temporaryDirectory();
    const examplesPath = join(directory, 'examples.jsonl');
    const examples = LEAN_TEXTS.map((text) => {
      const [prompt, target] = text.split('<by>') as [string, string];
      return JSON.stringify({ prompt: `${prompt}<by>`, target, weight: 1, role: 'prover' });
    });
    await writeFile(examplesPath, `${examples.join('\n')}\n`);
    return {
      examplesPath,
      initDirectory: null,
      shape: { ...SMALL_SHAPE, hiddenSize: 48, feedForwardSize: 96 },
      outputDirectory: join(directory, 'model'),
      steps,
      tokensPerStep: 320,
      learningRate: 5e-3,
      warmupSteps: 3,
      schedule: 'constant',
      weightDecay: 0,
      gradientClipNorm: 1,
      seed: 1,
      stateDirectory: null,
      heldOutPath: null,
      heldOutEverySteps: 10,
    };
  };

  it('trains in a process of its own, and the generator samples what it learnt', async () => {
    const mark = newMark('train');
    const request = await requestFor(60);
    const losses: number[] = [];
    const trainer = embeddedTrainer({ threads: 1, runMark: mark });
    const result = await trainer.train(request, { onProgress: ({ loss }) => losses.push(loss) });
    expect(losses.length).toBe(60);
    expect(result.finalLoss).toBeLessThan(losses[0]! / 4);
    expect(markedProcesses(mark)).toEqual([]);
    expect((await readModel(request.outputDirectory)).training?.steps).toBe(60);
    const generator = await embeddedGenerator({ threads: 1, batchSize: 8 })(request.outputDirectory);
    onTestFinished(() => generator.close());
    const greedy = await generator.sample(requestsFor(1), { ...SAMPLING, temperature: 0 });
    const learnt = greedy.filter(
      ({ text, finish }, at) => finish === 'stop' && LEAN_TEXTS[at]!.endsWith(`<by>${text}`),
    );
    expect(learnt.length).toBeGreaterThanOrEqual(4);
  });

  it('ends with its signal or its process, typed, with nothing left of the checkpoint', async () => {
    const mark = newMark('train-abort');
    const trainer = embeddedTrainer({ threads: 1, runMark: mark });
    const request = await requestFor(100_000);
    const abort = new AbortController();
    const reason = new Error('enough');
    const aborted = trainer.train(request, { signal: abort.signal, onProgress: () => abort.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    expect(markedProcesses(mark)).toEqual([]);
    let isKilled = false;
    const killed = trainer.train(request, {
      onProgress: () => {
        if (isKilled) return;
        isKilled = true;
        for (const pid of markedProcesses(mark)) process.kill(pid, 'SIGKILL');
      },
    });
    await expect(killed).rejects.toThrow(engineError);
    expect(markedProcesses(mark)).toEqual([]);
    const parent = join(request.outputDirectory, '..');
    expect(await readdir(parent)).toEqual(['examples.jsonl']);
  });
});
