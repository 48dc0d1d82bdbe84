import { truncateText } from './truncate.js';
import { hostOf, parentOf } from './probes.js';
import { displayNameOf } from '../names/unicode-name.js';

/** A usual mistake that explains how a value differs from the expected one. */
export interface NearMiss {
  /** A sentence for the owner. */
  readonly hint: string;
  /** The edit distance, if it is small. */
  readonly distance?: number;
}

/** A larger edit distance means another value, not a typing error. */
const MAX_SLIPS = 3;
/** Limit of the text that was entered before a token by mistake, such as `pets=`. */
const MAX_PREFIX_BYTES = 64;

/** Explains how the target of a CNAME differs from the expected one; null if it is another target. */
export function explainNearMiss(seen: string, expected: string, name: string): NearMiss | null {
  if (seen === '' || seen === expected) return null;
  if (seen.startsWith(`${expected}.`)) return explainAppended(seen.slice(expected.length + 1), name);
  if (expected.startsWith(seen))
    return { hint: `The value is truncated: it has ${seen.length} of ${expected.length} characters.` };

  const token = firstLabel(seen);
  const expectedToken = firstLabel(expected);
  const isOurs = parentOf(seen) === parentOf(expected);
  if (isOurs && expectedToken.startsWith(token))
    return { hint: `The first label is truncated: it has ${token.length} of ${expectedToken.length} characters.` };
  const distance = editDistance(seen, expected);
  if (distance <= MAX_SLIPS) return { hint: describeSlip(seen, expected, distance), distance };
  return isOurs ? { hint: 'This is the target of another domain: each domain has its own target.' } : null;
}

/** Explains how a TXT value differs from the token; null if it is another value. `host`: where the record is. */
export function explainTokenNearMiss(seen: string, token: string, host: string): NearMiss | null {
  if (seen === token) return null;
  if (isNameOf(withoutQuotes(seen), host))
    return { hint: 'The value is the name of the record: enter the token as the value.' };
  if (seen.includes(token)) return { hint: explainAround(seen, token) };
  if (withoutSpaces(seen) === token) return { hint: 'The value contains spaces: remove them.' };
  const bare = withoutQuotes(seen);
  if (token.startsWith(bare) && bare !== '')
    return { hint: `The value is truncated: it has ${bare.length} of ${token.length} characters.` };
  if (bare.toLowerCase() === token.toLowerCase())
    return { hint: 'Upper and lower case differ: copy the value instead of typing it.' };
  const distance = editDistance(bare, token);
  return distance <= MAX_SLIPS ? { hint: describeSlip(bare, token, distance), distance } : null;
}

/** Explains a value that contains the token and other text. */
function explainAround(seen: string, token: string): string {
  if (seen.trim() === token) return 'There are spaces around the value: remove them.';
  if (withoutQuotes(seen) === token) return 'The quotation marks are part of the value: enter it without them.';
  const before = seen.slice(0, seen.indexOf(token));
  return /[=:]\s*["']?$/.test(before)
    ? `The value begins with “${truncateText(before, MAX_PREFIX_BYTES)}”: remove that, so that the value is only the token.`
    : 'There is other text around the token: the value must be only the token.';
}

/** Whether a value is the name of a record, as it is entered at a DNS provider: complete, or without the zone. */
function isNameOf(value: string, host: string): boolean {
  const name = hostOf(value);
  return name === host || host.startsWith(`${name}.`);
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s/g, '');
}

/** Removes quotation marks around a text, typographic ones (from word processors) and escaped ones included. */
function withoutQuotes(text: string): string {
  // Without the look-behind, a match could start at each character of a long run, which takes quadratic time.
  return text.replaceAll(/^[\s\\"'“”„‘’]+|(?<![\s\\"'“”„‘’])[\s\\"'“”„‘’]+$/g, '');
}

function explainAppended(tail: string, name: string): NearMiss {
  return name === tail || name.endsWith(`.${tail}`)
    ? { hint: `The DNS provider appended the zone ${displayNameOf(tail)}: enter the value with a final dot.` }
    : { hint: `The value continues with .${tail} after the target: remove that part.` };
}

function describeSlip(seen: string, expected: string, distance: number): string {
  const at = [...expected].findIndex((character, index) => seen[index] !== character);
  const place = at <= 0 ? 'at the beginning' : `after “${expected.slice(Math.max(0, at - 12), at)}”`;
  if (distance > 1) return `It differs in ${distance} characters, first ${place}.`;
  if (seen.length < expected.length) return `One character is missing ${place}.`;
  if (seen.length > expected.length) return `There is an extra character ${place}.`;
  return `One character is wrong ${place}.`;
}

/** The Levenshtein distance, or a number above the limit as soon as that is certain. */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_cost, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replace = (previous[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      row.push(Math.min(replace, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    if (Math.min(...row) > MAX_SLIPS) return MAX_SLIPS + 1;
    previous = row;
  }
  return previous[other.length] ?? 0;
}

function firstLabel(name: string): string {
  return name.replace(/\..*/, '');
}
