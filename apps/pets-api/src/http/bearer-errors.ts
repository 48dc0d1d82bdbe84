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

/** One error for every reason, so that it gives an attacker no hint. */
export function invalidApiKey(): RequestError {
  return invalidToken('The API key is not valid.');
}

/** `invalid_api_key` for a credential that is unknown, malformed, expired or revoked. */
export function invalidToken(message: string): RequestError {
  const challenge = {
    'www-authenticate': `Bearer realm="pets-api", error="invalid_token", error_description="${message}"`,
  };
  return new RequestError('invalid_api_key', message, challenge);
}
