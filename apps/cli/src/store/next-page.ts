import type { Outcome } from '../outcome/outcome.js';

/** The command that shows what follows a page, where its `Link` (RFC 8288) says that something does. */
export function nextPage(command: string, { headers }: Response): Outcome['next'] {
  const target = /<([^>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  // Relative to any base: only its query counts.
  const cursor = target === undefined ? null : new URL(target, 'http://api.invalid').searchParams.get('cursor');
  return cursor === null ? [] : [{ command: `${command} --cursor ${cursor}`, when: 'for the next page' }];
}
