import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { parseJwk, read, thumbprint, type Jwk } from './jws.js';
import { Problem } from './problem.js';

const bindingSchema = z.object({ protected: z.base64url(), payload: z.base64url(), signature: z.base64url() });
const headerSchema = z.object({ alg: z.literal('HS256'), kid: z.string(), url: z.string() });

/**
 * RFC 8555 §7.3.4: that whoever makes an account holds a key it was given elsewhere.
 * @param keys base64url by id; undefined when no binding is asked for
 * @returns the id of the key, or undefined where none is asked for
 * @throws Problem `externalAccountRequired`, `malformed` or `unauthorized`
 */
export function verifyBinding(
  binding: unknown,
  jwk: Jwk,
  url: string,
  keys: Readonly<Record<string, string>> | undefined,
): string | undefined {
  if (keys === undefined) return undefined;
  if (binding === undefined) throw new Problem('externalAccountRequired', 'an external account binding is required');
  const jws = read(bindingSchema, binding, 'externalAccountBinding');
  const header = read(headerSchema, decode(jws.protected), 'externalAccountBinding.protected');
  if (header.url !== url) throw new Problem('malformed', `the binding is for ${header.url}, not for ${url}`);
  const key = keys[header.kid];
  if (key === undefined) throw new Problem('unauthorized', `there is no external account key ${header.kid}`);
  const wanted = createHmac('sha256', Buffer.from(key, 'base64url')).update(`${jws.protected}.${jws.payload}`).digest();
  const given = Buffer.from(jws.signature, 'base64url');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new Problem('unauthorized', 'the external account binding is not signed with its key');
  if (thumbprint(parseJwk(decode(jws.payload))) !== thumbprint(jwk))
    throw new Problem('malformed', 'the binding is of another account key');
  return header.kid;
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw new Problem('malformed', 'the external account binding is not JSON');
  }
}
