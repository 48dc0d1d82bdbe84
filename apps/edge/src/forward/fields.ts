/** Fields of HTTP messages, as names and values alternately: the form of Node and of undici. */
export type Fields = readonly string[];

/** RFC 9110 §5.1 and §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110 §5.5. Each character is one byte. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function isFieldName(name: string): boolean {
  return TOKEN.test(name);
}

export function isFieldValue(value: string): boolean {
  return VALUE.test(value);
}

/** Text that `encodeValue` leaves as it is. */
const PLAIN = /^[\x21-\x24\x26-\x7e]*$/;

/** Fields that concern one connection only (RFC 9110 §7.6.1), and those that the next connection has of its own. */
const hopByHop = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export function isHopByHop(lowerName: string): boolean {
  return hopByHop.has(lowerName);
}

/** The fields that the sender of a message declares as those of its connection. @returns names in lower case */
export function nominatedFields(fields: Fields): ReadonlySet<string> {
  let nominated: Set<string> | undefined;
  for (let at = 0; at < fields.length; at += 2) {
    if (!isNamed(fields[at], 'connection')) continue;
    nominated ??= new Set();
    for (const option of (fields[at + 1] ?? '').split(',')) nominated.add(option.trim().toLowerCase());
  }
  return nominated ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();

/** Whether a field has a name, whatever the case. @param lowerName in lower case */
export function isNamed(name: string | undefined, lowerName: string): boolean {
  return name?.length === lowerName.length && name.toLowerCase() === lowerName;
}

/** Each value of a field, in order. @param lowerName in lower case */
export function valuesOf(fields: Fields, lowerName: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at < fields.length; at += 2) if (isNamed(fields[at], lowerName)) values.push(fields[at + 1] ?? '');
  return values;
}

/**
 * A text as a value of visible ASCII: UTF-8, with everything outside of 0x21 to 0x7E, and the percent sign itself, encoded
 * (RFC 3986 §2.1). `decodeURIComponent` gives the text back.
 */
export function encodeValue(text: string): string {
  if (PLAIN.test(text)) return text;
  let encoded = '';
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x21 && byte <= 0x7e && byte !== 0x25;
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}
