/**
 * Keys that a configuration may have in another variant of a section: `nodes` has other keys for `tpu` than for
 * `local`. These keys are known too, although the preset's own variant has no value for them; the schema says which
 * keys go together.
 */
import type { z } from 'zod';
import { WHOLE_VALUES } from './keys.ts';

/** Every dotted key that the schema knows, of all variants; a record is one key. */
export function* schemaKeys(schema: z.core.$ZodType, path = ''): Generator<string> {
  if (WHOLE_VALUES.has(path)) return yield path;
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'object':
      for (const [key, inner] of Object.entries(def.shape))
        yield* schemaKeys(inner, path === '' ? key : `${path}.${key}`);
      return;
    case 'union':
      for (const option of def.options) yield* schemaKeys(option, path);
      return;
    case 'default':
    case 'prefault':
    case 'optional':
    case 'nullable':
    case 'readonly':
      yield* schemaKeys(def.innerType, path);
      return;
    default:
      yield path;
  }
}
