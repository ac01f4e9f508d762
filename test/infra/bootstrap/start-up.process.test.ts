/**
 * Runs start-up scripts in a root of their own, against servers over loopback. The store gets each step, an error stops
 * the script, finished steps are not repeated, and no secret leaks. Costs about 10 s.
 */
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type NodeKind, readPins, startupMetadata } from '../../../infra/bootstrap/script.ts';
import { startFakeGcs } from '../../fakes/gcs.ts';
import { startFakeMetadata } from '../../fakes/metadata.ts';
import { CleanRoot, noCleanRoot } from './clean-root.ts';
import { startSecretManager } from './secret-manager.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');
const SECRET = 'key-$HOME-"with"-signs';
const SECRET_NAME = 'projects/p/secrets/temporal/versions/3';
const BUNDLE = 'bundles/worker.tar.gz';
const reason = noCleanRoot();
if (reason !== null) console.log(`skipped: start-up scripts in a root of their own (${reason})`);

interface Report {
  readonly step: string;
  readonly state: string;
  readonly log: string;
}

async function node(kind: NodeKind, { checksum }: { checksum?: string } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'stp-start-up-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const root = await CleanRoot.make(folder, readPins().lean.toolchain);
  const archive = await smallBundle(folder);
  const gcs = await startFakeGcs(['bucket']);
  const sha256 = checksum ?? createHash('sha256').update(archive).digest('hex');
  const metadata = startupMetadata({
    kind,
    run: 'r1',
    storeUri: 'gs://bucket/runs',
    bundle: { uri: `gs://bucket/${BUNDLE}`, sha256 },
    temporal: { address: 'temporal.example:7233', namespace: 'proofs' },
    secrets: { TEMPORAL_API_KEY: SECRET_NAME },
  });
  const tpu = { 'tpu-env': "ZONE: 'us-central2-b'\nNODE_ID: 'stp-r1-g1'\n", 'agent-worker-number': '7' };
  const server = await startFakeMetadata(
    kind === 'tpu'
      ? { attributes: { ...metadata, ...tpu } }
      : { attributes: metadata, instance: { name: 'stp-r1-g1' } },
  );
  const services = await startSecretManager(server.token, { [SECRET_NAME]: SECRET });
  onTestFinished(async () => {
    await gcs.close();
    await services.close();
    await server.close();
  });
  await fetch(`${gcs.endpoint}/upload/storage/v1/b/bucket/o?uploadType=media&name=${encodeURIComponent(BUNDLE)}`, {
    method: 'POST',
    body: archive,
  });
  const run = () =>
    root.run(metadata['startup-script']!, {
      GCE_METADATA_HOST: server.host,
      STP_GCS_ENDPOINT: gcs.endpoint,
      STP_SECRETS_ENDPOINT: services.endpoint,
      STP_PAUSE_SECONDS: '0',
      STP_CHECK_SECONDS: '0',
    });
  const machine = kind === 'tpu' ? 'stp-r1-g1/7' : 'stp-r1-g1/0';
  const report = (step: string): Report | null => {
    const object = gcs.object('bucket', `runs/r1/nodes/${machine}/steps/${step}.json`);
    return object === undefined ? null : (JSON.parse(object.data.toString()) as Report);
  };
  return { root, gcs, services, token: server.token, run, report };
}

/** As `makeBundle` lays it out, with this test's Node and as little as the start-up uses. */
async function smallBundle(folder: string): Promise<Buffer> {
  const content = join(folder, 'bundle');
  await mkdir(join(content, 'node_modules/node/bin'), { recursive: true });
  await mkdir(join(content, 'workers'));
  await writeFile(join(content, 'node_modules/node/bin/node'), '#!/bin/sh\nexec /node "$@"\n');
  await chmod(join(content, 'node_modules/node/bin/node'), 0o755);
  for (const role of ['host', 'lean']) await writeFile(join(content, 'workers', `${role}.ts`), '');
  await writeFile(join(content, 'package.json'), '{"type":"module"}');
  const archive = join(folder, 'bundle.tar.gz');
  const own = ['-C', REPOSITORY, 'infra/bootstrap/secret-line.ts', 'node_modules/zod'];
  await execa('tar', ['-czf', archive, '-C', content, 'node_modules', 'workers', 'package.json', ...own]);
  return readFile(archive);
}

