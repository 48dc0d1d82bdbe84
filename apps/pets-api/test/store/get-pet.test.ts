import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { startTestApi, type ApiResponse, type TestApi } from '../harness.js';

const beforeSunset = new Date('2030-12-04T23:59:59Z');
const sunset = new Date('2030-12-05T00:00:00Z');
const missing = '9223372036854775807';

let now: Date;
let api: TestApi;
let organizationId: string;
let key: string;
let otherKey: string;
let petPath: string;

beforeAll(async () => {
  now = beforeSunset;
  api = await startTestApi({}, () => now);
  ({ key, organizationId } = await api.createOrganization('free'));
  ({ key: otherKey } = await api.createOrganization('free'));
  const created = await api.request('POST', '/v1/pets', { key, body: '{"name":"Rex","categoryId":9007199254740993}' });
  petPath = created.headers.get('location') ?? '';
});
afterAll(() => api.close());
beforeEach(() => {
  now = beforeSunset;
});

const get = (path: string, asKey = key) => api.request('GET', path, { key: asKey });

/** Spelt out, not derived: the dates have different forms, and both are promised. */
function expectAnnouncement({ headers }: ApiResponse<unknown>): void {
  expect(headers.get('deprecation')).toBe('@1764547200');
  expect(headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  expect(headers.get('link')?.split(', ')).toEqual([
    '<https://api.example/v1/pets?status=available>; rel="successor-version"',
    '<https://api.example/docs/deprecations/get-pet>; rel="deprecation"; type="text/html"',
    '<https://api.example/docs/deprecations/get-pet>; rel="sunset"; type="text/html"',
  ]);
}

describe('getPet', () => {
  it('answers the animal as it was created, digit for digit', async () => {
    const answer = await get(petPath);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      `{"id":${petPath.slice('/v1/pets/'.length)},"name":"Rex","categoryId":9007199254740993,"status":"available"}`,
    );
  });

  it('tells apart ids that a double cannot', async () => {
    await sql`alter table pets alter column id restart with 9007199254740992`.execute(api.db);
    for (const name of ['even', 'odd']) await api.request('POST', '/v1/pets', { key, body: { name, categoryId: 1 } });
    expect((await get('/v1/pets/9007199254740992')).text).toContain('"id":9007199254740992,"name":"even"');
    expect((await get('/v1/pets/9007199254740993')).text).toContain('"id":9007199254740993,"name":"odd"');
  });

  it.each(['1', '0', '-1', missing, '-9223372036854775808'])('answers 404 for %s, which does not exist', async (id) => {
    const answer = await get(`/v1/pets/${id}`, otherKey);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ code: 'not_found', message: 'There is no such animal.', status: 404 });
  });

  it('answers for another organization’s animal exactly as for none', async () => {
    const [foreign, absent] = [await get(petPath, otherKey), await get(`/v1/pets/${missing}`, otherKey)];
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(absent.text);
  });

  it.each(['x', '1.5', '1e3', '+1', '01', '-0', '0x1', '%20', '9223372036854775808', '-9223372036854775809'])(
    'refuses %s, which is no int64, with 400 that names petId',
    async (id) => {
      const { status, body } = await get(`/v1/pets/${id}`);
      expect(status).toBe(400);
      expect(body).toEqual({
        code: 'invalid_parameter',
        message: expect.stringMatching(/^petId: /),
        status: 400,
        errors: [{ field: 'petId', message: expect.any(String) }],
      });
    },
  );

  it.each<[string, string, (() => string | undefined)?]>([
    ['the animal', 'own'],
    ['an animal that is not there', missing],
    ['an id that is none', 'x'],
    ['a parameter there is not', 'own?fields=name'],
    ['no key', 'own', () => undefined],
    ['a wrong key', 'own', () => 'nope'],
  ])('announces its end in the answer to %s', async (_name, id, keyOf = () => key) => {
    const path = id.startsWith('own') ? petPath + id.slice('own'.length) : `/v1/pets/${id}`;
    for (const method of ['GET', 'HEAD']) expectAnnouncement(await api.request(method, path, withKey(keyOf())));
  });

  it('announces its end to a key that may not read animals', async () => {
    const weak = await api.createKey(organizationId, { scopes: ['projects:read'] });
    const refused = await get(petPath, weak);
    expect(refused.status).toBe(403);
    expectAnnouncement(refused);
  });

  it('is the only operation that announces an end', async () => {
    const { headers } = await get('/v1/pets');
    expect(headers.get('deprecation')).toBeNull();
    expect(headers.get('sunset')).toBeNull();
  });

  it('links to a notice that people can read without a key', async () => {
    const link = (await get(petPath)).headers.get('link') ?? '';
    const path = /<https:\/\/api\.example([^>]+)>; rel="sunset"/.exec(link)?.[1] ?? '';
    const { status, headers, text } = await api.request('GET', path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const said of ['2025-12-01', '2030-12-05', '410', 'GET /v1/pets</code>']) expect(text).toContain(said);
  });

  it('answers HEAD as GET, without a body', async () => {
    const { status, text } = await api.request('HEAD', petPath, { key });
    expect(status).toBe(200);
    expect(text).toBe('');
  });
});

