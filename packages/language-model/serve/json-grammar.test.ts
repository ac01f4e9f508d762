import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonGrammar, responseFormatSchema, UnreadSchema } from './json-grammar.ts';

const grammarOf = (schema: object) =>
  jsonGrammar(responseFormatSchema.parse({ type: 'json_schema', json_schema: { name: 'a', schema } }))!;
const rulesOf = (text: string) =>
  new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ::= ', 2) as [string, string]),
  );

test('free text has none, and an object of any form has one', () => {
  expect(jsonGrammar({ type: 'text' })).toBeNull();
  expect(rulesOf(jsonGrammar({ type: 'json_object' })!).get('root')).toBe('object');
});

test('every rule that is named is there', () => {
  const node: object = {
    type: 'object',
    properties: {
      of: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/node' }] },
      more: { type: 'array', items: { $ref: '#' } },
    },
    required: ['of'],
  };
  const schema = {
    ...node,
    $defs: { node },
    properties: { a: { $ref: '#/$defs/node' }, 'b "c"': { enum: ['x', 1, null] } },
    required: [],
  };
  const rules = rulesOf(grammarOf(schema));
  const named = [...rules.values()].flatMap(
    (text) => text.replaceAll(/"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{[^}]*\}/gu, ' ').match(/[a-z]\w*/gu) ?? [],
  );
  expect(named.filter((name) => !rules.has(name))).toEqual([]);
  expect([...rules.values()].join('\n')).toContain(String.raw`"\"b \\\"c\\\"\"" ":" ws`);
});

test('what zod writes is read', () => {
  const form = z.strictObject({
    analysis: z.string(),
    evidence: z.array(z.strictObject({ kind: z.enum(['step', 'error']), quote: z.string().max(40) })),
    mark: z.number(),
    count: z.int().optional(),
  });
  expect(() => grammarOf(z.toJSONSchema(form))).not.toThrow();
});

describe('what is not read is refused, with its place', () => {
  test.each<[string, object, string]>([
    ['a pattern', { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } }, '#/properties/a: '],
    ['a bound of a number', { type: 'integer', minimum: 3 }, '#/minimum: is not supported'],
    ['all of several', { allOf: [{}] }, 'allOf'],
    ['something beside a choice', { anyOf: [{ type: 'null' }], type: 'object' }, '#: type beside anyOf'],
    ['a reference to elsewhere', { properties: { a: { $ref: 'http://a/b' } }, type: 'object' }, '#/properties/a/$ref'],
    ['a reference to nothing', { type: 'array', items: { $ref: '#/$defs/a' } }, '#/items: there is no #/$defs/a'],
    ['a schema that is itself', { $ref: '#' }, '#: $ref is read within'],
    ['a schema that may be itself', { anyOf: [{ type: 'null' }, { $ref: '#' }] }, '#/anyOf/1: $ref is read within'],
    ['a required property that is none', { type: 'object', properties: {}, required: ['a'] }, 'no property: a'],
    ['a constant of another type', { const: 1, type: 'string' }, 'has no value of its type'],
    ['properties without a type', { properties: { a: true } }, 'has no type'],
    ['lengths that cross', { type: 'string', minLength: 3, maxLength: 2 }, 'above its greatest'],
    ['too long a text', { type: 'string', maxLength: 100_000 }, '#/maxLength'],
    [
      'bounds that add up',
      {
        type: 'object',
        properties: Object.fromEntries([...'abcdefghij'].map((name) => [name, { type: 'string', maxLength: 500 }])),
      },
      'come to more than 4096',
    ],
    ['depth', JSON.parse(`${'{"type":"array","items":'.repeat(40)}{}${'}'.repeat(40)}`), 'nests deeper'],
    [
      'too many parts',
      { type: 'object', properties: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, {}])) },
      'more than 128 properties',
    ],
  ])('%s', (_, schema, reason) => {
    expect(() => grammarOf(schema)).toThrow(UnreadSchema);
    expect(() => grammarOf(schema)).toThrow(reason);
  });
});
