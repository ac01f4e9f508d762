/** Request ids of Google's APIs. The API recognises a repeated call by its id. */
import { createHash } from 'node:crypto';

/** Returns a UUID that is the same for the same request, so a repetition after a lost answer requests nothing new. */
export function requestId(name: string, attempt: number): string {
  const hex = createHash('sha256').update(`${name}/${attempt}`).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
