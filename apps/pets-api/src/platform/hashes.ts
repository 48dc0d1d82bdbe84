import { createHash, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** The SHA-256 of bytes, or of a text in UTF-8: 32 bytes. */
export function sha256(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}

const KEY_BYTES = 32;

/**
 * A key for one purpose, derived from the secret of the API (RFC 5869), so that all replicas have the same one. A key object:
 * from bytes Node would make one for each MAC, at five times the cost of the MAC.
 */
export function deriveKey(appSecret: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', appSecret, '', `pets-api ${purpose}`, KEY_BYTES)));
}
