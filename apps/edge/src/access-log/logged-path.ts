const CHALLENGE_PATH = '/.well-known/acme-challenge/';
const MAX_PATH = 500;

/**
 * A request's path as it may be kept: without the query, which holds what visitors type, mail addresses and tokens of
 * sessions among it; without the token of a challenge, which is the CA's secret with the owner; and cut.
 */
export function loggedPath(target: string): string {
  const end = target.search(/[?#]/);
  const path = (end === -1 ? target : target.slice(0, end)).replace(/^https?:\/\/[^/]*/i, '');
  const at = path.indexOf(CHALLENGE_PATH);
  return at === -1 ? path.slice(0, MAX_PATH) : `${CHALLENGE_PATH}[token]`;
}
