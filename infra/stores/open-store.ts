/** Opens the store that a URI names. */
import { fileURLToPath } from 'node:url';
import { StpError } from '@stp/base';
import type { ObjectStore } from '@stp/config/records';
import { openFileStore } from './file-store.ts';

const BUCKET = /^gs:\/\/([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])(?:\/(.*?))?\/*$/;

/**
 * Opens `file:///absolute/folder` or `gs://bucket/prefix`; throws STP1001 for anything else. Writes nothing and uses no
 * network before the first call. `STP_GCS_ENDPOINT` in the environment names another server with the GCS API.
 */
export async function openStore(uri: string): Promise<ObjectStore> {
  if (uri.startsWith('file://')) {
    try {
      return await openFileStore(fileURLToPath(new URL(uri)));
    } catch (error) {
      throw error instanceof StpError ? error : unusable(uri, (error as Error).message);
    }
  }
  const bucket = BUCKET.exec(uri);
  if (bucket === null) throw unusable(uri, 'neither a file:// folder nor a gs:// bucket');
  // The client library is large; a laptop never loads it.
  const { openGcsStore } = await import('./gcs-store.ts');
  return openGcsStore(bucket[1]!, bucket[2] ?? '', process.env.STP_GCS_ENDPOINT);
}

function unusable(uri: string, why: string): StpError {
  return new StpError(
    'STP1001',
    `store ${JSON.stringify(uri)}: ${why}`,
    'Name a folder as file:///absolute/path or a bucket as gs://bucket/prefix.',
    { facts: { uri } },
  );
}
