import { createHash } from 'node:crypto';

/** The SHA-256 of bytes, or of a text in UTF-8: 32 bytes. */
export function sha256(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}
