import type { CaProblem } from '@pets/contracts';
import { baseNameOf } from '../names/wildcard-name.js';
import type { Blocker } from './choose-ca.js';

/** A pause of our account that is not asked for again ends after this: its reason may be another than we read. */
const MAX_ACCOUNT_PAUSE_MS = 3 * 60 * 60_000;

/** The pause when the CA names no time. */
const DEFAULT_PAUSE_MS = 60_000;

/** Scope of a refusal by a CA that limits the rate, and its end. */
interface Refusal {
  readonly by: Blocker;
  readonly until: Date;
}

/**
 * Whether a CA refuses all our orders, all names below a registered domain, or one name (a problem of the class
 * `rate`). The protocol has no member for it, so the text decides: CAs quote the name, or the registered domain, that is at a
 * limit. A refusal that quotes neither is about the account.
 */
export function readRefusal(
  { detail, retryAt }: Pick<CaProblem, 'detail' | 'retryAt'>,
  names: { readonly name: string; readonly apexName: string },
  now: Date,
): Refusal {
  const by = scopeOf(detail.toLowerCase(), names);
  const until = retryAt === null ? new Date(now.getTime() + DEFAULT_PAUSE_MS) : new Date(retryAt);
  if (by !== 'account') return { by, until };
  return { by, until: new Date(Math.min(until.getTime(), now.getTime() + MAX_ACCOUNT_PAUSE_MS)) };
}

function scopeOf(detail: string, { name, apexName }: { readonly name: string; readonly apexName: string }): Blocker {
  // Let's Encrypt: "too many certificates (5) already issued for this exact set of identifiers in the last 168h".
  if (detail.includes('exact set')) return 'name';
  const words = new Set(detail.split(/[^a-z0-9.*-]/).map((word) => word.replace(/\.$/, '')));
  if (name !== apexName && words.has(name)) return 'name';
  if (!words.has(apexName)) return 'account';
  // "too many certificates (50) already issued for "example.com" in the last 168h", or "too many failed authorizations".
  return baseNameOf(name) !== apexName || detail.includes('certificates') ? 'registered_domain' : 'name';
}
