/** The cursor of the next page, from the `Link` (RFC 8288) of this one; null on the last. */
export function nextCursor({ headers }: Response): string | null {
  const target = /<([^<>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  // Relative to any base: only its query counts.
  return target === undefined ? null : new URL(target, 'http://api.invalid').searchParams.get('cursor');
}
