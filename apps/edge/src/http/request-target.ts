/**
 * What was asked for, as path and query, untouched: `//evil` stays a path. An absolute form (RFC 9112 §3.2.2) is
 * taken when it names the host of the request. Undefined for everything else.
 */
export function parseTarget(target: string, hostHeader: string): string | undefined {
  if (target.startsWith('/')) return target;
  const [origin = '', authority] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? [];
  if (authority?.toLowerCase() !== hostHeader.toLowerCase()) return undefined;
  const path = target.slice(origin.length);
  return path.startsWith('/') ? path : `/${path}`;
}

/** A Location for another host. Path and query are as asked, with what no header may hold percent-encoded. */
export function locationOf(host: string, publicHttpsPort: number, target: string): string {
  const port = publicHttpsPort === 443 ? '' : `:${publicHttpsPort}`;
  const printable = target.replaceAll(/[^\x21-\x7e]/gu, encodeCharacter);
  return `https://${host}${port}${printable}`;
}

/** Node reads header bytes as Latin-1, so that a code point up to 255 stands for one byte of the request. */
function encodeCharacter(character: string): string {
  const bytes = Buffer.from(character, (character.codePointAt(0) ?? 0) <= 0xff ? 'latin1' : 'utf8');
  return [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
