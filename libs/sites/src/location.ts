/**
 * An absolute Location, so that no path is read as another host; characters that a header must not contain are
 * percent-encoded.
 * @param target a path with its query
 */
export function locationOf(host: string, publicHttpsPort: number, target: string): string {
  const port = publicHttpsPort === 443 ? '' : `:${publicHttpsPort}`;
  const printable = target.replaceAll(/[^\x21-\x7e]/gu, encodeCharacter);
  return `https://${host}${port}${printable}`;
}

/** Node decodes header bytes as Latin-1, so a code point up to 255 is one byte of the request. */
function encodeCharacter(character: string): string {
  const bytes = Buffer.from(character, (character.codePointAt(0) ?? 0) <= 0xff ? 'latin1' : 'utf8');
  return [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