describe('the sunset of getPet', () => {
  it('has not begun one second earlier', async () => {
    now = beforeSunset;
    expect((await get(petPath)).status).toBe(200);
  });

  it.each(['own', missing, 'x'])('ends it to the second, whatever is asked for: %s', async (id) => {
    now = sunset;
    const gone = await get(id === 'own' ? petPath : `/v1/pets/${id}`);
    expect(gone.status).toBe(410);
    expect(gone.body.code).toBe('gone');
    expectAnnouncement(gone);
  });

  it('still requires a key', async () => {
    now = sunset;
    const refused = await api.request('GET', petPath);
    expect(refused.status).toBe(401);
    expectAnnouncement(refused);
  });

  it('leaves the list of animals as it is', async () => {
    now = sunset;
    expect((await get('/v1/pets?status=available')).status).toBe(200);
  });
});

describe('callers of getPet', () => {
  it('are counted by key and day, refused calls too, for the administrator to see', async () => {
    const { key: caller, organizationId: callerId } = await api.createOrganization('pro');
    const calls = async () => {
      const { deprecatedCalls } = (await runAdminCommand(['deprecated-calls', 'list'], api.db, {
        ENVIRONMENT: 'development',
      })) as { deprecatedCalls: { organizationId: string; day: string; calls: number; operation: string }[] };
      return deprecatedCalls
        .filter((each) => each.organizationId === callerId)
        .map(({ operation, day, calls: count }) => `${operation} ${day} ${count}`);
    };
    for (const path of [petPath, `/v1/pets/${missing}`, '/v1/pets/x']) await get(path, caller);
    await waitUntil(async () => (await calls()).includes('getPet 2030-12-04 3'), { message: 'the first counts' });

    now = sunset;
    await get(petPath, caller);
    now = beforeSunset;
    await get(petPath, caller);
    await waitUntil(async () => (await calls()).includes('getPet 2030-12-04 4'), { message: 'what was added' });
    expect(await calls()).toEqual(['getPet 2030-12-05 1', 'getPet 2030-12-04 4']);
  });

  it('are written when the process stops', async () => {
    const replica = await api.startReplica();
    const { key: caller } = await api.createOrganization('pro');
    await replica.request('GET', petPath, { key: caller });
    const before = await countOf();
    await replica.stopApi();
    expect(await countOf()).toBe(before + 1);
  });
});

const countOf = async () =>
  Number(
    (
      await api.db
        .selectFrom('deprecated_calls')
        .select(({ fn }) => fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  );

function withKey(value: string | undefined): { key?: string } {
  return value === undefined ? {} : { key: value };
}
