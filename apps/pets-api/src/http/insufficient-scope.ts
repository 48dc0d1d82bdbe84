import type { Scope } from '@pets/contracts';
import { RequestError } from '@pets/platform';

/** `forbidden` for a key without these scopes. RFC 6750 §3.1: the challenge names them. */
export function missingScopes(scopes: readonly Scope[]): RequestError {
  const list = scopes.join(' ');
  return insufficient(`The key lacks the scope ${list}.`, `, scope="${list}"`);
}

/** `forbidden` for a credential that may not do it. */
export function insufficient(message: string, detail = ''): RequestError {
  const challenge = { 'www-authenticate': `Bearer realm="pets-api", error="insufficient_scope"${detail}` };
  return new RequestError('forbidden', message, challenge);
}
