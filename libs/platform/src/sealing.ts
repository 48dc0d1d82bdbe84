import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Envelope encryption of secrets at rest. Each secret has a data key of its own (AES-256-GCM), which is wrapped by a
 * key-encryption key (KEK) that is known by its id. Associated data binds a sealed secret to its place, so that
 * ciphertexts cannot be swapped between rows or owners.
 *
 * Text form: `v1.<kek id>.<wrapped data key>.<sealed secret>`, the last two base64url of nonce | ciphertext | tag.
 */

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Key-encryption keys by id; the first one listed seals, all of them open. */
export interface KeyRing {
  readonly activeId: string;
  readonly keys: ReadonlyMap<string, Buffer>;
}

/**
 * Parses `id:base64,id:base64`, each key 32 bytes.
 * @throws Error naming the entry that is wrong, never its key
 */
export function parseKeyRing(text: string): KeyRing {
  const entries = text.split(',').map((entry, index) => {
    const match = /^([A-Za-z0-9_-]{1,32}):(.+)$/.exec(entry.trim());
    const [id, encoded] = [match?.[1], match?.[2]];
    if (id === undefined || encoded === undefined) throw new Error(`entry ${index + 1} is not of the form id:base64`);
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
 * Opens what `seal` made.
 * @throws Error when the key is unknown or another one, the text was changed, or it was sealed for another place
 */
export function unseal(ring: KeyRing, text: string, binding: string): string {
  const { sealed } = parse(text);
  return decrypt(openDataKey(ring, text, binding), Buffer.from(sealed, 'base64url'), binding).toString();
}

/**
 * The same secret below the ring's active key. Only the data key is opened: the secret itself is neither decrypted nor
 * sealed anew. What is below the active key already comes back as it is.
 * @throws Error as `unseal` does, as far as the data key tells
 */
export function rewrap(ring: KeyRing, text: string, binding: string): string {
  const { keyId, sealed } = parse(text);
  if (keyId === ring.activeId) return text;
  const wrapped = wrapDataKey(ring, openDataKey(ring, text, binding), binding);
  return ['v1', ring.activeId, wrapped, sealed].join('.');
}

/** Throws the Error of `unseal`, without opening the secret, when the ring's key is not the one that it is below. */
export function assertOpens(ring: KeyRing, text: string, binding: string): void {
  openDataKey(ring, text, binding);
}

/** The id of the key that a secret is below. @throws Error when it is no sealed secret */
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
    const message = `key-encryption key "${keyId}" does not open this: it is another key, or the text is another place's`;
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
