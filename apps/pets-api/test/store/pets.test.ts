import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, PetStatus } from '@pets/contracts';
import { sql } from 'kysely';
import { jsonOfPet, petColumns } from '../../src/store/pets/pets.repository.js';
import type { ApiResponse, TestApi } from '../harness.js';
import { shareTestApi } from '../shared-api.js';

let api: TestApi;
let key: string;
let otherKey: string;

beforeAll(async () => {
  api = await shareTestApi();
  ({ key } = await api.createOrganization('free'));
  ({ key: otherKey } = await api.createOrganization('free'));
});
afterAll(() => api.close());

/** Pet as a client in JavaScript reads it: a large id would be rounded, so digits are checked on the text. */
interface PetJson {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: PetStatus;
}

const create = <Body = ApiError>(body: unknown) => api.request<Body>('POST', '/v1/pets', { key, body });

describe('the JSON of an animal', () => {
  it('has the fields that were added after the stored JSON', async () => {
    const { text, body } = await create<PetJson>({ name: 'A "quoted" name', categoryId: 7 });
    const json = jsonOfPet({ ...petColumns, title: 'name', createdAt: 'created_at' });
    const { rows } = await sql<{ json: string; at: string }>`
      select ${sql.raw(json)} as json, to_json(created_at)::text as at from pets where id = ${body.id}`.execute(api.db);
    const added = `,"title":"A \\"quoted\\" name","createdAt":${rows[0]?.at}}`;
    expect(rows[0]?.json).toBe(text.replace(/}$/, added));
  });
});

describe('createPet', () => {
  it('answers 201 with the animal and its location, available by default', async () => {
    const { status, headers, body } = await create<PetJson>({ name: 'Rex', categoryId: 7 });
    expect(status).toBe(201);
    expect(body).toEqual({ id: body.id, name: 'Rex', categoryId: 7, status: 'available' });
    expect(headers.get('location')).toBe(`/v1/pets/${body.id}`);
  });

  it.each(['9007199254740993', '9223372036854775807', '-9223372036854775808', '0'])(
    'keeps categoryId %s digit for digit',
    async (categoryId) => {
      const created = await create(`{"name":"Exact","categoryId":${categoryId}}`);
      expect(created.text).toContain(`"categoryId":${categoryId},`);
      const listed = await api.request('GET', '/v1/pets?limit=100', { key });
      expect(listed.text).toContain(`"categoryId":${categoryId},`);
    },
  );

  it.each<[string, unknown, string]>([
    ['no name', { categoryId: 1 }, 'name:'],
    ['no categoryId', { name: 'Rex' }, 'categoryId:'],
    ['an empty name', { name: '  ', categoryId: 1 }, 'name:'],
    ['a NUL in the name', { name: 'a\0b', categoryId: 1 }, 'name:'],
    ['half a surrogate pair', '{"name":"\\ud800","categoryId":1}', 'name:'],
    ['a fraction', { name: 'Rex', categoryId: 1.5 }, 'categoryId:'],
    ['a string', { name: 'Rex', categoryId: '1' }, 'categoryId:'],
    ['null', { name: 'Rex', categoryId: null }, 'categoryId:'],
    ['more than 64 bits', '{"name":"Rex","categoryId":9223372036854775808}', 'categoryId:'],
    ['an unknown status', { name: 'Rex', categoryId: 1, status: 'lost' }, 'status:'],
    ['an unknown field', { name: 'Rex', categoryId: 1, id: 5 }, 'id'],
    ['an array', [], 'The body must be an object'],
    ['an empty body', '', 'The body is required'],
  ])('refuses %s with 400 and names the field', async (_name, body, message) => {
    const refused = await create(body);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      code: 'invalid_parameter',
      message: expect.stringContaining(message),
      status: 400,
      errors: expect.any(Array),
    });
  });

  it.each<[string, string | Uint8Array]>([
    ['unfinished', '{"name":"Rex"'],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['nested 33 deep', '['.repeat(33) + ']'.repeat(33)],
    ['reaching for the prototype', '{"name":"Rex","categoryId":1,"__proto__":{}}'],
  ])('refuses a body that is %s with malformed_json', async (_name, body) => {
    const refused = await api.request('POST', '/v1/pets', {
      key,
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(refused.status).toBe(400);
    expect(refused.body?.code).toBe('malformed_json');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
    'refuses %s with 415',
    async (type) => {
      const refused = await api.request('POST', '/v1/pets', {
        key,
        body: 'name=Rex',
        headers: { 'content-type': type },
      });
      expect(refused.status).toBe(415);
      expect(refused.body?.code).toBe('unsupported_media_type');
    },
  );

  it('refuses a body over 64 KiB with 413', async () => {
    const refused = await create({ name: 'x'.repeat(70_000), categoryId: 1 });
    expect(refused.status).toBe(413);
    expect(refused.body?.code).toBe('payload_too_large');
  });
});

describe('listPets', () => {
  it('returns every animal once, in order of id, by following next', async () => {
    const { key: fresh } = await api.createOrganization('free');
    const made: number[] = [];
    for (let i = 0; i < 7; i++)
      made.push(
        (await api.request<PetJson>('POST', '/v1/pets', { key: fresh, body: { name: `p${i}`, categoryId: i } })).body
          .id,
      );
    const seen: number[] = [];
    let path: string | undefined = '/v1/pets?limit=3&status=available';
    while (path !== undefined) {
      const page: ApiResponse<PetJson[]> = await api.request<PetJson[]>('GET', path, { key: fresh });
      seen.push(...page.body.map(({ id }) => id));
      const next: string | undefined = /^<https:\/\/api\.example(\/v1\/pets\?[^>]+)>; rel="next"$/.exec(
        page.headers.get('link') ?? '',
      )?.[1];
      if (next !== undefined) expect(next).toContain('limit=3&status=available');
      path = next;
    }
    expect(seen).toEqual(made);
  });

  it('filters by status', async () => {
    await create({ name: 'Gone', categoryId: 1, status: 'sold' });
    const { body } = await api.request<PetJson[]>('GET', '/v1/pets?status=sold', { key });
    expect(new Set(body.map(({ status }) => status))).toEqual(new Set(['sold']));
  });

  it('shows nothing of another organization, and rejects its cursors', async () => {
    expect((await api.request('GET', '/v1/pets', { key: otherKey })).body).toEqual([]);
    const link = (await api.request('GET', '/v1/pets?limit=1', { key })).headers.get('link') ?? '';
    const cursor = /cursor=([^&>]+)/.exec(link)?.[1] ?? '';
    const stolen = await api.request('GET', `/v1/pets?limit=1&cursor=${cursor}`, { key: otherKey });
    expect(stolen.status).toBe(400);
    expect(stolen.body?.code).toBe('invalid_cursor');
  });

  it.each(['limit=0', 'limit=101', 'limit=1e2', 'limit=5.0', 'limit=', 'limit=1&limit=2', 'status=lost', 'page=2'])(
    'refuses ?%s with 400',
    async (query) => {
      const refused = await api.request('GET', `/v1/pets?${query}`, { key });
      expect(refused.status).toBe(400);
      expect(refused.body?.code).toBe('invalid_parameter');
    },
  );
});
