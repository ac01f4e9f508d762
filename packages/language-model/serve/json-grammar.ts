/**
 * Converts `response_format` of OpenAI's API to a grammar for llama.cpp (GBNF): every completed answer is JSON that
 * matches the schema. A part of JSON Schema is supported. The rest is refused, since an answer that only seems to
 * follow a schema is worse than none. node-llama-cpp 3.22's converter refuses nothing: it turns `anyOf` and `allOf`
 * into `null`, requires optional properties, and ignores bounds and patterns.
 */
import { z } from 'zod';

/** Maximum number of schemas, `$defs` included. Each takes one or two rules of the grammar. */
const SCHEMAS_MAX = 512;
const DEPTH_MAX = 32;
const PROPERTIES_MAX = 128;
const CHOICES_MAX = 256;
const TEXT_CHARS_MAX = 256;
/** Maximum repetitions: llama.cpp expands each of them. */
const ITEMS_MAX = 64;
const LENGTH_MAX = 512;
const REPETITIONS_MAX = 4_096;

/** Keys that do not affect validity. */
const NOTES = ['$schema', '$id', 'title', 'description', 'default', 'examples', '$comment'] as const;
const notes = Object.fromEntries(NOTES.map((key) => [key, z.unknown().optional()]));

const literal = z.union([z.string().max(TEXT_CHARS_MAX), z.number(), z.boolean(), z.null()]);
const type = z.enum(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
/**
 * zod writes the bounds of JavaScript's safe integers for every integer. They are ignored; narrower bounds are
 * refused.
 */
const wide = z.number().refine((bound) => Math.abs(bound) >= Number.MAX_SAFE_INTEGER, 'is not supported');
const items = z.int().min(0).max(ITEMS_MAX).optional();
const length = z.int().min(0).max(LENGTH_MAX).optional();
const schemaSchema = z.strictObject({
  ...notes,
  type: z.union([type, z.array(type).min(1).max(7)]).optional(),
  enum: z.array(literal).min(1).max(CHOICES_MAX).optional(),
  const: literal.optional(),
  anyOf: z.array(z.unknown()).min(1).max(CHOICES_MAX).optional(),
  oneOf: z.array(z.unknown()).min(1).max(1, 'more than one cannot be told apart: write anyOf').optional(),
  properties: z.record(z.string().max(TEXT_CHARS_MAX), z.unknown()).optional(),
  required: z.array(z.string()).max(PROPERTIES_MAX).optional(),
  additionalProperties: z.boolean().optional(),
  items: z.unknown().optional(),
  minItems: items,
  maxItems: items,
  minLength: length,
  maxLength: length,
  minimum: wide.optional(),
  maximum: wide.optional(),
  $ref: z
    .string()
    .regex(/^#(?:\/\$defs\/[\w.-]{1,64})?$/u, 'is not one of # and #/$defs/NAME')
    .optional(),
  $defs: z.record(z.string().regex(/^[\w.-]{1,64}$/u), z.unknown()).optional(),
});
type Schema = z.infer<typeof schemaSchema>;

export const responseFormatSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: z.string().max(64).nullish(),
      strict: z.boolean().nullish(),
      schema: z.record(z.string(), z.unknown()),
    }),
  }),
]);

/** Why a schema is not supported, with its JSON path. */
export class UnreadSchema extends Error {}

const BASE: Readonly<Record<string, string>> = {
  ws: '(" " | "\\n" [ ]{0,16})?',
  // Without unpaired surrogates, which JSON can express and UTF-8 cannot.
  char: '[^"\\\\\\x00-\\x1F\\x7F] | "\\\\" (["\\\\/bfnrt] | "u" ([0-9a-cefA-CEF] hex hex hex | [dD] [0-7] hex hex))',
  hex: '[0-9a-fA-F]',
  string: '"\\"" char* "\\""',
  integer: '"-"? ("0" | [1-9] [0-9]{0,14})',
  number: 'integer ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?',
  boolean: '"true" | "false"',
  null: '"null"',
  value: 'object | array | string | number | boolean | null',
  object: '"{" ws (string ":" ws value ("," ws string ":" ws value)*)? ws "}"',
  array: '"[" ws (value ("," ws value)*)? ws "]"',
};

