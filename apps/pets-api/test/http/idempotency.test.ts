import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, CreatedApiKey, CreatedSession } from '@pets/contracts';
import { createLogger } from '@pets/platform';
import { startTestApi, type ApiReplica, type TestApi } from '../harness.js';

const HOUR_MS = 3_600_000;
const rex = { name: 'Rex', categoryId: 1, status: 'available' };

let api: TestApi;
let other: ApiReplica;
let organizationId: string;
let key: string;
/** How far the clock of the replicas is ahead. */
let aheadMs = 0;
/** Everything that was logged, at any level and before anything is blanked. */
const logged: unknown[] = [];

const now = () => new Date(Date.now() + aheadMs);
const record = (...line: unknown[]) => void logged.push(line);
const recorder = Object.assign(createLogger('pets-api-test', 'silent'), {
  fatal: record,
  error: record,
  warn: record,
  info: record,
  debug: record,
  trace: record,
});

beforeAll(async () => {
  api = await startTestApi({}, now, recorder);
  other = await api.startReplica();
  ({ organizationId, key } = await api.createOrganization('pro'));
});
afterAll(() => api.close());
afterEach(() => {
  aheadMs = 0;
});

interface Ask {
  readonly as?: string;
  readonly path?: string;
  readonly at?: ApiReplica;
}

const post = <Body = ApiError>(
  idempotencyKey: string,
  body: unknown,
  { as = key, path = '/v1/pets', at = api }: Ask = {},
) => at.request<Body>('POST', path, { key: as, body, headers: { 'idempotency-key': idempotencyKey } });

const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed') === 'true';

async function countPets(): Promise<number> {
  return (await api.db.selectFrom('pets').select('id').execute()).length;
}

async function countAnswers(idempotencyKey?: string): Promise<number> {
  const rows = api.db.selectFrom('idempotent_answers').select('key');
  return (await (idempotencyKey === undefined ? rows : rows.where('key', '=', idempotencyKey)).execute()).length;
}

