import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError } from '@pets/contracts';
import { startHttpApp, type HttpApp } from './http-app.js';

let app: HttpApp;

beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(() => app.close());

describe('a query', () => {
  it.each([
    ['/v1/animals?page=2', 'page'],
    ['/v1/animals?limit=1&limit=2', 'limit: must not be repeated'],
    ['/v1/animals?limit=1&limit=1', 'limit: must not be repeated'],
    ['/v1/animals?limit[]=1', 'limit[]'],
    ['/v1/animals?status=%zz', 'malformed percent-encoding'],
    ['/v1/animals?status=%E0%A4%A', 'malformed percent-encoding'],
    ['/v1/animals?%=1', 'malformed percent-encoding'],
    ['/v1/animals?__proto__=x', '__proto__'],
    ['/v1/animals?constructor=x', 'constructor'],
    ['/v1/animals?a[__proto__][polluted]=x', '__proto__'],
    ['/v1/animals/7?verbose', 'verbose: is not a parameter of this operation'],
    ['/v1/animals/7?__proto__=x', '__proto__: is not a parameter of this operation'],
  ])('is refused: %s', async (path, message) => {
    const answer = await app.fetch(path);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining(message),
      status: 400,
    });
    expect('polluted' in {}).toBe(false);
  });

  it('lists every error', async () => {
    const message = 'is not a parameter of this operation';
    expect(await (await app.fetch('/v1/animals?page=2&limit=0&state=x')).json()).toEqual({
      code: 'invalid_parameter',
      message: 'limit: must be an integer from 1 to 100',
      status: 400,
      errors: [
        { field: 'limit', message: 'must be an integer from 1 to 100' },
        { field: 'page', message },
        { field: 'state', message },
      ],
    });
    expect(await (await app.fetch('/v1/animals/7?a=1&b=2')).json()).toMatchObject({
      errors: [
        { field: 'a', message },
        { field: 'b', message },
      ],
    });
  });

  it('may be empty', async () => {
    expect([(await app.fetch('/v1/animals?')).status, (await app.fetch('/v1/animals/7?')).status]).toEqual([200, 200]);
  });
});

describe('the content type', () => {
  const body = '{"name":"Rex","categoryId":1}';
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    '%j is taken',
    async (type) => expect((await app.post(body, { 'content-type': type })).status).toBe(201),
  );

  it.each([
    'application/json; charset=latin1',
    'application/json;charset=utf-16',
    'application/json; charset=',
    'application/jsonx',
    'application/vnd.api+json',
    'application/gzip',
    'text/plain',
    'nonsense',
  ])('%j is answered 415', async (type) => {
    const answer = await app.post(body, { 'content-type': type });
    expect(answer.status).toBe(415);
    expect(((await answer.json()) as ApiError).code).toBe('unsupported_media_type');
  });

  it('is answered with our own message when it is not supported', async () => {
    const answer = await app.post(body, { 'content-type': 'text/plain' });
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining('must be application/json') });
  });

  it('is answered 415 when the body is compressed', async () => {
    expect((await app.post(body, { 'content-encoding': 'gzip' })).status).toBe(415);
  });
});

describe('a connection', () => {
  it('stays open after a body that was read completely and refused', async () => {
    const answer = await app.post('{"name":', { 'content-type': 'application/json' });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('connection')).toBe('keep-alive');
  });

  it('is closed after a body that was too large', async () => {
    const answer = await app.post(' '.repeat(64 * 1024 + 1), { 'content-type': 'application/json' });
    expect(answer.status).toBe(413);
    expect(answer.headers.get('connection')).toBe('close');
    expect(await answer.json()).toMatchObject({ message: 'The body is larger than 65536 bytes.' });
  });

  it.each([
    ['closed', 'a large', 2 * 1_048_576, 'close'],
    ['kept', 'a small', 1_024, 'keep-alive'],
  ])('is %s after a refusal that did not need %s body', async (_, _size, bytes, connection) => {
    const answer = await app.fetch('/v1/nowhere', { method: 'POST', body: new Uint8Array(bytes) });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('connection')).toBe(connection);
  });
});

