/**
 * Recognises, reads and creates names in a module. `Lean.Name` has two constructors besides the anonymous name: `str
 * prefix string` (tag 1) and `num prefix number` (tag 2), each with its hash.
 */
import { boxed, isBoxed, type ModuleImage } from './module-image.ts';
import { ANONYMOUS_NAME_HASH, hashComponent, type NameComponent } from './name-hash.ts';
import { TAG } from './object-format.ts';

const STRING_COMPONENT = 1;
const NUMBER_COMPONENT = 2;
const HASH_BYTES = 8;
/** Size of a name: header, two fields and the hash. */
const NAME_BYTES = 32;
/** The anonymous name. Constructor 0 of any type has the same word. */
const ANONYMOUS = boxed(0);

/** Whether the object is a name that ends in a string; declarations and extensions have no others. */
export function isStringName(image: ModuleImage, object: number): boolean {
  return (
    !isBoxed(object) &&
    image.tag(object) === STRING_COMPONENT &&
    image.fieldCount(object) === 2 &&
    image.objectBytes(object) === NAME_BYTES
  );
}

export function namePrefix(image: ModuleImage, name: number): number {
  return image.field(name, 0);
}

/** Returns the last component, or undefined if the object only has the layout of a name. */
export function lastComponent(image: ModuleImage, name: number): NameComponent | undefined {
  const word = image.field(name, 1);
  if (image.tag(name) === NUMBER_COMPONENT) return Math.floor(word / 2);
  return isBoxed(word) || image.tag(word) !== TAG.string ? undefined : image.string(word);
}

/** Returns the components from the root; empty for the anonymous name. */
export function nameComponents(image: ModuleImage, name: number): NameComponent[] {
  const components: NameComponent[] = [];
  for (let at = name; !isBoxed(at); at = namePrefix(image, at)) components.unshift(lastComponent(image, at) ?? '');
  return components;
}

export function nameHash(image: ModuleImage, name: number): bigint {
  return image.hash(image.base + image.scalarOffset(name));
}

export function setNameHash(image: ModuleImage, name: number, hash: bigint): void {
  image.setHash(image.base + image.scalarOffset(name), hash);
}

/** Adds the name to the module; returns its address, or a boxed value for the anonymous name. */
export function addName(image: ModuleImage, components: readonly NameComponent[]): number {
  let name = ANONYMOUS;
  let hash = ANONYMOUS_NAME_HASH;
  for (const component of components) {
    const isNumber = typeof component === 'number';
    const last = isNumber ? boxed(component) : image.addString(component);
    hash = hashComponent(hash, component);
    name = image.addConstructor(isNumber ? NUMBER_COMPONENT : STRING_COMPONENT, [name, last], HASH_BYTES);
    setNameHash(image, name, hash);
  }
  return name;
}
