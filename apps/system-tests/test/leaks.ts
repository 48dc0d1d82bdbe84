import { createDecipheriv, createPrivateKey } from 'node:crypto';
import { certificateKeyBinding } from '@pets/contracts';

/** Something that must be nowhere, by what it is. */
export interface Secret {
  readonly what: string;
  /** The forms it may have; one that is found is a leak. */
  readonly forms: readonly string[];
}

/** A text as it is, and as a part of something that was encoded. */
export function secretText(what: string, text: string): Secret {
  return { what, forms: [text, ...encodingsOf(Buffer.from(text))] };
}

export function secretBytes(what: string, bytes: Buffer): Secret {
  return { what, forms: encodingsOf(bytes) };
}

/** The secret number of an EC key, which is in every form of that key: PEM, DER, JWK. */
export function secretKey(what: string, pem: string): Secret {
  const { d = '' } = createPrivateKey(pem).export({ format: 'jwk' });
  return secretBytes(what, Buffer.from(d, 'base64url'));
}

/** @returns what was found and where it begins, without the secret itself */
export function findLeaks(secrets: readonly Secret[], places: Readonly<Record<string, string>>): string[] {
  return Object.entries(places).flatMap(([place, text]) =>
    secrets.flatMap(({ what, forms }) => {
      const at = forms.map((form) => text.indexOf(form)).find((index) => index >= 0);
      return at === undefined ? [] : [`${what} in ${place} after: ${text.slice(Math.max(0, at - 80), at)}`];
    }),
  );
}

const ENOUGH = 20;

/**
 * Hex, and base64 wherever among other bytes it begins: three alignments, of which the characters that mix with the
 * neighbours are left out. Both ends by themselves, since one of them may be broken into two lines.
 */
function encodingsOf(bytes: Buffer): string[] {
  const aligned = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const own = text.slice(before === 0 ? 0 : before + 1, -1);
    return [own.slice(0, ENOUGH), own.slice(-ENOUGH)];
  });
  const urlSafe = aligned.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const slashed = aligned.map((text) => text.replaceAll('/', '\\/')); // as some write JSON
  return [bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...new Set([...aligned, ...urlSafe, ...slashed])];
}

export interface SealedRow {
  readonly id: string;
  readonly organization_id: string;
  readonly sealed_key: string;
}

/**
 * Opens a sealed key by nothing but the documented form, as an independent reader would: the platform's own code is not
 * what is trusted here.
 */
export function openSealedKey(keks: ReadonlyMap<string, Buffer>, row: SealedRow): string {
  const [version, kekId = '', wrapped = '', sealed = ''] = row.sealed_key.split('.');
  const kek = keks.get(kekId);
  if (version !== 'v1' || kek === undefined) throw new Error(`cannot read ${row.id}`);
  const binding = certificateKeyBinding(row.id, row.organization_id);
  const dataKey = decrypt(kek, wrapped, `kek|${kekId}|${binding}`);
  return decrypt(dataKey, sealed, binding).toString();
}

export function parseKeks(text: string): Map<string, Buffer> {
  return new Map(
    text
      .trim()
      .split(',')
      .map((entry) => [entry.split(':')[0] ?? '', Buffer.from(entry.split(':')[1] ?? '', 'base64')]),
  );
}

function decrypt(key: Buffer, encoded: string, binding: string): Buffer {
  const bytes = Buffer.from(encoded, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(binding))
    .setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
}
