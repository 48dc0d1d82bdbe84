import { ACCOUNT_NAME, DEFAULT_ACCOUNT } from '@pets/contracts';
import { parseCaLimit } from './ca-limits-setting.js';
import type { CaLimit } from './ca-limits.js';

/** An entry of `ACME_ACCOUNTS`. */
export interface CaAccountSetting {
  readonly account: string;
  readonly directoryUrl: string;
  readonly share: number;
  /** Limits of this account instead of those of its CA. */
  readonly limits: readonly CaLimit[];
}

const MAX_SHARE = 1_000;

/** Each worker opens and announces all of them. */
const MAX_ACCOUNTS = 100;

/** The limits that CAs count for an account. */
const ownKinds = ['orders', 'failures'] as const;

/**
 * Parses the accounts at CAs: `NAME|DIRECTORY|share=N|orders=MAX/WINDOW`, comma-separated, such as
 * `second|https://ca.example/directory|share=2`. The share is 1 by default; `orders` and `failures` replace the limits of the
 * directory. The name `default` is the account of `ACME_ACCOUNT_KEY`.
 * @throws Error that says which entry is wrong
 */
export function parseCaAccounts(text: string): readonly CaAccountSetting[] {
  const settings = text.split(',').map(parseEntry);
  const keys = settings.map(({ account, directoryUrl }) => `${account}|${directoryUrl}`);
  const repeated = keys.find((key, index) => keys.indexOf(key) !== index);
  if (repeated !== undefined) throw new Error(`${repeated} has more than one entry`);
  if (settings.length > MAX_ACCOUNTS) throw new Error(`there are more than ${MAX_ACCOUNTS} entries`);
  return settings;
}

function parseEntry(entry: string): CaAccountSetting {
  const [account = entry, directoryUrl = '', ...parts] = entry.split('|').map((part) => part.trim());
  if (!ACCOUNT_NAME.test(account)) throw new Error(`${account || 'an empty entry'} is not a name of a-z, 0-9 and -`);
  if (!URL.canParse(directoryUrl)) throw new Error(`${account}: ${directoryUrl || 'nothing'} is not a directory URL`);
  const setting = { account, directoryUrl, share: 1, limits: [] as CaLimit[] };
  const seen = new Set<string>();
  for (const part of parts) {
    const [name = part, value = ''] = part.split('=', 2);
    if (seen.has(name)) throw new Error(`${account}: ${name} is given more than once`);
    seen.add(name);
    const kind = ownKinds.find((known) => known === name);
    if (name === 'share') setting.share = parseShare(account, value);
    else if (kind !== undefined) setting.limits.push(parseCaLimit(kind, value));
    else throw new Error(`${account}: ${name || part} is not one of share, ${ownKinds.join(', ')}`);
  }
  return setting;
}

function parseShare(account: string, value: string): number {
  const share = /^\d{1,4}$/.test(value) ? Number(value) : NaN;
  if (!(share <= MAX_SHARE)) throw new Error(`${account}: share=${value} is not a number from 0 to ${MAX_SHARE}`);
  return share;
}

/** Whether an entry is another account than the default one, which needs a key of its own. */
export function isNamedAccount({ account }: CaAccountSetting): boolean {
  return account !== DEFAULT_ACCOUNT;
}
