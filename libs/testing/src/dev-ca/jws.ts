import { createHash, createPublicKey, randomBytes, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { Problem } from './problem.js';

const algorithms = ['ES256', 'RS256'] as const;

const ecKeySchema = z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string() });
const rsaKeySchema = z.object({ kty: z.literal('RSA'), e: z.string(), n: z.string() });
const jwkSchema = z.discriminatedUnion('kty', [ecKeySchema, rsaKeySchema]);
export type Jwk = z.infer<typeof jwkSchema>;

const jwsSchema = z.object({
  protected: z.base64url(),
  payload: z.union([z.base64url(), z.literal('')]),
  signature: z.base64url(),
  header: z.undefined({ error: 'unprotected headers are not allowed' }).optional(),
});
const headerSchema = z.object({
  alg: z.string(),
  nonce: z.string(),
  url: z.string(),
  jwk: z.unknown().optional(),
  kid: z.string().optional(),
});

export type SignedRequest = {
  readonly header: z.infer<typeof headerSchema>;
  /** `undefined` for POST-as-GET (RFC 8555 §6.3). */
  readonly payload: unknown;
  /** Checks the signature with the key it should be of. */
  verifyWith(jwk: Jwk): void;
};

/** Reads a flattened JWS (RFC 7515 §7.2.2) without believing it yet. */
export function parseJws(body: string): SignedRequest {
  const jws = read(jwsSchema, parseJson(body, 'the body'), 'the JWS');
  const header = read(headerSchema, parseJson(decode(jws.protected), 'the protected header'), 'the protected header');
  if ((header.jwk === undefined) === (header.kid === undefined)) {
    throw new Problem('malformed', 'the protected header must hold either jwk or kid, and not both');
  }
  if (!algorithms.some((algorithm) => algorithm === header.alg)) {
    throw new Problem('badSignatureAlgorithm', `algorithm ${header.alg} is not supported`, { algorithms });
  }
  return {
    header,
    payload: jws.payload === '' ? undefined : parseJson(decode(jws.payload), 'the payload'),
    verifyWith: (jwk) => {
      const signed = Buffer.from(`${jws.protected}.${jws.payload}`);
      if (!isSignedBy(jwk, header.alg, signed, Buffer.from(jws.signature, 'base64url'))) {
        throw new Problem('malformed', 'the JWS signature does not verify');
      }
    },
  };
}

export function parseJwk(input: unknown): Jwk {
  return read(jwkSchema, input, 'the jwk (EC P-256 and RSA are supported)');
}

/** RFC 7638: the required members in lexicographic order, without white space. */
export function thumbprint(jwk: Jwk): string {
  const members =
    jwk.kty === 'EC' ? { crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y } : { e: jwk.e, kty: jwk.kty, n: jwk.n };
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}

function isSignedBy(jwk: Jwk, algorithm: string, signed: Buffer, signature: Buffer): boolean {
  if (algorithm !== (jwk.kty === 'EC' ? 'ES256' : 'RS256')) return false; // the key's type decides, not the asker
  const key = publicKeyOf(jwk);
  return jwk.kty === 'EC'
    ? verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
    : verify('sha256', signed, key, signature);
}

function publicKeyOf(jwk: Jwk): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    throw new Problem('malformed', 'the jwk is not a valid key');
  }
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('malformed', `${what} is not JSON`);
  }
}

/** Outside input by a schema, or a `malformed` problem that says what was wrong. */
export function read<Schema extends z.ZodType>(schema: Schema, input: unknown, what: string): z.infer<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Problem('malformed', `${what}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not valid'}`);
}

/** Old ones are forgotten beyond this; their holder gets badNonce and tries again, as ACME foresees. */
const KEPT = 10_000;

/** Each nonce is good for one request (RFC 8555 §6.5). */
export class Nonces {
  readonly #unused = new Set<string>();

  next(): string {
    const nonce = randomBytes(16).toString('base64url');
    this.#unused.add(nonce);
    if (this.#unused.size > KEPT) {
      const [oldest] = this.#unused;
      if (oldest !== undefined) this.#unused.delete(oldest);
    }
    return nonce;
  }

  use(nonce: string): boolean {
    return this.#unused.delete(nonce);
  }
}
