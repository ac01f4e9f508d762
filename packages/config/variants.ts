/**
 * Keys of the other variants of a section: `nodes` has other keys for `tpu` than for `local`. These keys are known
 * too, although the preset's variant has no value for them. The schema decides which keys go together.
 */
import type { z } from 'zod';
import { isSection, type JsonObject, WHOLE_VALUES } from './keys.ts';

/** Yields every dotted key of the schema, of all variants. A record is one key. */
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
    case 'nullable':
      // an optional section is set to null as a whole
      yield path;
      yield* schemaKeys(def.innerType, path);
      return;
    case 'default':
    case 'prefault':
    case 'optional':
    case 'readonly':
      yield* schemaKeys(def.innerType, path);
      return;
    default:
      yield path;
  }
}

/** Yields the dotted keys in `values` that the chosen variant (`kind`, `provider`) does not have. */
export function* foreignKeys(schema: z.core.$ZodType, values: JsonObject, path = ''): Generator<string> {
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'object':
      for (const [key, value] of Object.entries(values)) {
        const inner = path === '' ? key : `${path}.${key}`;
        const known = def.shape[key];
        if (known === undefined) yield inner;
        else if (isSection(value)) yield* foreignKeys(known, value, inner);
      }
      return;
    case 'union': {
      const { discriminator } = def as Partial<z.core.$ZodDiscriminatedUnionDef>;
      const chosen = def.options.find(
        (option) => discriminator !== undefined && chooses(option, discriminator, values),
      );
      if (chosen !== undefined) yield* foreignKeys(chosen, values, path);
      return;
    }
    case 'default':
    case 'prefault':
    case 'optional':
    case 'nullable':
    case 'readonly':
      yield* foreignKeys(def.innerType, values, path);
  }
}

/** Returns whether the values choose this option of a union. */
function chooses(option: z.core.$ZodType, discriminator: string, values: JsonObject): boolean {
  const named = option._zod.propValues?.[discriminator];
  return named?.has(values[discriminator] as string) === true;
}
