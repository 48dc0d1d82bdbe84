/** A CAA record, read from the form that a zone file has: `0 issue "ca.example"`. */
export interface CaaProperty {
  readonly flags: number;
  /** In lower case: matching of tags is case insensitive (RFC 8659 §4.1). */
  readonly tag: string;
  readonly value: string;
}

/** What the value of an `issue` property says. */
export interface CaaIssuer {
  /** Empty where nobody may issue. */
  readonly domain: string;
  readonly parameters: readonly { readonly tag: string; readonly value: string }[];
}

/** Null for what is no CAA record. Takes time in proportion to the text: anybody can publish 64 KB of it. */
export function parseCaaProperty(record: string): CaaProperty | null {
  const match = /^(\d{1,3})[ \t]+([^ \t]+)[ \t]+/.exec(record);
  const [prefix, flags, tag] = match ?? [];
  if (prefix === undefined || tag === undefined || Number(flags) > 255) return null;
  return { flags: Number(flags), tag: tag.toLowerCase(), value: unescaped(unquoted(record.slice(prefix.length))) };
}

/**
 * RFC 8659 §4.2 `issuer-domain-name *(";" parameter)`, as strict as CAs read it: white space is spaces and tabs, tags are
 * letters and digits only though the RFC has hyphens in them, and one semicolon may stand last only right after the domain.
 * Null for what is malformed, which permits nothing.
 */
export function parseCaaIssuer(text: string): CaaIssuer | null {
  const [domain = '', ...rest] = text.split(';').map(trimmed);
  if (rest.length === 1 && rest[0] === '') return { domain, parameters: [] };
  const parameters = rest.map(parseParameter);
  return parameters.every((parameter) => parameter !== null) ? { domain, parameters } : null;
}

function parseParameter(text: string): CaaIssuer['parameters'][number] | null {
  const equals = text.indexOf('=');
  const [tag, value] = [trimmed(text.slice(0, Math.max(0, equals))), trimmed(text.slice(equals + 1))];
  return /^[A-Za-z0-9]+$/.test(tag) && /^[\x21-\x7e]*$/.test(value) ? { tag: tag.toLowerCase(), value } : null;
}

function trimmed(text: string): string {
  return text.replaceAll(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, text.endsWith('"') ? -1 : undefined) : text;
}

/** RFC 1035 §5.1: `\` and three digits are the character with that number, `\` and another character is that character. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(?:(\d{3})|([^]))/g, (_escape, code: string | undefined, character: string | undefined) =>
    code === undefined ? (character ?? '') : String.fromCharCode(Number(code)),
  );
}
