import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

/** The first service of docker-compose.yml, run as it is. */

const script = join(import.meta.dirname, '../../../deploy/compose/setup.mjs');
const owners = [
  'api',
  'worker',
  'edge',
  'database',
  'redis',
  'platform',
  'pebble',
  'knot',
  'dev-dns',
  'backup',
  'alerts',
] as const;
const LIMIT_MS = 20_000;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-setup-'));
  for (const owner of owners) await mkdir(join(folder, owner));
});
afterEach(() => rm(folder, { recursive: true }));

async function setUp(env: Record<string, string>): Promise<{ failed: boolean; said: string }> {
  const given = {
    SECRETS_FOLDER: folder,
    PLATFORM_DOMAIN: 'pets.localhost',
    DEVELOPMENT_DNS: '10.0.0.53:8053',
    POSTGRES_MEMORY: '1g',
    REDIS_MEMORY: '512m',
    EDGE_HTTPS_PORT: '443',
    HAPROXY_ADDRESS: '10.0.0.79',
    RUNBOOKS_URL: 'docs/operations/runbooks',
    ...env,
  };
  return promisify(execFile)(process.execPath, [script], { env: given, timeout: LIMIT_MS }).then(
    ({ stdout }) => ({ failed: false, said: stdout }),
    (error: { stderr?: string }) => ({ failed: true, said: error.stderr ?? '' }),
  );
}

const read = (path: string) => readFile(join(folder, path), 'utf8');

async function readAll(): Promise<Record<string, string>> {
  const paths = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = paths.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (path) => [path, await readFile(path, 'utf8')] as const)),
  );
}

