/** The path of a request, and what it says about files of a deployment. */
export interface RequestedPath {
  /** The path as sent, without the query. Redirects to another form of it are made from this. */
  readonly sent: string;
  /** Begins with its question mark; empty without. */
  readonly query: string;
  /** Each segment decoded, in NFC, as deployments name files: `/docs/a b`. Ends in a slash as the sent one does. */
  readonly decoded: string;
}

/**
 * Parses a request target in origin form. Each segment is decoded once and separately, so that an encoded character cannot
 * become a separator or leave the deployment. A fragment, which browsers do not send, is ignored.
 * @returns undefined when a segment cannot be decoded, or is not a plain name afterwards
 */
export function parseRequestedPath(target: string): RequestedPath | undefined {
  const [sent = '', query = ''] = splitTarget(target);
  const segments: string[] = [];
  for (const segment of sent.slice(1).split('/')) {
    const name = decodeSegment(segment);
    if (name === undefined) return undefined;
    segments.push(name);
  }
  return { sent, query, decoded: `/${segments.join('/')}` };
}

function splitTarget(target: string): [string, string] {
  const hash = target.indexOf('#');
  const whole = hash === -1 ? target : target.slice(0, hash);
  const mark = whole.indexOf('?');
  return mark === -1 ? [whole, ''] : [whole.slice(0, mark), whole.slice(mark)];
}

/** @returns undefined for a segment that cannot be decoded, or is not a plain name afterwards */
function decodeSegment(segment: string): string | undefined {
  try {
    // Deployments store names in NFC; some keyboards and file systems produce NFD.
    const name = decodeURIComponent(segment).normalize('NFC');
    return name === '.' || name === '..' || /[\u0000-\u001f\u007f/\\]/.test(name) ? undefined : name;
  } catch {
    return undefined;
  }
}

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
