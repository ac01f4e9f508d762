/**
 * Makes a bucket on a stand-in server for Cloud Storage; an existing bucket stays unchanged. Argument: the bucket.
 * STP_GCS_ENDPOINT: the server. Exit 0 when the bucket exists, 1 with the reason when not.
 */
const TIMEOUT_MS = 10_000;
const CONFLICT = 409;

const [name] = process.argv.slice(2);
const endpoint = process.env.STP_GCS_ENDPOINT;

try {
  if (name === undefined) throw new Error('no bucket given');
  if (!endpoint) throw new Error('STP_GCS_ENDPOINT is not set: the real service makes buckets with gcloud');
  const response = await fetch(new URL('/storage/v1/b?project=local', endpoint), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok && response.status !== CONFLICT) throw new Error(`the server answered ${response.status}`);
  console.log(`gs://${name} is there`);
} catch (error) {
  console.error(`bucket ${name ?? '?'}: ${(error as Error).message}`);
  process.exitCode = 1;
}
