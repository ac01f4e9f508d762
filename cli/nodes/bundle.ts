/** `stp nodes bundle`: writes the worker's archive into the store or a file, for machines to install. */
import { makeBundle, storeBundle } from '../../infra/bootstrap/bundle.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { REPOSITORY, workerSettings } from '../../workers/settings.ts';

export async function bundle(options: { readonly json?: boolean; readonly file?: string }): Promise<void> {
  if (options.file !== undefined) {
    const { sha256, bytes } = await makeBundle(REPOSITORY, options.file);
    const said = { file: options.file, sha256, bytes };
    console.log(
      options.json === true
        ? JSON.stringify(said)
        : `${options.file}, ${(bytes / 1e6).toFixed(0)} MB, SHA-256 ${sha256}`,
    );
    return;
  }
  const { uri, sha256, bytes } = await storeBundle(REPOSITORY, await openStore(workerSettings().storeUri));
  if (options.json === true) console.log(JSON.stringify({ 'nodes.bundle': uri, 'nodes.bundleSha256': sha256, bytes }));
  else console.log(`--set nodes.bundle=${uri} --set nodes.bundleSha256=${sha256}\n${(bytes / 1e6).toFixed(0)} MB`);
}
