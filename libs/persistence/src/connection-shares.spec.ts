import { expect, it } from '@jest/globals';
import { asTenant, ConnectionShares, markChanged } from './connection-shares.js';

it('refuse a request after its wait, unless it has changed something', async () => {
  const shares = new ConnectionShares(4); // a tenant has one of them
  await asTenant('a', () => shares.enter());
  const refused = asTenant('a', () => shares.enter());
  const changed = asTenant('a', () => {
    markChanged();
    return shares.enter();
  });
  await expect(refused).rejects.toMatchObject({ code: 'concurrency_limited' });
  await expect(changed).resolves.toBeInstanceOf(Function);
});
