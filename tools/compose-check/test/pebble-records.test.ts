import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isInstalled, type DevRecords } from '@pets/dev-stack';
import { describeWhen, startChalltestsrv } from '@pets/testing';
import { openPebbleRecords } from '../src/pebble-records.js';

const NAME = 'records.example.com';
const lacking = isInstalled('pebble-challtestsrv') ? null : 'pebble-challtestsrv is not installed';

describeWhen(describe, 'records at Pebble’s DNS server', lacking, () => {
  const resolver = new Resolver();
  let server: Awaited<ReturnType<typeof startChalltestsrv>>;
  let records: DevRecords;

  beforeAll(async () => {
    server = await startChalltestsrv();
    resolver.setServers([server?.address ?? '']);
    records = openPebbleRecords(server?.controlUrl ?? '');
  });
  afterAll(() => server?.stop());

  it.each([
    { type: 'A', data: '192.0.2.80', read: () => resolver.resolve4(NAME), seen: ['192.0.2.80'] },
    { type: 'TXT', data: 'pets=t1', read: () => resolver.resolveTxt(NAME), seen: [['pets=t1']] },
    {
      type: 'CNAME',
      data: 'target.example.net.',
      read: () => resolver.resolveCname(NAME),
      seen: ['target.example.net'],
    },
  ])('sets and removes $type', async ({ type, data, read, seen }) => {
    await records.put({ name: NAME, type, data });
    expect(await read()).toEqual(seen);
    await records.remove(NAME);
    await expect(read()).rejects.toThrow('ENODATA');
  });

  it('refuses a type that the server does not hold', async () => {
    await expect(records.put({ name: NAME, type: 'MX', data: '10 mx.example.com.' })).rejects.toThrow('MX');
  });
});
