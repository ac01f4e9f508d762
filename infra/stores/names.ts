/** Names of objects: checked once, so that they are safe as file paths, as URIs and as object names alike. */
import { StpError } from '@stp/base';

/** Google Cloud Storage takes 1024 bytes and most file systems 255 a part; marks and prefixes need some of it. */
const NAME_LENGTH_MAX = 800;
const PART_LENGTH_MAX = 200;
const PART = /^[A-Za-z0-9_.=@+,~:-]+$/;

/** The store's own folder inside a `file://` store. */
export const RESERVED_PART = '.stp';

/** Returns the name. Throws STP1002 unless it has `/`-separated parts of letters, digits and `_.=@+,~:-`. */
export function checkName(name: string): string {
  const parts = name.split('/');
  const wrong = parts.find((part) => !isPart(part));
  if (wrong === undefined && name.length <= NAME_LENGTH_MAX && parts[0] !== RESERVED_PART) return name;
  throw new StpError(
    'STP1002',
    `object name ${JSON.stringify(name.slice(0, NAME_LENGTH_MAX))} cannot be used`,
    `Use "/"-separated parts of at most ${PART_LENGTH_MAX} letters, digits and _.=@+,~:- , none of them "." or "..", not beginning with ${RESERVED_PART}/.`,
    { facts: { name } },
  );
}

/** Checks a prefix of a name; its last part may be unfinished or empty: `` , `rounds/`, `rounds/1-`. */
export function checkPrefix(prefix: string): string {
  if (prefix === '' || prefix.endsWith('/')) {
    if (prefix !== '') checkName(prefix.slice(0, -1));
    return prefix;
  }
  return checkName(prefix);
}

function isPart(part: string): boolean {
  return part.length <= PART_LENGTH_MAX && part !== '.' && part !== '..' && PART.test(part);
}