/** Returns null for free text. Throws `UnreadSchema`. */
export function jsonGrammar(format: z.infer<typeof responseFormatSchema>): string | null {
  if (format.type === 'text') return null;
  return textOf(format.type === 'json_object' ? { root: 'object' } : new Writer(format.json_schema.schema).rules());
}

const textOf = (rules: Readonly<Record<string, string>>): string =>
  [...Object.entries(rules), ...Object.entries(BASE)].map(([name, text]) => `${name} ::= ${text}\n`).join('');

/**
 * A schema's position, and whether it is preceded by text: only then may it refer to a rule that may lead back to it.
 */
interface SchemaPosition {
  readonly at: string;
  readonly depth: number;
  readonly isBehindText: boolean;
}

class Writer {
  readonly #rules: Record<string, string> = {};
  readonly #defs: ReadonlyMap<string, string>;
  #count = 0;
  #repetitions = 0;
  readonly #whole: unknown;

  constructor(whole: Readonly<Record<string, unknown>>) {
    this.#whole = whole;
    const { $defs = {} } = readSchema(whole, '#');
    this.#defs = new Map(Object.keys($defs).map((name, index) => [name, `def${index}`]));
  }

  rules(): Readonly<Record<string, string>> {
    const top = { depth: 0, isBehindText: false };
    // The root has its own rule, so that `#` can refer to it.
    this.#rules.root = 'whole';
    this.#rules.whole = this.#expression(this.#whole, { at: '#', ...top });
    for (const [name, schema] of Object.entries(readSchema(this.#whole, '#').$defs ?? {}))
      this.#rules[this.#defs.get(name)!] = this.#expression(schema, { at: `#/$defs/${name}`, ...top });
    return this.#rules;
  }

  /** Returns the name of a rule for the schema. */
  #rule(schema: unknown, { at, depth, isBehindText }: SchemaPosition, within: string): string {
    const name = this.#name();
    const isText = isBehindText || !within.startsWith('anyOf');
    this.#rules[name] = this.#expression(schema, { at: `${at}/${within}`, depth: depth + 1, isBehindText: isText });
    return name;
  }

  #name(): string {
    if (this.#count >= SCHEMAS_MAX) throw new UnreadSchema(`has more than ${SCHEMAS_MAX} parts`);
    return `r${this.#count++}`;
  }

  #expression(raw: unknown, position: SchemaPosition): string {
    const { at, depth } = position;
    if (depth > DEPTH_MAX) throw new UnreadSchema(`${at}: nests deeper than ${DEPTH_MAX}`);
    if (raw === true) return 'value';
    const schema = readSchema(raw, at);
    const { $ref, anyOf, oneOf, enum: choices } = schema;
    if ($ref !== undefined) return alone(schema, at, '$ref', this.#reference($ref, position));
    const some = anyOf ?? oneOf;
    if (some !== undefined) {
      const rules = some.map((one, index) => this.#rule(one, position, `anyOf/${index}`));
      return alone(schema, at, anyOf === undefined ? 'oneOf' : 'anyOf', rules.join(' | '));
    }
    const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
    if (choices !== undefined || 'const' in schema) {
      const key = choices === undefined ? 'const' : 'enum';
      const fit = (choices ?? [schema.const]).filter(
        (one) => types === undefined || types.some((its) => isOf(one, its)),
      );
      if (fit.length === 0) throw new UnreadSchema(`${at}: ${key} has no value of its type`);
      return alone(schema, at, key, fit.map(fixed).join(' | '));
    }
    if (types === undefined && (schema.properties ?? schema.items) !== undefined)
      throw new UnreadSchema(`${at}: has no type`);
    return types === undefined ? 'value' : types.map((one) => this.#typed(one, schema, position)).join(' | ');
  }

  #reference(ref: string, { at, isBehindText }: SchemaPosition): string {
    const name = ref === '#' ? 'whole' : this.#defs.get(ref.slice('#/$defs/'.length));
    if (name === undefined) throw new UnreadSchema(`${at}: there is no ${ref}`);
    if (!isBehindText) throw new UnreadSchema(`${at}: $ref is read within properties and items only`);
    return name;
  }

  #typed(one: z.infer<typeof type>, schema: Schema, position: SchemaPosition): string {
    switch (one) {
      case 'object':
        return this.#object(schema, position);
      case 'array':
        return this.#array(schema, position);
      case 'string': {
        const { minLength: from = 0, maxLength: to } = schema;
        if (to === undefined && from === 0) return 'string';
        return `"\\"" ${this.#repeated('char', from, to, position)} "\\""`;
      }
      default:
        return one;
    }
  }

  /** Properties come in the schema's order; optional ones may be omitted. Other properties are never written. */
  #object({ properties, required = [], additionalProperties }: Schema, position: SchemaPosition): string {
    const { at } = position;
    if (properties === undefined) {
      if (required.length > 0) throw new UnreadSchema(`${at}: required names no property`);
      return additionalProperties === false ? '"{" ws "}"' : 'object';
    }
    const names = Object.keys(properties);
    if (names.length > PROPERTIES_MAX) throw new UnreadSchema(`${at}: has more than ${PROPERTIES_MAX} properties`);
    const unknown = required.find((name) => !Object.hasOwn(properties, name));
    if (unknown !== undefined) throw new UnreadSchema(`${at}: required names no property: ${unknown.slice(0, 64)}`);
    // From last to first: the possible continuations after at least one property, and after none.
    let [behind, first] = ['', ''];
    for (const name of names.toReversed()) {
      const value = this.#rule(properties[name], position, `properties/${name}`);
      const pair = `${fixed(name)} ":" ws ${value}`;
      const isFree = !required.includes(name);
      [behind, first] = [
        this.#either(`"," ws ${pair} ${behind}`, isFree ? behind : null),
        this.#either(`${pair} ${behind}`, isFree ? first : null),
      ];
    }
    return `"{" ws ${first} ws "}"`;
  }

  /** Returns a rule for either text. An empty `other` makes the rule optional; with null only `one` is allowed. */
  #either(one: string, other: string | null): string {
    const name = this.#name();
    this.#rules[name] = other === null ? one : other === '' ? `(${one})?` : `${one} | ${other}`;
    return name;
  }

