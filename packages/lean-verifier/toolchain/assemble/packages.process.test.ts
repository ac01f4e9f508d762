/**
 * Downloads that are cut short or altered: refused, removed, never used. The registries here are two small servers of the
 * test, spoken to by the real `pip` and `npm` through their ordinary settings. Costs 5 s.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { create } from 'tar';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { downloadFromNpm, downloadFromPythonIndex, type RegistryPackage, verifyPackage } from './packages.ts';

const CONTENT = Buffer.from('what the checksum was made of, at some length');

function packageOf(fileName: string, content: Uint8Array): RegistryPackage {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { name: 'stp-example', version: '1.0.0', fileName, bytes: content.length, sha256 };
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A wheel that pip takes for one. */
async function makeWheel(folder: string, body: string): Promise<{ fileName: string; content: Buffer }> {
  const fileName = 'stp_example-1.0.0-py3-none-any.whl';
  const information = join(folder, 'stp_example-1.0.0.dist-info');
  await mkdir(information, { recursive: true });
  await writeFile(join(information, 'METADATA'), 'Metadata-Version: 2.1\nName: stp-example\nVersion: 1.0.0\n');
  await writeFile(join(information, 'WHEEL'), 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n');
  await writeFile(join(information, 'RECORD'), '');
  await writeFile(join(folder, 'body.txt'), body);
  await execa('python3', ['-m', 'zipfile', '-c', fileName, 'stp_example-1.0.0.dist-info', 'body.txt'], { cwd: folder });
  return { fileName, content: await readFile(join(folder, fileName)) };
}

async function makeTarball(folder: string, body: string): Promise<Buffer> {
  await mkdir(join(folder, 'package'), { recursive: true });
  await writeFile(join(folder, 'package', 'package.json'), '{"name":"stp-example","version":"1.0.0"}');
  await writeFile(join(folder, 'package', 'body.txt'), body);
  const path = join(folder, 'made.tgz');
  await create({ file: path, cwd: folder, gzip: true }, ['package']);
  return await readFile(path);
}

/** A Python package index that offers one wheel, without saying its checksum. */
async function pythonIndex(fileName: string, content: Buffer): Promise<NodeJS.ProcessEnv> {
  const address = await serve((request, response) => {
    if (request.url === `/files/${fileName}`) response.end(content);
    else response.setHeader('content-type', 'text/html').end(`<a href="/files/${fileName}">${fileName}</a>`);
  });
  const quiet = { PIP_FIND_LINKS: undefined, PIP_NO_CACHE_DIR: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' };
  return { ...process.env, ...quiet, PIP_INDEX_URL: `${address}/simple`, PIP_RETRIES: '0' };
}

async function npmRegistry(content: Buffer, cache: string): Promise<NodeJS.ProcessEnv> {
  const address = await serve((request, response) => {
    if (request.url?.endsWith('.tgz')) {
      response.end(content);
      return;
    }
    const dist = { tarball: `http://${request.headers.host}/stp-example/-/stp-example-1.0.0.tgz` };
    const version = { name: 'stp-example', version: '1.0.0', dist };
    const document = { name: 'stp-example', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  });
  return { ...process.env, npm_config_registry: address, npm_config_cache: cache, npm_config_fetch_retries: '0' };
}

describe('verifyPackage', () => {
  it('takes the pinned content', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, CONTENT);
    await verifyPackage(path, packageOf('file', CONTENT));
    expect(existsSync(path)).toBe(true);
  });

  it.each([
    ['cut short', CONTENT.subarray(0, 20), /cut short \(20 of 45 bytes\)/],
    ['empty', Buffer.alloc(0), /cut short \(0 of 45 bytes\)/],
    ['altered', Buffer.from(CONTENT.toString().replace('some', 'sane')), /its content is another/],
    ['longer', Buffer.concat([CONTENT, CONTENT]), /its content is another/],
  ])('refuses and removes a file that is %s', async (_, content, message) => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, content);
    const verdict = verifyPackage(path, packageOf('file', CONTENT));
    await expect(verdict).rejects.toMatchObject({ code: 'STP1204', message: expect.stringMatching(message) });
    expect(existsSync(path)).toBe(false);
  });

  it('refuses a file that is not there', async () => {
    const path = join(await temporaryFolder(), 'file');
    await expect(verifyPackage(path, packageOf('file', CONTENT))).rejects.toMatchObject({ code: 'STP1204' });
  });
});

describe('a download by pip', () => {
  it('is taken where it is the pinned file, refused and removed where it is another', async () => {
    const pinned = await makeWheel(await temporaryFolder(), 'as it was pinned');
    const altered = await makeWheel(await temporaryFolder(), 'altered on the way');
    const wanted = packageOf(pinned.fileName, pinned.content);

    const folder = await temporaryFolder();
    const environment = await pythonIndex(pinned.fileName, pinned.content);
    const path = await downloadFromPythonIndex(wanted, { folder, environment });
    expect(await readFile(path)).toEqual(pinned.content);

    const second = await temporaryFolder();
    const download = downloadFromPythonIndex(wanted, {
      folder: second,
      environment: await pythonIndex(altered.fileName, altered.content),
    });
    await expect(download).rejects.toMatchObject({ code: 'STP1204', retryable: true });
    expect(await readdir(second)).toEqual([]);
  });

  it('that cannot be had says so', async () => {
    const environment = {
      ...process.env,
      PIP_INDEX_URL: 'http://127.0.0.1:1/simple',
      PIP_RETRIES: '0',
      PIP_FIND_LINKS: '',
    };
    const download = downloadFromPythonIndex(packageOf('x.whl', CONTENT), {
      folder: await temporaryFolder(),
      environment,
    });
    await expect(download).rejects.toMatchObject({ code: 'STP1201', message: expect.stringContaining('python3') });
  });
});

describe('a download by npm', () => {
  it('is taken where it is the pinned file, refused and removed where it is another', async () => {
    const pinned = await makeTarball(await temporaryFolder(), 'as it was pinned');
    const altered = await makeTarball(await temporaryFolder(), 'altered on the way');
    const wanted = packageOf('stp-example-1.0.0.tgz', pinned);

    const folder = await temporaryFolder();
    const environment = await npmRegistry(pinned, join(await temporaryFolder(), 'cache'));
    const path = await downloadFromNpm(wanted, { folder, environment });
    expect(await readFile(path)).toEqual(pinned);

    const second = await temporaryFolder();
    const download = downloadFromNpm(wanted, {
      folder: second,
      environment: await npmRegistry(altered, join(await temporaryFolder(), 'cache')),
    });
    await expect(download).rejects.toMatchObject({ code: 'STP1204' });
    expect(await readdir(second)).toEqual([]);
  });
});
