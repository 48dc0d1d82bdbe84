import { displayName } from '@pets/contracts';
import { toUnicode } from './parse-domain-name.js';

/** A name as DNS has it, as people read it. A label that is no valid internationalized one stays as it is. */
export function displayNameOf(name: string): string {
  return displayName({ name, unicodeName: toUnicode(name) ?? name });
}
