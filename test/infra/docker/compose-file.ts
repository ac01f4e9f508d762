/** The compose file as data: the parts of the Compose specification that ours uses, and nothing else. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const REPOSITORY = join(import.meta.dirname, '../../..');

const duration = z.string().regex(/^\d+(?:s|m|h)$/);
/** A tag that says a version, and the digest of what it was when it was chosen; or an image that is built here. */
const pinned = /^[a-z/-]+:[\w.-]*\d[\w.-]*@sha256:[0-9a-f]{64}$/;
const built = /^stp-worker(?:-gpu)?$/;

const serviceSchema = z.strictObject({
  profiles: z.array(z.enum(['core', 'lean', 'gpu', 'observability'])).min(1),
  image: z.string().refine((image) => pinned.test(image) || built.test(image), 'is not pinned'),
  build: z
    .strictObject({ context: z.literal('.'), dockerfile: z.string(), target: z.enum(['worker', 'gpu']) })
    .optional(),
  restart: z.enum(['unless-stopped', 'on-failure']),
  user: z.string().optional(),
  read_only: z.literal(true).optional(),
  tmpfs: z.array(z.string().startsWith('/')).optional(),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.array(z.string()).refine((options) => options.includes('no-new-privileges:true')),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }))
    .optional(),
  environment: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  // What has no access control is for this machine alone.
  ports: z.array(z.string().regex(/^(?:127\.0\.0\.1|\$\{TEMPORAL_BIND:-127\.0\.0\.1\}):\d+:\d+$/)).optional(),
  volumes: z.array(z.string()).optional(),
  shm_size: z.string().optional(),
  deploy: z
    .strictObject({
      resources: z.strictObject({
        reservations: z.strictObject({
          devices: z.array(
            z.strictObject({ driver: z.literal('nvidia'), count: z.literal('all'), capabilities: z.array(z.string()) }),
          ),
        }),
      }),
    })
    .optional(),
  healthcheck: z
    .strictObject({
      test: z.array(z.string()).refine(([kind]) => kind === 'CMD', 'is no list that begins with CMD'),
      interval: duration,
      timeout: duration,
      retries: z.int().positive(),
      start_period: duration.optional(),
    })
    .optional(),
});
export type Service = z.infer<typeof serviceSchema>;

const composeSchema = z
  .object({
    name: z.literal('stp'),
    services: z.record(z.string().regex(/^[a-z][a-z-]*$/), serviceSchema),
    volumes: z.record(z.string().regex(/^[a-z][a-z-]*$/), z.null()),
  })
  .catchall(z.unknown())
  .refine(
    (file) => Object.keys(file).every((key) => /^(?:name|services|volumes|x-.*)$/.test(key)),
    'has unknown parts',
  );
type ComposeFile = z.infer<typeof composeSchema>;

export async function readComposeFile(): Promise<ComposeFile> {
  const text = await readFile(join(REPOSITORY, 'docker-compose.yml'), 'utf8');
  return composeSchema.parse(parse(text, { merge: true }));
}

/** Where an environment variable can be read: code, scripts, trainers. */
export const SOURCE_FOLDERS = ['activities', 'cli', 'data', 'infra', 'packages', 'workers', 'workflows'];
