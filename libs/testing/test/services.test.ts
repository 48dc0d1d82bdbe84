import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { promises as dns } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { get } from 'node:https';
import { connect } from 'node:net';
import { once } from 'node:events';
import { startChalltestsrv, startPebble, type Challtestsrv, type Pebble } from '../src/dev-ca/pebble.js';
import { isInstalled } from '../src/processes/service-process.js';
import { waitUntil } from '../src/processes/wait-until.js';
import pg from 'pg';
import { describeWhen } from '../src/skipped-suites.js';
import { scratchDatabase, startTestPostgres, type TestPostgres } from '../src/postgres/test-postgres.js';
import { startTestRedis, type TestRedis } from '../src/processes/redis.js';

const lacking = (program: string) => (isInstalled(program) ? null : `${program} is not installed`);

describe('test databases', () => {
  const ask = async (url: string, text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<{ answer: string }>(text)).rows[0]?.answer;
    } finally {
      await client.end();
    }
  };
  const contents: Parameters<typeof startTestPostgres>[0] = {
    name: 'services-test',
    sources: ['libs/testing/test/services.test.ts'],
    fill: async (url) => void (await ask(url, `create table kept as select 'kept' as answer`)),
  };

  it('begin with their contents, share a server, and are apart', async () => {
    const [one, other] = [await startTestPostgres(contents), await startTestPostgres(contents)];
    await ask(one.url, `update kept set answer = 'changed'`);
    expect([await ask(one.url, 'table kept'), await ask(other.url, 'table kept')]).toEqual(['changed', 'kept']);
    expect(new URL(one.url).host).toBe(new URL(other.url).host);
    await Promise.all([one.stop(), other.stop()]);
    await expect(ask(one.url, 'select 1')).rejects.toThrow('does not exist');
  });

  it('are made after a test has closed every connection, and after one has killed the server', async () => {
    const before = await startTestPostgres(contents);
    await ask(before.url, 'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()');
    const between = await startTestPostgres(contents);
    expect(await ask(between.url, 'table kept')).toBe('kept');
    const folder = await ask(between.url, `select current_setting('data_directory') as answer`);
    const [pid] = (await readFile(`${folder}/postmaster.pid`, 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGKILL');
    const after = await waitUntil(() => startTestPostgres(contents), { message: 'another server' });
    expect(await ask(after.url, 'table kept')).toBe('kept');
    await after.stop();
  });
});

describe('scratch databases', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startTestPostgres();
  });
  afterAll(() => server.stop());

  it('are empty, apart from each other, and dropped even while somebody is connected', async () => {
    const [one, other] = [await scratchDatabase(server.url), await scratchDatabase(server.url)];
    const client = new pg.Client({ connectionString: one.url });
    const complaints: string[] = [];
    client.on('error', (error) => complaints.push(error.message));
    await client.connect();
    await client.query('create table only_here (id int)');
    const elsewhere = new pg.Client({ connectionString: other.url });
    await elsewhere.connect();
    await expect(elsewhere.query('select * from only_here')).rejects.toThrow('does not exist');
    await elsewhere.end();
    await one.drop();
    await waitUntil(() => complaints.some((text) => text.includes('terminating connection')), { message: 'the cut' });
    await other.drop();
  });
});

describeWhen(describe, 'test Redis', lacking('redis-server'), () => {
  let redis: TestRedis | null;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(() => redis?.stop());

  it('answers', async () => {
    const socket = connect(redis?.port ?? 0, '127.0.0.1');
    socket.write('PING\r\n');
    const [reply] = (await once(socket, 'data', { signal: AbortSignal.timeout(5_000) })) as [Buffer];
    socket.destroy();
    expect(reply.toString()).toBe('+PONG\r\n');
  });
});

describeWhen(describe, 'Pebble and its DNS server', lacking('pebble') ?? lacking('pebble-challtestsrv'), () => {
  let pebble: Pebble | null;
  let names: Challtestsrv | null;
  beforeAll(async () => {
    names = await startChalltestsrv();
    pebble = await startPebble({ httpPort: 5002, dnsServer: names?.address ?? '' });
  });
  afterAll(async () => {
    await pebble?.stop();
    await names?.stop();
  });

  it('serve a directory with a trusted certificate, and return their root', async () => {
    const ca = await readFile(pebble?.caCertificatePath ?? '', 'utf8');
    const status = await new Promise((resolve, reject) => {
      get(pebble?.directoryUrl ?? '', { ca }, (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
    expect(status).toBe(200);
    expect(new X509Certificate((await pebble?.fetchRoot()) ?? '').subject).toContain('Pebble Root CA');
  });

  it('return the configured records, and none by default', async () => {
    const resolver = new dns.Resolver({ timeout: 1_000, tries: 2 });
    resolver.setServers([names?.address ?? '']);
    await expect(resolver.resolve4('www.example.com')).rejects.toMatchObject({ code: 'ENODATA' });
    await names?.setCname('www.example.com', 'target.example.net');
    await names?.addA('target.example.net', '127.0.0.1');
    await names?.setTxt('www.example.com', 'token');
    expect(await resolver.resolve4('www.example.com')).toEqual(['127.0.0.1']);
  });
});
