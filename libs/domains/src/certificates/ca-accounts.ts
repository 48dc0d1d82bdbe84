import { DEFAULT_ACCOUNT } from '@pets/contracts';
import { caLimitsOf, type CaLimit, type CaLimits } from './ca-limits.js';
import { isNamedAccount, type CaAccountSetting } from './ca-accounts-setting.js';

/** What tells one account from the others. */
export interface CaAccountRef {
  readonly directoryUrl: string;
  /** `default` for the account of `ACME_ACCOUNT_KEY`. */
  readonly account: string;
}

/** An account at a CA. The limits of a name and of a registered domain count for all accounts of the CA together. */
export interface CaAccount extends CaAccountRef {
  /** Its part of the first orders; with 0 it is used when no other account can be. */
  readonly share: number;
  readonly limits: readonly CaLimit[];
}

/**
 * All accounts that orders may use: the default one at each directory, and those of `ACME_ACCOUNTS`. Without a share the
 * default account of the first directory has 1, and those of the others 0: they take over when it fails.
 */
export function caAccounts(
  directoryUrls: readonly string[],
  settings: readonly CaAccountSetting[],
  configuredLimits: CaLimits,
): readonly CaAccount[] {
  return directoryUrls.flatMap((directoryUrl, index) => {
    const own = settings.filter((setting) => setting.directoryUrl === directoryUrl);
    const first = { directoryUrl, account: DEFAULT_ACCOUNT, share: index === 0 ? 1 : 0, limits: [] };
    const common = caLimitsOf(directoryUrl, configuredLimits);
    return [own.find((setting) => !isNamedAccount(setting)) ?? first, ...own.filter(isNamedAccount)].map(
      ({ account, share, limits }): CaAccount => ({ directoryUrl, account, share, limits: replaced(common, limits) }),
    );
  });
}

function replaced(common: readonly CaLimit[], own: readonly CaLimit[]): readonly CaLimit[] {
  const kinds = new Set(own.map(({ kind }) => kind));
  return [...common.filter(({ kind }) => !kinds.has(kind)), ...own];
}

/** One text for an account: the directory, and the name of another account than the default one. */
export function caAccountId({ directoryUrl, account }: CaAccountRef): string {
  return account === DEFAULT_ACCOUNT ? directoryUrl : `${directoryUrl}#${account}`;
}

/**
 * Orders the accounts for the first order of a domain, the preferred one first: each is the first of as many domains as its
 * share says (weighted rendezvous hashing). It needs no state, a repeated attempt prefers the same account, and another
 * account changes the preference of its own part of the domains alone. Those with share 0 come last, in their order.
 */
export function rankAccounts<A extends CaAccount>(accounts: readonly A[], domainId: string): readonly A[] {
  const scored = accounts.map((account) => ({
    account,
    // A hash of 0 would be infinitely preferred.
    score: account.share / -Math.log(hash(`${caAccountId(account)} ${domainId}`)),
  }));
  return scored.toSorted((one, other) => other.score - one.score).map(({ account }) => account);
}

const RANGE = 2 ** 32;

/** FNV-1a with the finish of MurmurHash3, between 0 and 1 without both: well spread, and the same on every replica. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (((value ^ (value >>> 16)) >>> 0) + 0.5) / RANGE;
}
