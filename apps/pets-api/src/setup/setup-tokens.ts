import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { deriveKey } from '../platform/derived-key.js';

/** Validity of a token. The page renews it before. A token read from a browser can be used for so long. */
const VALID_SECONDS = 60 * 60;

const form = /^setup\.([0-9a-f-]{36})\.(\d{1,12})\.([\w-]{43})$/;

/** A token of the page of a set-up link. */
export interface SetupToken {
  readonly linkId: string;
  readonly expiresAt: Date;
}

/**
 * Signs the tokens of pages of set-up links, which no table has: any replica can check one, and a stranger with a link fills
 * nothing. A token gives access only while its link is live.
 */
export class SetupTokens {
  readonly #key: KeyObject;

  constructor(appSecret: string) {
    this.#key = deriveKey(appSecret, 'set-up links');
  }

  /** @param endsAt the end of the link */
  issue(linkId: string, endsAt: Date, now: Date): SetupToken & { readonly token: string } {
    const seconds = Math.floor(Math.min(endsAt.getTime() / 1_000, now.getTime() / 1_000 + VALID_SECONDS));
    const signed = `setup.${linkId}.${seconds}`;
    return { linkId, expiresAt: new Date(seconds * 1_000), token: `${signed}.${this.#macOf(signed)}` };
  }

  /** Null for a token that is malformed, not ours, or expired. */
  read(token: string, now: Date): SetupToken | null {
    const [, linkId, seconds, mac] = form.exec(token) ?? [];
    if (linkId === undefined || seconds === undefined || mac === undefined) return null;
    const expected = this.#macOf(`setup.${linkId}.${seconds}`);
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return null;
    const expiresAt = new Date(Number(seconds) * 1_000);
    return expiresAt <= now ? null : { linkId, expiresAt };
  }

  #macOf(signed: string): string {
    return createHmac('sha256', this.#key).update(signed).digest('base64url');
  }
}
