import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Envelope encryption of secrets at rest. Each secret has its own data key (AES-256-GCM), which is wrapped by a
 * key-encryption key (KEK) with an id. Associated data binds a sealed secret to its place, so that ciphertexts cannot be
 * swapped between rows or owners.
 *
 * Text form: `v1.<kek id>.<wrapped data key>.<sealed secret>`, the last two base64url of nonce | ciphertext | tag.
 */

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Key-encryption keys by id. The first one seals, all of them unseal. */
export interface KeyRing {
  readonly activeId: string;
  readonly keys: ReadonlyMap<string, Buffer>;
}

/**
 * Parses `id:base64,id:base64`, each key 32 bytes.
 * @throws Error naming the wrong entry, never its key
 */
export function parseKeyRing(text: string): KeyRing {
  const entries = text.split(',').map((entry, index) => {
    const match = /^([A-Za-z0-9_-]{1,32}):(.+)$/.exec(entry.trim());
    const id = match?.[1];
    const encoded = match?.[2];
    if (id === undefined || encoded === undefined) throw new Error(`entry ${index + 1} is not in the format id:base64`);
    const key = Buffer.from(encoded, 'base64');
    if (key.length !== KEY_BYTES) throw new Error(`key "${id}" has ${key.length} bytes, not ${KEY_BYTES}`);
    return [id, key] as const;
  });
  const [first] = entries;
  if (first === undefined) throw new Error('no key given');
  return { activeId: first[0], keys: new Map(entries) };
}

/** Seals a secret with a fresh data key under the ring's active key. */
export function seal(ring: KeyRing, secret: string, binding: string): string {
  const dataKey = randomBytes(KEY_BYTES);
  const sealed = encrypt(dataKey, Buffer.from(secret), binding);
  return ['v1', ring.activeId, wrapDataKey(ring, dataKey, binding), sealed.toString('base64url')].join('.');
}

/**
 * Decrypts a result of `seal`.
 * @throws Error when the key is unknown or different, the text was changed, or it was sealed for another place
 */
export function unseal(ring: KeyRing, text: string, binding: string): string {
  const { sealed } = parse(text);
  return decrypt(openDataKey(ring, text, binding), Buffer.from(sealed, 'base64url'), binding).toString();
}

/**
 * The same secret under the ring's active key. Only the data key is decrypted, never the secret. A text that is under the
 * active key already is returned unchanged.
 * @throws Error like `unseal`, for the data key
 */
export function rewrap(ring: KeyRing, text: string, binding: string): string {
  const { keyId, sealed } = parse(text);
  if (keyId === ring.activeId) return text;
  const wrapped = wrapDataKey(ring, openDataKey(ring, text, binding), binding);
  return ['v1', ring.activeId, wrapped, sealed].join('.');
}

/** Throws the error of `unseal` when the ring cannot decrypt the data key. It does not decrypt the secret. */
export function assertOpens(ring: KeyRing, text: string, binding: string): void {
  openDataKey(ring, text, binding);
}

/** The id of the key-encryption key of a secret. @throws Error when the text is not a sealed secret */
export function sealingKeyId(text: string): string {
  return parse(text).keyId;
}

interface Envelope {
  readonly keyId: string;
  readonly wrapped: string;
  readonly sealed: string;
}

function parse(text: string): Envelope {
  const [version, keyId, wrapped, sealed, ...rest] = text.split('.');
  if (version !== 'v1' || !keyId || !wrapped || !sealed || rest.length > 0) throw new Error('not a sealed secret');
  return { keyId, wrapped, sealed };
}

function wrapDataKey(ring: KeyRing, dataKey: Buffer, binding: string): string {
  const key = keyOf(ring, ring.activeId);
  return encrypt(key, dataKey, `kek|${ring.activeId}|${binding}`).toString('base64url');
}

function openDataKey(ring: KeyRing, text: string, binding: string): Buffer {
  const { keyId, wrapped } = parse(text);
  const key = keyOf(ring, keyId);
  try {
    return decrypt(key, Buffer.from(wrapped, 'base64url'), `kek|${keyId}|${binding}`);
  } catch (cause) {
    const message = `key-encryption key "${keyId}" does not decrypt this: it is a different key, or the text belongs to another place`;
    throw new Error(message, { cause });
  }
}

function keyOf(ring: KeyRing, id: string): Buffer {
  const key = ring.keys.get(id);
  if (key === undefined) throw new Error(`key-encryption key "${id}" is not configured`);
  return key;
}

function encrypt(key: Buffer, plain: Buffer, binding: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(binding));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, bytes: Buffer, binding: string): Buffer {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('not a sealed secret');
  const tagAt = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(binding))
    .setAuthTag(bytes.subarray(tagAt));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, tagAt)), decipher.final()]);
}
