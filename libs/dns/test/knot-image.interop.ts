import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  describeWhen,
  freePort,
  isInstalled,
  startBind,
  startServiceProcess,
  type NameServerProcess,
  type ServiceProcess,
} from '@pets/testing';
import { DnsServers } from '../src/dns-servers.js';
import { DnsUpdater } from '../src/dns-updater.js';
import { itUpdates, key, serverKey, zone, type UpdatedServer } from './updater-guarantees.js';

/** The start script of the image in deploy/knot, run as it is. */
const script = join(import.meta.dirname, '../../../deploy/knot/start.sh');
const signal = new AbortController().signal;

async function startImage(env: Record<string, string> = {}, port?: number): Promise<UpdatedServer & ServiceProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-test-knot-image-'));
  const keyFile = join(folder, 'key');
  await writeFile(keyFile, `${serverKey.name}:${serverKey.secret}\n`);
  const taken = port ?? (await freePort());
  const server = await startServiceProcess({
    name: 'knot',
    command: script,
    args: [],
    env: {
      PATH: process.env['PATH'] ?? '',
      ACME_DNS_ZONE: zone,
      ACME_DNS_TSIG_KEY_FILE: keyFile,
      DNS_NAME_SERVERS: 'ns1.pets.example',
      DNS_LISTEN: `127.0.0.1@${taken}`,
      KNOT_FOLDER: join(folder, 'knot'),
      ...env,
    },
    port: taken,
  });
  const stop = () => server.stop().finally(() => rm(folder, { recursive: true, force: true }));
  return { ...server, port: taken, address: `127.0.0.1:${taken}`, stop };
}

async function recordsAt({ address }: { address: string }, name: string, type: 'TXT' | 'NS') {
  const options = { resolvers: [address], allowPrivateAuthoritative: false, resolversHoldZones: true };
  const dns = new DnsServers(options, { tryMs: 500 });
  try {
    return (await dns.open(signal).allZonesServers[0]?.query(name, type))?.answer;
  } finally {
    dns.close();
  }
}

describeWhen(describe, 'the image of Knot', isInstalled('knotd') ? null : 'knotd is not installed', () => {
  describe('DnsUpdater', () => {
    itUpdates(() => startImage(), 'bad_key');
  });

  it('names its name servers, and begins with an empty zone', async () => {
    const first = await startImage({ DNS_NAME_SERVERS: 'ns1.pets.example.,ns2.other.example' });
    const updater = new DnsUpdater({ server: first.address, zone, key });
    await updater.update([{ kind: 'add', name: `t.${zone}`, value: 'left', ttl: 1 }], signal);
    expect(await recordsAt(first, zone, 'NS')).toMatchObject({
      records: [{ value: 'ns1.pets.example' }, { value: 'ns2.other.example' }],
    });
    expect(await recordsAt(first, `t.${zone}`, 'TXT')).toMatchObject({ records: [{ value: 'left' }] });
    await first.stop();
    const second = await startImage({}, first.port);
    try {
      expect(await recordsAt(second, `t.${zone}`, 'TXT')).toMatchObject({ kind: 'absent', ttl: 1 });
    } finally {
      await second.stop();
    }
  });

  describeWhen(describe, 'with a secondary', isInstalled('named') ? null : 'named is not installed', () => {
    it('lets it transfer the zone, again after a start of the primary', async () => {
      const port = await freePort();
      const env = { DNS_SECONDARIES: `127.0.0.1@${port}` };
      let primary = await startImage(env);
      const from = { host: '127.0.0.1', port: primary.port };
      const secondary: NameServerProcess | null = await startBind({ zone, key: serverKey, port, primary: from });
      if (secondary === null) throw new Error('named is not installed');
      try {
        for (const value of ['before', 'after']) {
          const updater = new DnsUpdater({ server: primary.address, zone, key });
          await updater.update([{ kind: 'add', name: `t.${zone}`, value, ttl: 1 }], signal);
          const options = {
            resolvers: [secondary.address],
            allowPrivateAuthoritative: false,
            resolversHoldZones: true,
          };
          const dns = new DnsServers(options, { tryMs: 500 });
          const expected = { name: `t.${zone}`, values: [value] };
          const found = await dns.waitForTxt(zone, expected, { limitMs: 40_000, signal });
          dns.close();
          expect(found).toEqual({ kind: 'complete' });
          await primary.stop();
          if (value === 'before') primary = await startImage(env, primary.port);
        }
      } finally {
        await Promise.all([primary.stop(), secondary.stop()]);
      }
    });
  });

  it.each(['ACME_DNS_ZONE', 'ACME_DNS_TSIG_KEY_FILE', 'DNS_NAME_SERVERS'])(
    'names %s if it is missing',
    async (name) => {
      const given = { ACME_DNS_ZONE: zone, ACME_DNS_TSIG_KEY_FILE: '/dev/null', DNS_NAME_SERVERS: 'ns1.pets.example' };
      const child = spawn(script, { env: { PATH: process.env['PATH'], ...given, [name]: '' } });
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number];
      expect({ code, said }).toEqual({ code: 2, said: expect.stringContaining(`${name}: is empty`) });
    },
  );
});
