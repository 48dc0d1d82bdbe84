import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import { signInRefusals } from '@pets/contracts';
import { z } from 'zod';
import { deriveKey } from '../../platform/hashes.js';

/** Cookie with the reason why the last sign-in failed. */
export const REFUSAL_COOKIE = '__Host-sign-in';

/** Characters of the state of a sign-in that the name of its cookie has. */
const STATE_LENGTH = 16;
/** Sign-ins in progress of one browser. Without a bound, the cookies would outgrow the header. */
const MAX_IN_PROGRESS = 5;

/** Time to sign in at the provider. */
const PROGRESS_MS = 10 * 60_000;
/** Time for the page to ask why a sign-in failed. */
const REFUSAL_MS = 60_000;

// Lax, unlike the session: the provider’s redirect to the callback comes from another site.
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax';

// Objects may have further members: another version may have written the cookie.
const progressSchema = z.object({
  kind: z.literal('progress'),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  invitation: z.string().nullable(),
  /** The session that the browser had: its cookie does not come with the provider’s redirect. */
  former: z.object({ id: z.string(), organizationId: z.string() }).nullable(),
});

const refusalSchema = z.object({
  kind: z.literal('refusal'),
  reason: z.enum(signInRefusals),
  name: z.string().nullable(),
});

const contentSchema = z.object({
  content: z.discriminatedUnion('kind', [progressSchema, refusalSchema]),
  endsAtMs: z.number(),
});

export type SignInProgress = z.infer<typeof progressSchema>;
type Content = z.infer<typeof contentSchema>['content'];

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** Encrypts what a browser keeps for a sign-in, so that every replica can continue it and nobody can forge or read it. */
export class SignInCookies {
  readonly #key: KeyObject;

  constructor(appSecret: string) {
    this.#key = deriveKey(appSecret, 'sign-ins');
  }

  /** The header that keeps it for ten minutes, or a refusal for one. */
  set(content: Content, now: Date): string {
    const forMs = content.kind === 'progress' ? PROGRESS_MS : REFUSAL_MS;
    const value = this.#seal(JSON.stringify({ content, endsAtMs: now.getTime() + forMs }));
    const name = content.kind === 'progress' ? progressCookieOf(content.state) : REFUSAL_COOKIE;
    return `${name}=${value}; Max-Age=${forMs / 1_000}; ${attributes}`;
  }

  /** Null if it was changed, has expired, is of the other kind, or of another version that this one cannot read. */
  readSignIn<Kind extends Content['kind']>(
    value: string | null,
    kind: Kind,
    now: Date,
  ): Extract<Content, { kind: Kind }> | null {
    const text = value === null ? null : this.#unseal(value);
    if (text === null) return null;
    const { success, data } = contentSchema.safeParse(JSON.parse(text));
    if (!success) return null;
    const { content, endsAtMs } = data;
    if (content.kind !== kind || endsAtMs <= now.getTime()) return null;
    return content as Extract<Content, { kind: Kind }>; // as the line before checked
  }

  #seal(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce);
    return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  #unseal(value: string): string | null {
    const bytes = Buffer.from(value, 'base64url');
    // Decoding ignores what is no base64url.
    if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== value) return null;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString();
    } catch {
      return null; // not ours, or changed
    }
  }
}

/** Each sign-in has its own, so that several tabs can sign in at once. */
export function progressCookieOf(state: string): string {
  return `${REFUSAL_COOKIE}-${state.slice(0, STATE_LENGTH)}`;
}

/** The header that deletes a cookie of this file. */
export function clearSignInCookie(name: string): string {
  return `${name}=; Max-Age=0; ${attributes}`;
}

/** The headers that delete all sign-ins in progress, if another one would be too many. */
export function clearSuperfluous(cookies: string | undefined): readonly string[] {
  const names = (cookies ?? '').match(/(?<![^;\s])__Host-sign-in-[\w-]{16}(?==)/g) ?? [];
  return names.length < MAX_IN_PROGRESS ? [] : [...new Set(names)].map(clearSignInCookie);
}
