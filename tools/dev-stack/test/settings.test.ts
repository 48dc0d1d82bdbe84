import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '@pets/platform';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevDns } from '@pets/testing/dev-dns';
import { assertPortsFree, freePort } from '@pets/testing/processes';
import { assertServicesUsable } from '../src/supervisor/check-services.js';
import { openSecrets } from '../src/supervisor/secrets.js';
import {
  adminSpec,
  devDnsSpec,
  domainsWorkerSpec,
  edgeSpec,
  petsApiSpec,
  type Wiring,
} from '../src/supervisor/services.js';
import { settingsSchema, type Settings } from '../src/supervisor/settings.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-settings-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function wire(settings: Settings): Promise<Wiring> {
  const secrets = await openSecrets(settings);
  return { settings, secrets, databaseUrl: 'postgres://db', workerHealthPort: 1, edgeHealthPort: 2 };
}

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

describe('the identity provider of people', () => {
  const given = {
    OIDC_ISSUER_URL: 'http://localhost:4000/realms/acme',
    OIDC_CLIENT_ID: 'pets',
    OIDC_NAME: 'Acme ID',
    OIDC_SCOPES: 'openid email',
    OIDC_ORGANIZATION_CLAIM: 'organization',
    OIDC_ROLE_CLAIM: 'role',
    OIDC_DEFAULT_ROLE: 'developer',
    OIDC_SIGN_OUT: 'true',
  };
  const namesOf = (env: Record<string, string>) =>
    Object.keys(env)
      .filter((name) => name.startsWith('OIDC_'))
      .sort();

  it('reaches pets-api with all its settings, its secret from a file too, and nobody else', async () => {
    const secretFile = join(folder, 'client-secret');
    await writeFile(secretFile, 'of the client\n');
    const wiring = await wire(load({ ...given, OIDC_CLIENT_SECRET_FILE: secretFile }));
    const expected = { ...given, OIDC_CLIENT_SECRET: 'of the client' };
    expect(namesOf(petsApiSpec(wiring).env)).toEqual(Object.keys(expected).sort());
    for (const { env } of [petsApiSpec(wiring), adminSpec(wiring, [])]) expect(env).toMatchObject(expected);
    for (const { env } of [domainsWorkerSpec(wiring), edgeSpec(wiring)]) expect(namesOf(env)).toEqual([]);
  });

  it('is absent unless it is set, so that pets-api has its defaults', async () => {
    expect(namesOf(petsApiSpec(await wire(load({ OIDC_NAME: '' }))).env)).toEqual([]);
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
    ['DNS_RESOLVERS', '127.0.0.1:PORT', /^DNS_RESOLVERS: the resolver 127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/],
    ['DNS_RESOLVERS', 'dns.test:PORT', /^DNS_RESOLVERS: the resolver dns\.test:\d+ cannot be used: Invalid IP address/],
    [
      'ACME_DIRECTORY_URLS',
      'http://127.0.0.1:PORT/directory',
      /^ACME_DIRECTORY_URLS: the CA at http:.* cannot be used: .*ECONNREFUSED/,
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

  it('a directory that is none is refused, and one of a CA and a resolver that answer are not', async () => {
    const answers: Record<string, string> = {
      '/directory': '{"newOrder":"http://127.0.0.1/order"}',
      '/page': '<html>',
    };
    const server = createHttpServer((request, response) => {
      const answer = answers[request.url ?? ''];
      response.writeHead(answer === undefined ? 404 : 200).end(answer);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // of a TCP server
    const dns = await startDevDns({ platformDomain: 'pets.localhost' });
    const check = (path: string) =>
      assertServicesUsable(load({ DNS_RESOLVERS: dns.address, ACME_DIRECTORY_URLS: `${url}${path}` }));
    await check('/directory');
    await expect(check('/wrong')).rejects.toThrow(/^ACME_DIRECTORY_URLS: the CA at .*: it answers 404$/);
    await expect(check('/page')).rejects.toThrow(
      /^ACME_DIRECTORY_URLS: the CA at .*: its answer is no ACME directory$/,
    );
    server.closeAllConnections();
    server.close();
    await dns.close();
  });

  it('a data folder below /proc is refused at once', async () => {
    const refused = assertServicesUsable({ ...load(), DATA_DIR: '/proc/pets/data' });
    await expect(refused).rejects.toThrow(/^DATA_DIR: .* cannot be used: \w+: /);
  });

  it('a data folder is made with the folders above it', async () => {
    await assertServicesUsable({ ...load(), DATA_DIR: join(folder, 'of/several/folders') });
    expect(await readdir(join(folder, 'of/several/folders'))).toEqual([]);
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
    const wiring = await wire(settings);
    const { secrets } = wiring;
    const api = petsApiSpec(wiring).env;
    const worker = domainsWorkerSpec(wiring).env;
    expect(api).toMatchObject({
      EDGE_TOKEN: 'given-token-given-token',
      APP_SECRET_FILE: join(folder, 'secrets', 'app-secret'),
    });
    for (const name of ['QUEUE_KEYS_JOBS_FILE', 'QUEUE_KEYS_EVENTS_FILE']) {
      expect([name, worker[name]]).toEqual([name, api[name]]);
      expect([name, edgeSpec(wiring).env[name]]).toEqual([name, undefined]);
    }
    expect(edgeSpec(wiring).env['API_URL']).toBe(`http://127.0.0.1:${api['INTERNAL_PORT']}`);
    expect(Object.keys(api)).not.toContain('ACME_ACCOUNT_KEY_FILE');
    expect(Object.keys(worker)).toContain('ACME_ACCOUNT_KEY_FILE');
    expect(api['ACME_DNS_ZONE']).toBe('acme.pets.localhost');
    expect(api['ISSUE_PLATFORM_CERTIFICATE']).toBe('false');
    expect(Object.keys(edgeSpec(wiring).env)).toContain('PLATFORM_KEY_FILE');
    const issuing = { ...wiring, settings: load({ ISSUE_PLATFORM_CERTIFICATE: 'true' }) };
    expect(petsApiSpec(issuing).env['ISSUE_PLATFORM_CERTIFICATE']).toBe('true');
    expect(Object.keys(edgeSpec(issuing).env)).not.toContain('PLATFORM_KEY_FILE');
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