describe('a body', () => {
  it.each([
    ['"categoryId":1,"categoryId":2', 'malformed_json', 'duplicate key'],
    ['"categoryId":1,"category\\u0049d":2', 'malformed_json', 'duplicate key'],
    ['"categoryId":1,"__proto__":{"polluted":1}', 'malformed_json', '__proto__'],
    ['"categoryId":1,"\\u005f_proto__":1', 'malformed_json', '__proto__'],
    ['"categoryId":1,"constructor":{"prototype":{"polluted":1}}', 'malformed_json', 'constructor'],
    ['"categoryId":1,"constructor":1', 'malformed_json', 'constructor'],
    ['"categoryId":1e3', 'invalid_parameter', 'categoryId: must be an integer'],
    ['"categoryId":1E0', 'invalid_parameter', 'categoryId: must be an integer'],
    ['"categoryId":1.0', 'invalid_parameter', 'categoryId: must be an integer'],
    ['"categoryId":1.5', 'invalid_parameter', 'categoryId: must be an integer'],
    ['"categoryId":9007199254740993.0', 'invalid_parameter', 'categoryId: must be an integer'],
    ['"categoryId":1e400', 'invalid_parameter', 'categoryId: must be an integer'],
    ['"categoryId":-9223372036854775809', 'invalid_parameter', 'categoryId:'],
    ['"categoryId":01', 'malformed_json', 'not valid JSON'],
    ['"categoryId":+1', 'malformed_json', 'not valid JSON'],
    ['"categoryId":1,"status":"\\udc00"', 'invalid_parameter', 'status: must be well-formed'],
    ['"categoryId":1,"status":"a\\u0000"', 'invalid_parameter', 'status: must be well-formed'],
  ])('with %s is refused: %s', async (members, code, message) => {
    const answer = await app.post(`{"name":"Rex",${members}}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code, message: expect.stringContaining(message), status: 400 });
    expect('polluted' in {}).toBe(false);
  });

  it('lists every error with our own messages', async () => {
    const answer = await app.post('{"name":5,"status":"lost","owner":{},"colour":null}');
    expect(await answer.json()).toEqual({
      code: 'invalid_parameter',
      message: 'name: must be a string',
      status: 400,
      errors: [
        { field: 'name', message: 'must be a string' },
        { field: 'categoryId', message: 'is required' },
        { field: 'status', message: 'must be one of available, pending, sold' },
        { field: 'owner', message: 'is not a field of this request' },
        { field: 'colour', message: 'is not a field of this request' },
      ],
    });
  });

  it('lists text that cannot be stored among the other errors', async () => {
    const answer = await app.post(String.raw`{"name":"a\u0000","status":"\ud800","owner":"\u0000"}`);
    const message = 'must be well-formed text without NUL';
    expect(await answer.json()).toEqual({
      code: 'invalid_parameter',
      message: `name: ${message}`,
      status: 400,
      errors: [
        { field: 'name', message },
        { field: 'categoryId', message: 'is required' },
        { field: 'status', message },
        { field: 'owner', message: 'is not a field of this request' },
      ],
    });
  });

  it('refuses a decimal number where an object is required', async () => {
    const answer = await app.post('{"name":1.5,"categoryId":2.0,"status":1e3}');
    expect(((await answer.json()) as ApiError).errors).toEqual([
      { field: 'name', message: 'must be a string' },
      { field: 'categoryId', message: 'must be an integer' },
      { field: 'status', message: 'must be one of available, pending, sold' },
    ]);
    expect(await (await app.post('1.5')).json()).toMatchObject({ message: 'The body must be an object' });
  });

  it('is refused when it is a single text that cannot be stored', async () => {
    const answer = await app.post(String.raw`"\u0000"`, {
      'content-type': 'application/json',
      'idempotency-key': 'unstorable',
    });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as ApiError).code).toBe('invalid_parameter');
  });

  it.each(['{"name":', '[1,]', '{"a" 1}', 'undefined', '{"name":"Rex"} x'])(
    'that is %s is refused in words of ours',
    async (body) => {
      const { message } = (await (await app.post(body)).json()) as ApiError;
      expect(message).toMatch(/^The body is not valid JSON(?: at character \d+)?\.$/);
    },
  );

  it.each(['9007199254740993', '9223372036854775807', '-9223372036854775808', '-1', '9007199254740991', '0'])(
    'keeps %s, digit for digit',
    async (categoryId) => {
      const answer = await app.post(`{"name":"Rex","categoryId":${categoryId}}`);
      expect(answer.status).toBe(201);
      expect(await answer.text()).toContain(`"categoryId":${categoryId},`);
    },
  );
});

describe('a name', () => {
  const nameOf = async (name: string) => {
    const answer = await app.post(JSON.stringify({ name, categoryId: 1 }));
    return { status: answer.status, body: (await answer.json()) as { name?: string; message?: string } };
  };

  it.each([
    ['is kept as it is', 'Rex: 1.5e3 {"a":[]}\\', 'Rex: 1.5e3 {"a":[]}\\'],
    ['is composed (NFC)', 'Zoe\u0308', 'Zoë'],
    ['may be of any script', 'مرحبا שלום 犬', 'مرحبا שלום 犬'],
    ['may have joined emoji', '👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦'],
    ['may have 255 characters outside the basic plane', '🐕'.repeat(255), '🐕'.repeat(255)],
    ['is counted after composition', 'e\u0301'.repeat(255), 'é'.repeat(255)],
  ])('%s', async (_what, given, kept) => {
    expect(await nameOf(given)).toMatchObject({ status: 201, body: { name: kept } });
  });

  it.each([
    ['nothing', ''],
    ['only spaces', ' \u3000'],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters outside the basic plane', '🐕'.repeat(256)],
    ['a line break', 'a\nb'],
    ['DEL', 'a\x7f'],
    ['a C1 control', 'a\u0085'],
    ['a bidirectional override', 'a\u202eb'],
    ['a bidirectional isolate', 'a\u2066b'],
  ])('of %s is refused', async (_what, name) => {
    expect(await nameOf(name)).toMatchObject({ status: 400, body: { message: expect.stringContaining('name: ') } });
  });
});
