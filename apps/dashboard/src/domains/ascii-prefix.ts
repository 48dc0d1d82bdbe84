/** What the API searches for: the beginning of a name in ASCII. */
const searchable = /^[A-Za-z0-9._*-]{0,253}$/;

/** Characters that end a host name in a URL. */
const notInHosts = /[\s/\\?#@:[\]]/;

/**
 * A search term in ASCII, as the API stores names. A label with other characters is converted as a whole (URL Standard, domain to
 * ASCII), so its beginning alone finds nothing.
 * @returns null for what begins no name
 */
export function asciiPrefixOf(term: string): string | null {
  if (searchable.test(term)) return term;
  if (notInHosts.test(term)) return null;
  const [, wildcard = '', rest = ''] = /^(\*\.)?(.*)$/s.exec(term) ?? [];
  if (!URL.canParse(`http://${rest}`)) return null;
  const ascii = wildcard + new URL(`http://${rest}`).hostname;
  return searchable.test(ascii) ? ascii : null;
}

/** Whether a term has characters that are found only by whole labels. */
export function hasSpecialCharacters(term: string): boolean {
  return /[^\u0000-\u007f]/.test(term);
}
