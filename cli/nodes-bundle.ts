/** `stp nodes bundle`: puts the worker's archive into the store, for machines to install. */
import { storeBundle } from '../infra/bootstrap/bundle.ts';
import { openStore } from '../infra/stores/open-store.ts';
import { REPOSITORY, workerSettings } from '../workers/settings.ts';

export async function bundle(options: { readonly json?: boolean }): Promise<void> {
  const { uri, sha256, bytes } = await storeBundle(REPOSITORY, await openStore(workerSettings().storeUri));
  if (options.json === true) console.log(JSON.stringify({ 'nodes.bundle': uri, 'nodes.bundleSha256': sha256, bytes }));
  else console.log(`--set nodes.bundle=${uri} --set nodes.bundleSha256=${sha256}\n${(bytes / 1e6).toFixed(0)} MB`);
}
