/** The cursor of the next page, from the `Link` of this one (RFC 8288); null on the last. */
export function nextCursor(link: string | null): string | null {
  const target = /<([^<>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1];
  return target === undefined ? null : new URL(target, 'http://api.invalid').searchParams.get('cursor');
}
