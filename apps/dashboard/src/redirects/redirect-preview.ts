import type { Redirect } from './redirect-layout.js';

interface Hop {
  readonly status: number;
  readonly to: string;
}

/** What a visitor gets, from redirect to redirect. */
interface Visit {
  readonly hops: readonly Hop[];
  readonly end: 'site' | 'loop';
}

/** Follows the redirects of a configuration from a name. One that is being edited may contain a loop. */
export function previewVisit(from: string, redirects: readonly Redirect[]): Visit {
  const visited = new Set([from]);
  const hops: Hop[] = [];
  for (let at = from; ;) {
    const redirect = redirects.find((each) => each.from === at);
    if (redirect === undefined) return { hops, end: 'site' };
    hops.push({ status: redirect.status, to: redirect.to });
    if (visited.has(redirect.to)) return { hops, end: 'loop' };
    visited.add(redirect.to);
    at = redirect.to;
  }
}

/** The names that a redirect comes from or leads to, each once. */
export function involvedNames(redirects: readonly Redirect[]): readonly string[] {
  return [...new Set(redirects.flatMap(({ from, to }) => [from, to]))];
}
