import { describe, expect, it } from '@jest/globals';
import {
  describeWhen,
  freePort,
  isInstalled,
  startBind,
  startKnot,
  type NameServerOptions,
  type NameServerProcess,
} from '@pets/testing';
import { DnsServers } from '../src/dns-servers.js';
import { DnsUpdater } from '../src/dns-updater.js';
import { itUpdates, key, serverKey, strangerKey, zone } from './updater-guarantees.js';

const signal = new AbortController().signal;

const servers = [
  ['knotd', startKnot, 'bad_key'],
  ['named', startBind, 'refused'],
] as const satisfies readonly [string, (options: NameServerOptions) => Promise<NameServerProcess | null>, string][];

describe.each(servers)('DnsUpdater with %s', (program, start, refusal) => {
  describeWhen(describe, program, isInstalled(program) ? null : `${program} is not installed`, () => {
    itUpdates(() => started(start({ zone, key: serverKey, strangerKey })), refusal);
  });
});

describeWhen(
  describe,
  'waitForTxt with a primary and a secondary',
  isInstalled('knotd') && isInstalled('named') ? null : 'knotd or named is not installed',
  () => {
    it('waits for the secondary, and names it when it is down', async () => {
      const [name, ttl] = [`_t.${zone}`, 1];
      const port = await freePort();
      const [first, second] = [
        { host: '127.0.0.1', port },
        { host: '127.0.0.2', port },
      ];
      const records = ['@ NS ns1', '@ NS ns2', `ns1 A ${first.host}`, `ns2 A ${second.host}`];
      const primary = await started(startBind({ zone, key: serverKey, ...first, secondaries: [second], records }));
      const secondary = await started(startKnot({ zone, key: serverKey, ...second, primary: first }));
      const options = { resolvers: [primary.address], allowPrivateAuthoritative: false };
      const dns = new DnsServers(options, { tryMs: 500, locate: (host) => ({ host, port }) });
      try {
        const updater = new DnsUpdater({ server: primary.address, zone, key });
        await updater.update([{ kind: 'add', name, value: 'one', ttl }], signal);
        const found = await dns.waitForTxt(zone, { name, values: ['one'] }, { limitMs: 40_000, signal });
        expect(found).toEqual({ kind: 'complete' });
        await secondary.stop();
        await updater.update([{ kind: 'add', name, value: 'two', ttl }], signal);
        const lacking = await dns.waitForTxt(zone, { name, values: ['one', 'two'] }, { limitMs: 1_000, signal });
        expect(lacking).toMatchObject({ kind: 'incomplete', lacking: [{ server: secondary.address }] });
      } finally {
        dns.close();
        await Promise.all([primary.stop(), secondary.stop()]);
      }
    });
  },
);

async function started(server: Promise<NameServerProcess | null>): Promise<NameServerProcess> {
  const running = await server;
  if (running === null) throw new Error('the name server is not installed');
  return running;
}
