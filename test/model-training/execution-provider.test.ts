/** Which execution provider is chosen, and the real probe on this machine. Costs about 1 s. */
import { expect, test } from 'vitest';
import { type Accelerator, chooseProviders, executionProviders } from '../../model/embedded/execution-provider.ts';

const never = () => Promise.reject(new Error('must not be tried'));
const works = async () => null;
const only = (name: Accelerator) => async (asked: Accelerator) => (asked === name ? null : 'no driver');

test.for([
  { name: 'the CPU when asked for, without a look', wanted: 'cpu', device: true, probe: never, providers: ['cpu'] },
  { name: 'nothing is tried without a device', wanted: undefined, device: false, probe: never, providers: ['cpu'] },
  { name: 'CUDA first', wanted: undefined, device: true, probe: works, providers: ['cuda', 'cpu'] },
  { name: 'WebGPU next', wanted: '', device: true, probe: only('webgpu'), providers: ['webgpu', 'cpu'] },
  { name: 'only what is named', wanted: 'webgpu', device: false, probe: works, providers: ['webgpu', 'cpu'] },
  {
    name: 'the CPU where what is named fails',
    wanted: 'cuda',
    device: true,
    probe: only('webgpu'),
    providers: ['cpu'],
  },
])('$name', async ({ wanted, device, probe, providers }) => {
  expect((await chooseProviders(wanted, device, probe)).providers).toEqual(providers);
});

test('the note names every provider that failed and why, and an unknown provider is refused', async () => {
  const { note } = await chooseProviders(undefined, true, async (name) => `no ${name} library`);
  expect(note).toContain('cuda: no cuda library; webgpu: no webgpu library');
  await expect(chooseProviders('tpu', true, works)).rejects.toMatchObject({ code: 'STP1002' });
});

test('the real probe answers with providers that this machine has', async () => {
  process.env.STP_EXECUTION_PROVIDER = 'cuda';
  const { providers, note } = await executionProviders();
  delete process.env.STP_EXECUTION_PROVIDER;
  if (providers.length === 1) expect(note).toMatch(/^the CPU computes, not the GPU \(cuda: ./);
  expect(providers.at(-1)).toBe('cpu');
});
