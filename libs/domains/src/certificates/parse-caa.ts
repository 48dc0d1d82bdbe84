/** A CAA record, parsed from presentation form: `0 issue "ca.example"`. */
export interface CaaProperty {
  readonly flags: number;
  /** In lower case: matching of tags is case insensitive (RFC 8659 §4.1). */
  readonly tag: string;
  readonly value: string;
}

/** The value of an `issue` property. */
export interface CaaIssuer {
  /** Empty if no CA may issue. */
  readonly domain: string;
  readonly parameters: readonly { readonly tag: string; readonly value: string }[];
}

/** Parses a record; null if it is not a CAA record. Takes linear time, since anybody can publish 64 KB of text. */
export function parseCaaProperty(record: string): CaaProperty | null {
  const match = /^(\d{1,3})[ \t]+([^ \t]+)[ \t]+/.exec(record);
  if (match === null) return null;
  const [prefix, flags, tag] = [match[0], Number(match[1]), String(match[2])];
  if (flags > 255) return null;
  return { flags, tag: tag.toLowerCase(), value: unescaped(unquoted(record.slice(prefix.length))) };
}

/**
 * Parses RFC 8659 §4.2 `issuer-domain-name *(";" parameter)` as strictly as CAs do: white space is spaces and tabs, tags have
 * only letters and digits (the RFC also allows hyphens), and a final semicolon is valid only directly after the domain.
 * @returns null for a malformed value, which permits nothing
 */
export function parseCaaIssuer(text: string): CaaIssuer | null {
  const [domain = text, ...rest] = text.split(';').map(trimmed);
  if (rest.length === 1 && rest[0] === '') return { domain, parameters: [] };
  const parameters = rest.map(parseParameter);
  return parameters.every((parameter) => parameter !== null) ? { domain, parameters } : null;
}

function parseParameter(text: string): CaaIssuer['parameters'][number] | null {
  const equals = text.indexOf('=');
  const tag = trimmed(text.slice(0, Math.max(0, equals)));
  const value = trimmed(text.slice(equals + 1));
  return /^[A-Za-z0-9]+$/.test(tag) && /^[\x21-\x7e]*$/.test(value) ? { tag: tag.toLowerCase(), value } : null;
}

function trimmed(text: string): string {
  return text.replaceAll(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, text.endsWith('"') ? -1 : undefined) : text;
}

/** RFC 1035 §5.1: `\` and three digits encode a character by its number; `\` and another character is that character. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(?:(\d{3})|[^])/g, (escape, code: string | undefined) =>
    code === undefined ? escape.slice(1) : String.fromCharCode(Number(code)),
  );
}