describe('setup', () => {
  it('makes secrets once and keeps them', async () => {
    expect(await setUp({ ENVIRONMENT: 'development' })).toMatchObject({ failed: false });
    const made = await readAll();
    expect(await setUp({ ENVIRONMENT: 'development' })).toEqual({ failed: false, said: '' });
    expect(await readAll()).toEqual(made);
  });

  it('gives the edge the keys and the token of the API, and nothing else of it', async () => {
    await setUp({ ENVIRONMENT: 'development' });
    expect(await read('edge/certificate-keks')).toBe(await read('api/certificate-keks'));
    expect(await read('edge/edge-token')).toBe(await read('api/edge-token'));
    const settings = ['public-https-port', 'trusted-proxies'];
    expect((await readdir(join(folder, 'edge'))).sort()).toEqual(['certificate-keks', 'edge-token', ...settings]);
  });

  it('names the database’s password in the API’s address of it', async () => {
    await setUp({ ENVIRONMENT: 'development' });
    const password = (await read('database/password')).trim();
    expect(await read('api/database-url')).toBe(`postgres://pets:${password}@postgres:5432/pets\n`);
  });

  it('writes the alerts, with the address of their steps', async () => {
    const alerts = await readFile(join(import.meta.dirname, '../../../deploy/helm/files/alerts.yml'), 'utf8');
    await setUp({ ENVIRONMENT: 'development' });
    expect(await read('alerts/alerts.yml')).toBe(alerts);
    await setUp({ ENVIRONMENT: 'development', RUNBOOKS_URL: 'https://wiki.example.com/$&' });
    const steps = (await read('alerts/alerts.yml')).match(/(?<=runbook_url: ').*(?=\/[a-z-]+\.md#[a-z]+'$)/gm);
    expect(new Set(steps)).toEqual(new Set(['https://wiki.example.com/$&']));
    expect(await setUp({ ENVIRONMENT: 'development', RUNBOOKS_URL: "https://a/'" })).toMatchObject({ failed: true });
  });

  it('lets nobody else read them', async () => {
    await setUp({ ENVIRONMENT: 'development' });
    // Redis runs as another user, and nobody but its container has that folder. Alerts are no secret.
    const isReadable = (path: string) => ['redis', 'alerts'].some((owner) => path.startsWith(join(folder, owner)));
    const modeOf = (path: string) => (isReadable(path) ? 0o444 : 0o400);
    for (const path of Object.keys(await readAll()))
      expect([path, (await stat(path)).mode & 0o777]).toEqual([path, modeOf(path)]);
  });

  it('gives Redis a password, and its address to those that use the queues', async () => {
    await setUp({ ENVIRONMENT: 'development' });
    const password = (await read('redis/password')).trim();
    expect(password.length).toBeGreaterThanOrEqual(32);
    expect(await read('redis/redis.conf')).toBe(`requirepass ${password}\nmaxmemory 384mb\n`);
    for (const owner of ['api', 'worker'])
      expect(await read(`${owner}/redis-url`)).toBe(`redis://:${password}@redis:6379\n`);
  });

  it.each([
    ['2g', 'shared_buffers=512MB -c effective_cache_size=1024MB -c maintenance_work_mem=128MB'],
    ['512M', 'shared_buffers=128MB -c effective_cache_size=256MB -c maintenance_work_mem=64MB'],
  ])('gives PostgreSQL settings for its memory of %s', async (POSTGRES_MEMORY, options) => {
    await setUp({ ENVIRONMENT: 'development', POSTGRES_MEMORY });
    expect(await read('database/options')).toBe(`-c ${options}\n`);
  });

  it('gives API and edge the port of visitors, whatever address the edge has it on', async () => {
    await setUp({ ENVIRONMENT: 'development', EDGE_HTTPS_PORT: '127.0.0.1:8444' });
    for (const owner of ['api', 'edge']) expect(await read(`${owner}/public-https-port`)).toBe('8444\n');
  });

  it('refuses the address of that Redis without the password, as older settings have it', async () => {
    const { failed, said } = await setUp({ ENVIRONMENT: 'development', REDIS_URL: 'redis://redis:6379' });
    expect([failed, said]).toEqual([true, expect.stringContaining('leave it empty')]);
  });

  it('gives API and worker the same keys for the queues, of each direction their own', async () => {
    await setUp({ ENVIRONMENT: 'development' });
    for (const name of ['queue-keys-jobs', 'queue-keys-events'])
      expect(await read(`worker/${name}`)).toBe(await read(`api/${name}`));
    const [jobs = '', events = ''] = [await read('api/queue-keys-jobs'), await read('api/queue-keys-events')];
    expect([jobs, events]).toEqual([expect.stringMatching(/^j1:/), expect.stringMatching(/^e1:/)]);
    expect(jobs.slice(3)).not.toBe(events.slice(3));
  });

  it('gives Knot and the worker the same key, the worker only if there is a zone', async () => {
    for (const name of ['certificate.pem', 'key.pem']) await writeFile(join(folder, 'platform', name), 'yours');
    const production = { ENVIRONMENT: 'production', PLATFORM_CERTIFICATE_FOLDER: './certificates' };
    await setUp(production);
    expect([await read('worker/acme-dns-server'), await read('worker/acme-dns-tsig-key')]).toEqual(['', '']);
    expect([await read('api/acme-dns-zone'), await read('worker/acme-dns-zone')]).toEqual(['', '']);
    const made = await read('knot/acme-dns-tsig-key');
    expect(made).toMatch(/^pets-acme:[A-Za-z0-9+/]{43}=\n$/);
    await setUp({ ...production, ACME_DNS_ZONE: 'acme.pets.example' });
    expect([await read('worker/acme-dns-server'), await read('worker/acme-dns-tsig-key')]).toEqual([
      'knot:5353\n',
      made,
    ]);
    expect(await read('api/acme-dns-zone')).toBe('acme.pets.example\n');
    expect(await read('knot/acme-dns-tsig-key')).toBe(made);
    const ACME_DNS_TSIG_KEY = `other:${Buffer.alloc(32).toString('base64')}`;
    await setUp({ ...production, ACME_DNS_ZONE: 'acme.pets.example', ACME_DNS_TSIG_KEY });
    expect(await read('knot/acme-dns-tsig-key')).toBe(`${ACME_DNS_TSIG_KEY}\n`);
    const { said } = await setUp({ ENVIRONMENT: 'development', ACME_DNS_SERVER: 'ns.example:53' });
    expect(said).toContain('set ACME_DNS_TSIG_KEY');
  });

  it('has the zone of challenges at the development DNS server, unless a zone or resolvers are given', async () => {
    const zoneOf = async () => [await read('worker/acme-dns-server'), await read('worker/dns-resolvers-hold-zones')];
    await setUp({ ENVIRONMENT: 'development' });
    expect(await zoneOf()).toEqual(['10.0.0.53:8053\n', 'true\n']);
    for (const owner of ['api', 'worker', 'dev-dns'])
      expect(await read(`${owner}/acme-dns-zone`)).toBe('acme.pets.localhost\n');
    expect(await read('dev-dns/acme-dns-tsig-key')).toBe(await read('worker/acme-dns-tsig-key'));
    await setUp({ ENVIRONMENT: 'development', ACME_DNS_ZONE: 'acme.pets.localhost' });
    expect(await zoneOf()).toEqual(['knot:5353\n', 'true\n']);
    expect(await read('dev-dns/acme-dns-zone')).toBe('');
    await setUp({ ENVIRONMENT: 'development', DNS_RESOLVERS: '10.1.2.3:53' });
    expect(await zoneOf()).toEqual(['', '']);
  });

  it('makes certificates that lead to the root that the worker trusts', async () => {
    await setUp({ ENVIRONMENT: 'development' });
    const root = new X509Certificate(await read('worker/extra-ca.pem'));
    const platform = new X509Certificate(await read('platform/certificate.pem'));
    const pebble = new X509Certificate(await read('pebble/certificate.pem'));
    expect([platform, pebble].map((leaf) => leaf.verify(root.publicKey))).toEqual([true, true]);
    expect(platform.checkHost('acme-docs.pets.localhost')).toBeDefined();
    expect(pebble.checkHost('pebble')).toBeDefined();
  });

  it('replaces them for another platform domain', async () => {
    await setUp({ ENVIRONMENT: 'development' });
    await setUp({ ENVIRONMENT: 'development', PLATFORM_DOMAIN: 'other.localhost' });
    expect(new X509Certificate(await read('platform/certificate.pem')).checkHost('a.other.localhost')).toBeDefined();
  });

  it.each([
    ['production', 'https://acme-v02.api.letsencrypt.org/directory', 'false', ''],
    ['staging', 'https://acme-staging-v02.api.letsencrypt.org/directory', 'false', ''],
    ['development', 'https://pebble:14000/dir', 'true', '10.0.0.53:8053'],
  ])('%s decides which CA and which resolvers are asked', async (ENVIRONMENT, directory, special, resolvers) => {
    for (const name of ['certificate.pem', 'key.pem']) await writeFile(join(folder, 'platform', name), 'yours');
    expect(await setUp({ ENVIRONMENT, PLATFORM_CERTIFICATE_FOLDER: './certificates' })).toMatchObject({
      failed: false,
    });
    expect((await read('api/acme-directory-urls')).trim()).toBe(directory);
    expect((await read('worker/acme-directory-urls')).trim()).toBe(directory);
    expect((await read('api/allow-special-use-names')).trim()).toBe(special);
    expect((await read('worker/dns-resolvers')).trim()).toBe(resolvers);
    expect(await read('platform/certificate.pem')).toBe('yours');
  });

  it('leaves the certificate to pets-api where there is a zone for challenges and no folder', async () => {
    await setUp({ ENVIRONMENT: 'development' });
    expect(await read('api/issue-platform-certificate')).toBe('false\n');
    await setUp({ ENVIRONMENT: 'production', ACME_DNS_ZONE: 'acme.pets.example' });
    expect(await read('api/issue-platform-certificate')).toBe('true\n');
    expect([await read('platform/certificate.pem'), await read('platform/key.pem')]).toEqual(['', '']);
  });

  it.each([
    [{ ENVIRONMENT: 'prod' }, 'ENVIRONMENT is prod'],
    [{ ENVIRONMENT: '' }, 'ENVIRONMENT is empty'],
    [{ ENVIRONMENT: 'toString' }, 'ENVIRONMENT is toString'],
    [{ ENVIRONMENT: 'staging', PLATFORM_DOMAIN: '' }, 'PLATFORM_DOMAIN is empty'],
    [{ ENVIRONMENT: 'development', POSTGRES_MEMORY: 'much' }, 'POSTGRES_MEMORY is much'],
    [{ ENVIRONMENT: 'development', REDIS_MEMORY: '32m' }, 'REDIS_MEMORY is 32m'],
    [{ ENVIRONMENT: 'staging' }, 'ACME_DNS_ZONE is empty'],
    [{ ENVIRONMENT: 'staging', PLATFORM_CERTIFICATE_FOLDER: './none' }, 'in PLATFORM_CERTIFICATE_FOLDER (./none)'],
  ])('refuses %j', async (env, reason) => {
    const outcome = await setUp(env);
    expect(outcome.failed).toBe(true);
    expect(outcome.said).toContain(reason);
  });
});

describe('a server elsewhere', () => {
  it.each([
    [{ POSTGRES_CONTAINERS: '0' }, 'POSTGRES_CONTAINERS is 0, and no address names another PostgreSQL'],
    [{ REDIS_CONTAINERS: '0', DATABASE_URL: 'postgres://a@b/c' }, 'no address names another Redis'],
    [{ POSTGRES_CONTAINERS: '2' }, 'POSTGRES_CONTAINERS is 2: 0 or 1'],
  ])('%j is refused', async (env, reason) => {
    const { failed, said } = await setUp({ ENVIRONMENT: 'development', ...env });
    expect([failed, said]).toEqual([true, expect.stringContaining(reason)]);
  });

  it('replaces the one of the stack', async () => {
    const env = { POSTGRES_CONTAINERS: '0', DATABASE_URL: 'postgres://a@b/c' };
    expect(await setUp({ ENVIRONMENT: 'development', ...env })).toMatchObject({ failed: false });
  });
});
