import { sealedCertificateSchema, type SealedCertificate } from '@pets/contracts/edge-feed';
import { readUntilAborted, type FileStorage } from './file-storage.js';

/** Sealed certificates in the storage, each one object. The key of a certificate stays sealed there. */

/** The chains of CAs have a few kilobytes. */
const MAX_BYTES = 256 * 1024;

const certificateId = /^[0-9a-f-]{36}$/;

/** The key of the object of a certificate. @throws Error when the id is not a UUID */
export function certificateObjectKey(id: string): string {
  if (!certificateId.test(id)) throw new Error('a certificate id is a UUID');
  return `certificates/${id}`;
}

/** Replaces the object of a certificate. After the abort of the signal nothing is sent any more. */
export async function writeStoredCertificate(
  storage: FileStorage,
  certificate: SealedCertificate,
  signal: AbortSignal,
): Promise<void> {
  await storage.write(certificateObjectKey(certificate.id), JSON.stringify(certificate), signal);
}

/**
 * Reads the object of a certificate.
 * @returns undefined when there is none
 * @throws Error when the storage does not answer, or the object is damaged or of another certificate, and the reason of the
 * signal after its abort
 */
export async function readStoredCertificate(
  storage: FileStorage,
  id: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<SealedCertificate | undefined> {
  const key = certificateObjectKey(id);
  const text = await readText(storage, key, signal);
  if (text === undefined) return undefined;
  let parsed: SealedCertificate;
  try {
    parsed = sealedCertificateSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`the stored certificate ${id} is damaged`, { cause });
  }
  if (parsed.id !== id) throw new Error(`the stored certificate ${id} is of another certificate`);
  return parsed;
}

/** In one request where the object exists. */
async function readText(storage: FileStorage, key: string, signal: AbortSignal): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of await readUntilAborted(storage, key, signal, { first: 0, last: MAX_BYTES })) {
      chunks.push(chunk as Buffer); // no encoding is set, so chunks are bytes
      bytes += (chunk as Buffer).length;
    }
  } catch (error) {
    signal.throwIfAborted();
    if ((await storage.find(key)) === undefined) return undefined;
    throw error;
  }
  if (bytes > MAX_BYTES) throw new Error(`the stored file ${key} has more than ${MAX_BYTES} bytes`);
  return Buffer.concat(chunks).toString();
}
