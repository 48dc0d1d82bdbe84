import { createHash, createHmac, createPublicKey, sign, type KeyObject } from 'node:crypto';

/** A key that binds a new account to an existing account of the customer at the CA (RFC 8555 §7.3.4). */
export interface ExternalAccount {
  readonly keyId: string;
  readonly hmacKey: Buffer;
}

export interface Unsigned {
  readonly url: string;
  readonly nonce: string;
  /** Null before the account exists: the request then contains the public key (RFC 8555 §6.2). */
  readonly accountUrl: string | null;
  /** Undefined for POST-as-GET (RFC 8555 §6.3). */
  readonly payload?: object;
}

/** The body of a request: a flattened JWS (RFC 7515 §7.2.2), signed with ES256. */
export function signRequest(key: KeyObject, { url, nonce, accountUrl, payload }: Unsigned): string {
  const by = accountUrl === null ? { jwk: publicJwkOf(key) } : { kid: accountUrl };
  const jws = flatten({ alg: 'ES256', ...by, nonce, url }, payload, (input) =>
    // JOSE concatenates r and s (RFC 7518 §3.4) instead of encoding them in DER.
    sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' }),
  );
  return JSON.stringify(jws);
}

/** The binding of our key to the external account, sent with the registration. */
export function bindExternalAccount(key: KeyObject, { keyId, hmacKey }: ExternalAccount, newAccountUrl: string) {
  return flatten({ alg: 'HS256', kid: keyId, url: newAccountUrl }, publicJwkOf(key), (input) =>
    createHmac('sha256', hmacKey).update(input).digest(),
  );
}

/** RFC 7638 thumbprint of an EC key: the second half of every HTTP-01 response. */
export function thumbprintOf(key: KeyObject): string {
  return createHash('sha256')
    .update(JSON.stringify(publicJwkOf(key)))
    .digest('base64url');
}

/** RFC 7638 §3.2: the required members in this order. */
function publicJwkOf(key: KeyObject) {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return { crv, kty, x, y };
}

function flatten(header: object, payload: object | undefined, signWith: (input: Buffer) => Buffer) {
  const protectedHeader = encode(header);
  const body = payload === undefined ? '' : encode(payload);
  const signature = signWith(Buffer.from(`${protectedHeader}.${body}`)).toString('base64url');
  return { protected: protectedHeader, payload: body, signature };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