describe('a repeated request', () => {
  it('gets the first response, digit for digit, and runs once', async () => {
    await sql`alter table pets alter column id restart with 9007199254740993`.execute(api.db);
    const [before, once] = [await countPets(), randomUUID()];
    const first = await post(once, rex);
    await sql`alter table pets alter column id restart with 1000`.execute(api.db);
    const again = await post(once, rex, { at: other });
    expect(first.text).toContain('{"id":9007199254740993,');
    expect(first.status).toBe(201);
    expect(isReplay(first)).toBe(false);
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(isReplay(again)).toBe(true);
    expect(again.headers.get('location')).toBe('/v1/pets/9007199254740993');
    expect(first.headers.get('location')).toBe('/v1/pets/9007199254740993');
    expect(await countPets()).toBe(before + 1);
  });

  it('may have its members in another order, and its key without quotes', async () => {
    const once = randomUUID();
    const first = await post(`"${once}"`, '{"name":"Rex","categoryId":1}');
    const again = await post(once, '{ "categoryId": 1, "name": "Rex" }');
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(isReplay(again)).toBe(true);
  });

  it('with another body is 422, and changes nothing of the first', async () => {
    const [once, first] = [randomUUID(), '{"name":"Rex","categoryId":9007199254740993}'];
    await post(once, first);
    const before = await countPets();
    for (const body of [first.replace('993}', '992}'), first.replace('Rex', 'Max')]) {
      const refused = await post(once, body);
      expect(refused.status).toBe(422);
      expect(refused.body.code).toBe('idempotency_key_reused');
      expect(isReplay(refused)).toBe(false);
    }
    expect(await countPets()).toBe(before);
    expect(isReplay(await post(once, first))).toBe(true);
  });

  it('is independent for another API key, another path or another idempotency key', async () => {
    const once = randomUUID();
    const sister = await api.createKey(organizationId);
    const project = { name: 'P', slug: `s-${once}` };
    const answers = [
      await post(once, rex),
      await post(once, rex, { as: sister }),
      await post(once, project, { path: '/v1/projects' }),
      await post(once.toUpperCase(), rex),
    ];
    expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual(answers.map(() => [201, false]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(answers.length);
  });

  it('is recognized when a session replaces its API key', async () => {
    const once = randomUUID();
    const session = (await api.request<CreatedSession>('POST', '/v1/sessions', { key })).body.secret;
    const first = await post(once, rex);
    const again = await post(once, rex, { as: session });
    expect(again.text).toBe(first.text);
    expect(isReplay(again)).toBe(true);
  });

  it('runs again after 24 hours', async () => {
    const once = randomUUID();
    const first = await post(once, rex);
    aheadMs = 24 * HOUR_MS - 60_000;
    expect(isReplay(await post(once, rex))).toBe(true);
    aheadMs = 24 * HOUR_MS;
    const fresh = await post(once, { ...rex, name: 'Max' });
    expect(fresh.status).toBe(201);
    expect(isReplay(fresh)).toBe(false);
    expect(fresh.text).not.toBe(first.text);
    expect(isReplay(await post(once, { ...rex, name: 'Max' }))).toBe(true);
  });

  it('runs once for twenty concurrent requests on two replicas', async () => {
    const [before, once] = [await countPets(), randomUUID()];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => post(once, rex, { at: i % 2 === 0 ? api : other })),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    for (const { status, body, headers } of answers.filter((answer) => answer.status !== 201)) {
      expect(status).toBe(409);
      expect(body.code).toBe('idempotency_in_progress');
      expect(headers.get('retry-after')).toBe('1');
    }
    expect(await countPets()).toBe(before + 1);
  });
});

describe('a request without effect', () => {
  it('leaves nothing when it is refused, so that the same request may succeed later', async () => {
    const once = randomUUID();
    const petId = (await post<{ id: number }>(randomUUID(), { ...rex, status: 'pending' })).body.id;
    const order = () => post(once, { petId, quantity: 1 }, { path: '/v1/store/orders' });
    expect((await order()).status).toBe(409);
    expect(await countAnswers(once)).toBe(0);
    await api.db.updateTable('pets').set({ status: 'available' }).where('id', '=', BigInt(petId)).execute();
    const done = await order();
    expect(done.status).toBe(201);
    expect(isReplay(done)).toBe(false);
    expect(isReplay(await order())).toBe(true);
  });

  it('leaves nothing when its body is invalid, so that a corrected one may follow', async () => {
    const once = randomUUID();
    for (const body of [{ ...rex, name: '' }, '{', { ...rex, extra: 1 }])
      expect((await post(once, body)).status).toBe(400);
    expect(await countAnswers(once)).toBe(0);
    expect((await post(once, rex)).status).toBe(201);
  });

  it('stores no key when the credential or the scope is refused', async () => {
    const reader = await api.createKey(organizationId, { scopes: ['pets:read'] });
    expect((await post('"', rex, { as: 'unknown' })).status).toBe(401);
    expect((await post('"', rex, { as: reader })).status).toBe(403);
  });
});

describe('the header', () => {
  it.each(['', '""', 'a b', 'a, b', '"a', 'k'.repeat(256)])('is refused when it is %j', async (value) => {
    const before = await countPets();
    const refused = await post(value, rex);
    expect(refused.status).toBe(400);
    expect(refused.body.code).toBe('invalid_parameter');
    expect(refused.body.message).toMatch(/^Idempotency-Key: /);
    expect(await countPets()).toBe(before);
  });

  it('may have 255 characters', async () => {
    const longest = 'k'.repeat(255);
    expect((await post(longest, rex)).status).toBe(201);
    expect(isReplay(await post(`"${longest}"`, rex))).toBe(true);
  });

  it('is ignored for other methods than POST, and nothing is stored without it', async () => {
    const before = await countAnswers();
    const headers = { 'idempotency-key': '"' };
    expect((await api.request('GET', '/v1/pets', { key, headers })).status).toBe(200);
    expect((await api.request('HEAD', '/v1/pets', { key, headers })).status).toBe(200);
    expect((await api.request('DELETE', `/v1/api-keys/${randomUUID()}`, { key, headers })).status).toBe(404);
    expect((await api.request('POST', '/v1/pets', { key, body: rex })).status).toBe(201);
    expect(await countAnswers()).toBe(before);
  });
});

describe('a kept answer', () => {
  it('returns a secret to its owner, and is encrypted in the table and absent from the logs', async () => {
    const once = randomUUID();
    const ask = { path: '/v1/api-keys' };
    const first = await post<CreatedApiKey>(once, { name: once, scopes: ['pets:read'] }, ask);
    const again = await post<CreatedApiKey>(once, { name: once, scopes: ['pets:read'] }, ask);
    const session = await post<CreatedSession>(once, undefined, { path: '/v1/sessions' });
    expect((await post(once, undefined, { path: '/v1/sessions' })).text).toBe(session.text);
    expect(again.text).toBe(first.text);
    expect(isReplay(again)).toBe(true);
    expect((await api.request('GET', '/v1/pets', { key: again.body.secret })).status).toBe(200);
    const made = await api.db.selectFrom('api_keys').select('id').where('name', '=', once).execute();
    expect(made).toHaveLength(1);

    const { rows } = await sql<{ row: string }>`select idempotent_answers::text as row from idempotent_answers`.execute(
      api.db,
    );
    const seen = rows.map(({ row }) => row).join('\n') + inspect(logged, { depth: null, maxArrayLength: null });
    expect(seen).toContain(once);
    expect(logged.length).toBeGreaterThan(0);
    for (const { secret } of [first.body, session.body]) {
      for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const)
        expect(seen).not.toContain(Buffer.from(secret).toString(encoding).slice(20));
    }
  });

  it('cannot be moved to another key', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    await post(one, rex);
    await post(two, rex);
    const { answer } = await api.db
      .selectFrom('idempotent_answers')
      .select('answer')
      .where('key', '=', one)
      .executeTakeFirstOrThrow();
    await api.db.updateTable('idempotent_answers').set({ answer }).where('key', '=', two).execute();
    expect((await post(two, rex)).status).toBe(500);
  });
});
