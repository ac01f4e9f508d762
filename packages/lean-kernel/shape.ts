/**
 * Readers of parsed JSON. Each takes a value and returns it typed, or throws `Misshapen`, which names the field.
 * Unknown fields of a record are ignored. Written here because this package has no dependencies.
 */
export class Misshapen extends Error {}

/** `at` is the path of the value in its line, for errors. */
export type Reader<Value> = (value: unknown, at: string) => Value;
type Fields = Readonly<Record<string, Reader<unknown>>>;
type Read<Shape extends Fields> = { readonly [Key in keyof Shape]: ReturnType<Shape[Key]> };

function refuse(at: string, expected: string): never {
  throw new Misshapen(`${at === '' ? 'the line' : at} is not ${expected}`);
}

/** Accepts an integer from 0 to `max`. */
export const whole =
  (max = Number.MAX_SAFE_INTEGER): Reader<number> =>
  (value, at) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max
      ? value
      : refuse(at, `a whole number from 0 to ${max}`);

export const finite: Reader<number> = (value, at) =>
  typeof value === 'number' && Number.isFinite(value) ? value : refuse(at, 'a number');

export const text: Reader<string> = (value, at) => (typeof value === 'string' ? value : refuse(at, 'a text'));

export const flag: Reader<boolean> = (value, at) => (typeof value === 'boolean' ? value : refuse(at, 'true or false'));

export const oneOf =
  <const Words extends readonly (string | number)[]>(...words: Words): Reader<Words[number]> =>
  (value, at) =>
    words.includes(value as Words[number]) ? (value as Words[number]) : refuse(at, `one of ${words.join(', ')}`);

export const listOf =
  <Item>(item: Reader<Item>, max = Number.POSITIVE_INFINITY): Reader<readonly Item[]> =>
  (value, at) => {
    if (!Array.isArray(value)) return refuse(at, 'a list');
    if (value.length > max) return refuse(at, `a list of at most ${max}`);
    return value.map((entry, index) => item(entry, `${at}[${index}]`));
  };

export const record =
  <const Shape extends Fields>(shape: Shape): Reader<Read<Shape>> =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(at, 'an object');
    const read: Record<string, unknown> = {};
    for (const [key, reader] of Object.entries(shape))
      read[key] = reader(
        Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined,
        at === '' ? key : `${at}.${key}`,
      );
    return read as Read<Shape>;
  };

/** Returns `fallback` if the field is missing. */
export const withDefault =
  <Value>(reader: Reader<Value>, fallback: Value): Reader<Value> =>
  (value, at) =>
    value === undefined ? fallback : reader(value, at);
