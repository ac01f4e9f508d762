/**
 * The start-up script of a node: one text per kind of node, made from `shell/` and the pins. It reads the node's
 * description from the metadata server (`startupMetadata` lists the required values), installs the pinned stack,
 * reports each step to the store under `RUN/nodes/NODE/NUMBER/steps/`, and starts the workers, which poll
 * `host/NODE/NUMBER`.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { z } from 'zod';

/** Hardware of a node: it decides which Python environments are installed. `lean` has none. */
export type NodeKind = 'tpu' | 'gpu' | 'lean';

/** Parts of the script, in the shell's order. */
const PARTS = ['settings', 'store', 'steps', 'install', 'service'] as const;
/** Compute Engine's limit on a metadata value. */
const SCRIPT_BYTES_MAX = 256 * 1024;
/** Number of the first step that installs an environment. */
const FIRST_ENVIRONMENT_STEP = 60;

const purpose = z.string().min(1);
const word = z.string().regex(/^[\w.:/@+-]+$/);
/** A package at one version, such as `marin-levanter[tpu,gcp]==0.2.20.dev1`. */
const requirement = z.string().regex(/^[\w.-]+(?:\[[\w,-]+\])?==[\w.+]+$/, 'must be a package at one version');
const pinsSchema = z.strictObject({
  lean: z.strictObject({ purpose, toolchain: word }),
  elan: z.strictObject({
    purpose,
    version: word,
    url: z.url({ protocol: /^https$/ }),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  mathlib: z.strictObject({
    purpose,
    repository: z.url({ protocol: /^https$/ }),
    revision: z.string().regex(/^[0-9a-f]{40}$/),
  }),
  python: z.strictObject({ purpose, version: word, uv: word }),
  environments: z.record(
    z.string().regex(/^[a-z][a-z-]*$/),
    z.strictObject({ purpose, kinds: z.array(z.enum(['tpu', 'gpu', 'lean'])), packages: z.array(requirement).min(1) }),
  ),
});
export type Pins = z.infer<typeof pinsSchema>;

export function readPins(): Pins {
  return pinsSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'pins.json'), 'utf8')));
}

/** Returns the path of an environment's lock file. */
export const lockPath = (environment: string): string => join(import.meta.dirname, 'locks', `${environment}.txt`);

/** Returns all packages of an environment, with dependencies, each at one version (`lock.ts`). */
export function readLock(environment: string): string[] {
  const lines = readFileSync(lockPath(environment), 'utf8').trim().split('\n');
  return z.array(requirement).parse(lines.filter((line) => !line.startsWith('#')));
}

/**
 * Returns the script for the metadata key `startup-script`. It is the same for every node of a kind and contains no
 * secret.
 */
export function startupScript({ kind, pins = readPins() }: { readonly kind: NodeKind; readonly pins?: Pins }): string {
  const values = {
    NODE_KIND: kind,
    LEAN_TOOLCHAIN: pins.lean.toolchain,
    ELAN_VERSION: pins.elan.version,
    ELAN_URL: pins.elan.url,
    ELAN_SHA256: pins.elan.sha256,
    MATHLIB_REPOSITORY: pins.mathlib.repository,
    MATHLIB_REVISION: pins.mathlib.revision,
    PYTHON_VERSION: pins.python.version,
    UV_VERSION: pins.python.uv,
  };
  const environments = Object.entries(pins.environments)
    .filter(([, { kinds }]) => kinds.includes(kind))
    .map(([name], index) => {
      const packages = readLock(name);
      const all = [pins.python.version, ...packages].join(' ');
      const fingerprint = createHash('sha256').update(all).digest('hex');
      const words = [FIRST_ENVIRONMENT_STEP + index, name, fingerprint, 'install_environment', name];
      return `  step ${[...words, ...packages.map(quoted)].join(' ')}`;
    });
  const script = [
    '#!/bin/bash',
    `# Start-up of a node of kind ${kind}. Made by infra/bootstrap/script.ts.`,
    'set -uo pipefail',
    ...Object.entries(values).map(([name, value]) => `readonly ${name}=${quoted(value)}`),
    ...PARTS.map((part) => shellPart(part)),
    'install_environments() {',
    ...(environments.length > 0 ? environments : ['  return 0']),
    '}',
    shellPart('main'),
  ].join('\n');
  if (Buffer.byteLength(script) > SCRIPT_BYTES_MAX)
    throw new StpError('STP1604', 'the start-up script is too long', `Keep it under ${SCRIPT_BYTES_MAX} bytes.`);
  return script;
}

export interface StartUpSettings {
  readonly kind: NodeKind;
  readonly run: string;
  /** Folder of runs, `gs://bucket/prefix`. */
  readonly storeUri: string;
  /** The worker's archive (`bundle.ts`) and the SHA-256 that it must have. */
  readonly bundle: { readonly uri: string; readonly sha256: string };
  readonly temporal: { readonly address: string; readonly namespace: string };
  /** Maps a variable of the worker to `projects/P/secrets/S/versions/V`. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Returns every metadata key that a node needs; none is a secret. */
export function startupMetadata(settings: StartUpSettings): Record<string, string> {
  const { kind, run, storeUri, bundle, temporal, secrets } = settings;
  return {
    'startup-script': startupScript({ kind }),
    'stp-run': run,
    'stp-store': storeUri,
    'stp-bundle': bundle.uri,
    'stp-bundle-sha256': bundle.sha256,
    'stp-temporal-address': temporal.address,
    'stp-temporal-namespace': temporal.namespace,
    'stp-secrets': Object.entries(secrets)
      .map(([variable, name]) => `${variable} ${name}`)
      .join('\n'),
  };
}

function shellPart(name: string): string {
  return readFileSync(join(import.meta.dirname, 'shell', `${name}.sh`), 'utf8').trimEnd();
}

/** Quotes a text as one word of the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
