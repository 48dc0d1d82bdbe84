import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '@pets/platform';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertPortsFree, freePort } from '../src/ports.js';
import { assertServicesUsable } from '../src/supervisor/check-services.js';
import { openSecrets } from '../src/supervisor/secrets.js';
import { devDnsSpec, domainsWorkerSpec, edgeSpec, petsApiSpec } from '../src/supervisor/services.js';
import { settingsSchema } from '../src/supervisor/settings.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-settings-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const load = (env: Record<string, string> = {}) => loadConfig(settingsSchema, { DATA_DIR: folder, ...env });

describe('settings', () => {
  it('name the variable that is wrong', () => {
    expect(() => load({ EDGE_HTTP_PORT: 'eighty' })).toThrow(/^EDGE_HTTP_PORT: /);
    expect(() => load({ DATABASE_URL: 'nowhere' })).toThrow(/^DATABASE_URL: /);
  });

  it('that set one port twice, or a busy one, are refused with the port and the variable', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const tcp = ['tcp'] as const;
    await expect(assertPortsFree([{ variable: 'PETS_API_PORT', port, protocols: tcp }])).rejects.toThrow(
      `port ${port} is in use: set PETS_API_PORT to another port`,
    );
    server.close();
    const free = await freePort();
    await expect(
      assertPortsFree([
        { variable: 'EDGE_HTTP_PORT', port: free, protocols: tcp },
        { variable: 'EDGE_HTTPS_PORT', port: free, protocols: tcp },
      ]),
    ).rejects.toThrow(`port ${free} is set twice: EDGE_HTTP_PORT and EDGE_HTTPS_PORT need different ports`);
  });
});

describe('services that are not started here', () => {
  it.each([
    [
      'REDIS_URL',
      'redis://:secret@127.0.0.1:PORT',
      /^REDIS_URL: Redis at 127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/,
    ],
    [
      'DATABASE_URL',
      'postgresql://me:secret@127.0.0.1:PORT/pets',
      /^DATABASE_URL: PostgreSQL at .* cannot be used: .*ECONNREFUSED/,
    ],
  ])('%s is tried before the start, and its password is not shown', async (name, url, message) => {
    const settings = load({ [name]: url.replace('PORT', String(await freePort())) });
    const failure = await assertServicesUsable(settings).then(
      () => null,
      (error: unknown) => error as Error,
    );
    expect(failure?.message).toMatch(message);
    expect(failure?.message).not.toMatch(/secret|\n/);
  });

  it('a data folder that cannot be written is named', async () => {
    await writeFile(join(folder, 'file'), '');
    const settings = { ...load(), DATA_DIR: join(folder, 'file/data') };
    await expect(assertServicesUsable(settings)).rejects.toThrow(/^DATA_DIR: .* cannot be used: ENOTDIR/);
  });

  it('another scheme is refused', () => {
    expect(() => load({ REDIS_URL: 'http://127.0.0.1' })).toThrow('REDIS_URL: is not a redis:// address');
    expect(() => load({ DATABASE_URL: 'mysql://127.0.0.1' })).toThrow('DATABASE_URL: is not a postgresql:// address');
  });
});

describe('secrets', () => {
  it('are made once, for the owner alone', async () => {
    const { folder: secrets } = await openSecrets(load());
    const read = async () => {
      const names = await readdir(secrets);
      return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(secrets, name), 'utf8') })));
    };
    const before = await read();
    await openSecrets(load());
    expect(await read()).toEqual(before);
    for (const { name } of before) expect((await stat(join(secrets, name))).mode & 0o777).toBe(0o600);
  });

  it('include a certificate for the platform’s domain, replaced when that changes or it expires', async () => {
    const certificate = async () =>
      new X509Certificate(await readFile(join(folder, 'secrets', 'platform-certificate.pem')));
    await openSecrets(load());
    const first = await certificate();
    expect(first.checkHost('docs.pets.localhost')).toBeDefined();
    await openSecrets(load({ PLATFORM_DOMAIN: 'other.localhost' }));
    expect((await certificate()).checkHost('docs.other.localhost')).toBeDefined();
    const before = (await certificate()).serialNumber;
    await openSecrets(load({ PLATFORM_DOMAIN: 'other.localhost' }), new Date(Date.now() + 70 * 86_400_000));
    expect((await certificate()).serialNumber).not.toBe(before);
  });

  it('reach a service by file, by value where they were given, and only where they are needed', async () => {
    const settings = load({ EDGE_TOKEN: 'given-token-given-token', REDIS_URL: 'redis://127.0.0.1:1' });
    const secrets = await openSecrets(settings);
    const wiring = { settings, secrets, databaseUrl: 'postgres://db', workerHealthPort: 1, edgeHealthPort: 2 };
    const api = petsApiSpec(wiring).env;
    const worker = domainsWorkerSpec(wiring).env;
    expect(api).toMatchObject({
      EDGE_TOKEN: 'given-token-given-token',
      APP_SECRET_FILE: join(folder, 'secrets', 'app-secret'),
    });
    for (const name of ['QUEUE_KEYS_JOBS_FILE', 'QUEUE_KEYS_EVENTS_FILE', 'QUEUE_MAC']) {
      expect([name, worker[name]]).toEqual([name, api[name]]);
      expect([name, edgeSpec(wiring).env[name]]).toEqual([name, undefined]);
    }
    expect(edgeSpec(wiring).env['API_URL']).toBe(`http://127.0.0.1:${api['INTERNAL_PORT']}`);
    expect(Object.keys(api)).not.toContain('ACME_ACCOUNT_KEY_FILE');
    expect(Object.keys(worker)).toContain('ACME_ACCOUNT_KEY_FILE');
    expect(api['ACME_DNS_ZONE']).toBe('acme.pets.localhost');
    expect(Object.keys(api)).not.toContain('ACME_DNS_TSIG_KEY_FILE');
    const challenges = {
      ACME_DNS_ZONE: 'acme.pets.localhost',
      ACME_DNS_TSIG_KEY_FILE: join(folder, 'secrets', 'acme-dns-tsig-key'),
    };
    expect(worker).toMatchObject({ ...challenges, ACME_DNS_SERVER: '127.0.0.1:8053' });
    expect(devDnsSpec(settings, secrets).env).toMatchObject(challenges);
    for (const name of ['DATABASE_URL', 'CERTIFICATE_KEKS_FILE', 'APP_SECRET_FILE', 'EDGE_TOKEN']) {
      expect(Object.keys(worker)).not.toContain(name);
    }
  });
});
