import { describe, expect, it } from '@jest/globals';
import type { AnnouncedAccount } from '@pets/contracts';
import { caAccountId, caAccounts } from './ca-accounts.js';
import { parseCaAccounts } from './ca-accounts-setting.js';
import { chooseUsable, type AccountReadiness } from './usable-accounts.js';

const ca = 'https://ca.test/dir';
const configured = caAccounts([ca], parseCaAccounts(`b|${ca}`), new Map());
const b = (thumbprint = 'T'.repeat(43)): AnnouncedAccount => ({
  name: 'b',
  directoryUrl: ca,
  accountUrl: 'https://ca.test/acct/2',
  thumbprint,
});
const ready: AccountReadiness = { workers: [[b()], [b()]], connectedWorkers: 2 };

describe('an account other than the default one', () => {
  it.each<[string, Partial<AccountReadiness>, boolean]>([
    ['all workers announce it', {}, true],
    ['no worker announces anything', { workers: [], connectedWorkers: 0 }, false],
    ['a worker announces nothing', { connectedWorkers: 3 }, false],
    ['a worker has stopped and its announcement is recent', { connectedWorkers: 1 }, true],
    ['the store does not list workers', { connectedWorkers: null }, true],
    ['a worker lacks it', { workers: [[b()], []] }, false],
    ['no worker has it', { workers: [[], []] }, false],
    ['a worker has another key', { workers: [[b()], [b('U'.repeat(43))]] }, false],
    [
      'a worker has it at another CA',
      { workers: [[b()], [{ ...b(), directoryUrl: 'https://other.test/dir' }]] },
      false,
    ],
  ])('%s', (_name, changes, isUsable) => {
    const usable = chooseUsable(configured, { ...ready, ...changes });
    expect(usable.map(caAccountId)).toEqual(isUsable ? [ca, `${ca}#b`] : [ca]);
    expect(usable.map(({ thumbprint }) => thumbprint)).toEqual(isUsable ? [null, 'T'.repeat(43)] : [null]);
  });
});
