/**
 * Keys that a configuration may have in another variant of a section: `nodes` has other keys for `tpu` than for
 * `local`. These keys are known too, although the preset's own variant has no value for them; the schema says which
 * keys go together.
 */
import type { z } from 'zod';
import { isSection, type JsonObject, WHOLE_VALUES } from './keys.ts';

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
    case 'nullable':
      // a section that may be left out is set to null as a whole
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

/** Dotted keys in `values` that the variant chosen there (`kind`, `provider`) does not have. */
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

/** Whether an option of a union is the one that the values name. */
function chooses(option: z.core.$ZodType, discriminator: string, values: JsonObject): boolean {
  const named = option._zod.propValues?.[discriminator];
  return named?.has(values[discriminator] as string) === true;
}
