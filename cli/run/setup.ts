/** `stp setup`: installs missing programs, so that a run starts at once. */
import { openSandbox } from '@stp/lean-verifier';
import { installLlamaCpp } from '../../infra/llama-cpp/install.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { temporalExecutable } from './temporal.ts';

export async function setup(options: { readonly with?: 'llama-cpp' }): Promise<void> {
  const settings = workerSettings();
  const say = (line: string): void => console.log(line);
  if (options.with === 'llama-cpp') {
    const { version, device, names, library } = await installLlamaCpp({ ...settings, say });
    return say(`llama.cpp by node-llama-cpp ${version}, on ${[device, ...names].join(', ')}: ${library}`);
  }
  const temporal = await temporalExecutable(settings, say);
  say(`Temporal ${temporal.version} (${temporal.source}): ${temporal.executable}`);
  const lean = await leanEnvironment(settings, say);
  say(`${lean.version} (${lean.source}): ${lean.executable}`);
  const { cacheDirectory } = settings;
  const { facts } = await openSandbox('where-available', {
    cacheDirectory,
    environment: lean,
    install: 'auto',
    onProgress: say,
  });
  if (facts.kind !== 'none') say(`sandbox: ${facts.description}, probed`);
  say(`workflows bundled: ${await workflowBundle(settings.cacheDirectory)}`);
}