  #array({ items: each, minItems: from = 0, maxItems: to }: Schema, position: SchemaPosition): string {
    const item = each === undefined ? 'value' : this.#rule(each, position, 'items');
    if (to === 0) return '"[" ws "]"';
    const more = this.#repeated(`("," ws ${item})`, Math.max(0, from - 1), to === undefined ? to : to - 1, position);
    return from === 0 ? `"[" ws (${item} ${more})? ws "]"` : `"[" ws ${item} ${more} ws "]"`;
  }

  #repeated(what: string, from: number, to: number | undefined, { at }: SchemaPosition): string {
    if (to !== undefined && to < from) throw new UnreadSchema(`${at}: its least number is above its greatest`);
    this.#repetitions += Math.max(from, to ?? 0);
    if (this.#repetitions > REPETITIONS_MAX)
      throw new UnreadSchema(`${at}: minLength, maxLength, minItems and maxItems come to more than ${REPETITIONS_MAX}`);
    return `${what}{${from},${to ?? ''}}`;
  }
}

function isOf(value: unknown, its: z.infer<typeof type>): boolean {
  if (its === 'null') return value === null;
  if (its === 'integer') return Number.isInteger(value);
  return typeof value === its;
}

function readSchema(raw: unknown, path: string): Schema {
  const parsed = schemaSchema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UnreadSchema(`${[path, ...issue!.path.map(String)].join('/')}: ${issue!.message}`.slice(0, 300));
}

/** Requires that a key stands alone, because keys beside it would have to hold as well. */
function alone(schema: Schema, path: string, key: string, expression: string): string {
  const free = new Set<string>([...NOTES, '$defs', key, ...(key === 'const' || key === 'enum' ? ['type'] : [])]);
  const beside = Object.keys(schema).find((one) => !free.has(one));
  if (beside !== undefined) throw new UnreadSchema(`${path}: ${beside} beside ${key} is not supported`);
  return expression;
}

/** Returns the JSON text of a value as a literal of the grammar. */
const fixed = (value: unknown): string => `"${JSON.stringify(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