describe.skipIf(reason !== null)('a node that starts', () => {
  it('installs what its kind needs, says each step, starts its workers, and does nothing twice', {
    tags: ['slow'],
  }, async () => {
    const { root, gcs, services, token, run, report } = await node('gpu');
    await root.addLean();
    const first = await run();
    expect(first.all).not.toContain('failed');
    expect(first.exitCode).toBe(0);
    const steps = [
      '10-packages',
      '20-user',
      '30-bundle',
      '40-secrets',
      '50-lean',
      '60-pytorch',
      '61-vllm',
      '80-services',
      '90-ready',
    ];
    for (const step of steps) expect(report(step), step).toMatchObject({ state: 'done' });
    expect(report('30-bundle')!.log).toContain(process.version);
    expect(report('90-ready')!.log).toContain('active');
    const called = (await root.read('var/log/called'))!;
    expect(called).toContain('systemctl restart stp-host.service');
    expect(called).not.toContain('stp-lean');
    expect(called).toContain('elan toolchain install leanprover/lean4:');
    expect(called).toContain('lake exe cache get');
    expect(called).toMatch(/uv pip install .*torch==/);
    expect(await root.read('var/lib/stp/worker.env')).toContain('STP_HOST_QUEUE=host/stp-r1-g1/0\n');
    const unit = (await root.read('etc/systemd/system/stp-host.service'))!;
    expect(unit).toContain('Restart=always');
    expect(unit).not.toMatch(/Listen|Socket/);

    // The secret is in one file that root alone reads; the token in another; neither is anywhere else.
    expect(services.read).toEqual([SECRET_NAME]);
    const secrets = 'run/stp/worker.secrets';
    expect(await root.read(secrets)).toBe('TEMPORAL_API_KEY="key-\\$HOME-\\"with\\"-signs"\n');
    for (const name of [secrets, 'run/stp/authorization'])
      expect((await stat(join(root.directory, name))).mode & 0o777).toBe(0o600);
    expect(await root.filesWith('with\\"-signs')).toEqual([secrets]);
    expect(await root.filesWith(SECRET)).toEqual([]);
    expect(await root.filesWith(token)).toEqual(['run/stp/authorization']);
    expect((await root.read('var/log/command-lines'))!.length).toBeGreaterThan(1_000);
    expect(first.all).not.toContain(token);
    const reports = steps.map((step) => gcs.object('bucket', `runs/r1/nodes/stp-r1-g1/0/steps/${step}.json`)!.data);
    expect(Buffer.concat(reports).toString()).not.toMatch(/with.*-signs|token-of/);

    await writeFile(join(root.directory, 'var/log/called'), '');
    const again = await run();
    expect(again.exitCode).toBe(0);
    for (const step of ['10-packages', '20-user', '30-bundle', '50-lean', '60-pytorch', '61-vllm'])
      expect(report(step), step).toMatchObject({ state: 'skipped' });
    const calledAgain = (await root.read('var/log/called'))!;
    expect(calledAgain).not.toMatch(/^(apt-get|useradd|elan|lake|git|uv|pip)/m);
    expect(calledAgain).toContain('systemctl restart stp-host.service');
    // The private folder does not outlive a boot: secrets are fetched at every start.
    expect(services.read).toHaveLength(2);
  });

  it('stops at a bundle with another checksum, and says which', async () => {
    const wrong = 'f'.repeat(64);
    const { root, run, report } = await node('lean', { checksum: wrong });
    const { exitCode } = await run();
    expect(exitCode).not.toBe(0);
    const { state, log } = report('30-bundle')!;
    expect(state).toBe('failed');
    expect(log).toContain(wrong);
    expect(log.match(/has the SHA-256/g)).toHaveLength(1);
    expect(report('40-secrets')).toBeNull();
    expect(await root.read('opt/stp/worker/package.json')).toBeNull();
    expect(await root.read('var/log/called')).not.toContain('systemctl');
  });

  it('comes as far as the internet is not needed, and says where it stopped', async () => {
    const { root, run, report } = await node('tpu');
    const { exitCode } = await run();
    expect(exitCode).not.toBe(0);
    for (const step of ['10-packages', '20-user', '30-bundle', '40-secrets'])
      expect(report(step), step).toMatchObject({ state: 'done', number: 7 });
    expect(report('50-lean')).toMatchObject({
      state: 'failed',
      log: expect.stringContaining('Could not resolve host'),
    });
    expect(report('80-services')).toBeNull();
    expect((await root.read('var/log/called'))!.match(/curl .*elan-x86_64/g)).toHaveLength(3);
  });
});
