/**
 * Programs and schemas of others that Go's module proxy has: Helm, built once into `.cache`, and the Compose specification's
 * schema.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { REPOSITORY } from '../docker/compose-file.ts';

const HELM_VERSION = 'v3.22.0';
const COMPOSE_MODULE = 'github.com/compose-spec/compose-go/v2@v2.16.2';
const HELM_FOLDER = join(REPOSITORY, '.cache', `helm-${HELM_VERSION}`);
/** Some 200 modules are compiled, on two busy cores. */
const BUILD_MS_MAX = 1_500_000;

/** `helm`: named by STP_HELM, on PATH, or built before; null where there is none. */
export async function findHelm(): Promise<string | null> {
  for (const path of [process.env.STP_HELM ?? 'helm', join(HELM_FOLDER, 'helm')])
    if ((await execa(path, ['version', '--short'], { reject: false })).exitCode === 0) return path;
  return null;
}

/** The same, built where it is missing and there is Go. */
export async function helmOrBuild(): Promise<string | null> {
  const found = await findHelm();
  if (found !== null) return found;
  const environment = { GOBIN: HELM_FOLDER, CGO_ENABLED: '0' };
  const options = { env: environment, timeout: BUILD_MS_MAX, reject: false } as const;
  const built = await execa('go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM_VERSION}`], options);
  if (built.exitCode === 0) return findHelm();
  console.log(`skipped: the chart by real Helm (no helm, and Go cannot build it: ${lastLine(built.stderr)})`);
  return null;
}

/** The schema that Compose's own library reads files by; null, after saying why, where it is not to be had. */
export async function composeSchema(): Promise<object | null> {
  const got = await execa('go', ['mod', 'download', '-json', COMPOSE_MODULE], { reject: false, timeout: 120_000 });
  const path = got.exitCode === 0 ? join(JSON.parse(got.stdout).Dir, 'schema', 'compose-spec.json') : '';
  if (existsSync(path)) return JSON.parse(await readFile(path, 'utf8')) as object;
  console.log(`skipped: the compose file by its published schema (${lastLine(got.stderr) || 'no Go'})`);
  return null;
}

const lastLine = (text: string | undefined): string => text?.trim().split('\n').at(-1) ?? '';
