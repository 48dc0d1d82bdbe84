import { RequestError } from '@pets/platform';

const MAX_LENGTH = 255;

/** RFC 8941 §3.3.3: printable ASCII in double quotes; a quote or a backslash in it has a backslash before it. */
const quoted = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** As many clients send it. Without comma and space: two headers on one line are not one key. */
const unquoted = /^[A-Za-z0-9_.:~+/=@-]+$/;

/**
 * The key in an `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header), quoted as the draft has it or bare.
 * Both are the same key.
 * @param values of each such header of the request
 * @throws RequestError `invalid_parameter`
 */
export function parseIdempotencyKey(values: readonly string[]): string {
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) throw invalid('must be sent once');
  const key = quoted.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? unquoted.exec(value)?.[0];
  if (key === undefined)
    throw invalid('must be a string in double quotes, or letters, digits and _ . : ~ + / = @ - without quotes');
  if (key.length === 0 || key.length > MAX_LENGTH) throw invalid(`must have from 1 to ${MAX_LENGTH} characters`);
  return key;
}

function invalid(reason: string): RequestError {
  return RequestError.ofField('invalid_parameter', 'Idempotency-Key', reason);
}
