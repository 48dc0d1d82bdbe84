import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { manyAnimals, startHttpApp, type HttpApp } from './http-app.js';

let app: HttpApp;

beforeAll(async () => {
  app = await startHttpApp();
});
afterAll(() => app.close());

interface Answer {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Bytes as they arrive; `fetch` decodes them. */
function get(path: string, acceptEncoding?: string, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }) };
    const sent = request(app.url + path, { method, headers, timeout: 10_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    });
    sent.on('error', reject).end();
  });
}

const plain = JSON.stringify(manyAnimals);

describe('a long list', () => {
  it.each(['gzip', 'br, gzip', '*', 'gzip;q=0.5, identity;q=0.1', 'GZIP'])('is compressed for %s', async (accepted) => {
    const { headers, body } = await get('/v1/animals/many', accepted);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(body.length).toBeLessThan(plain.length / 4);
    expect(gunzipSync(body).toString()).toBe(plain);
  });

  it.each([undefined, '', 'br', 'identity', 'gzip;q=0', '*;q=0', 'gzip;q=0.1, identity', 'nonsense;;='])(
    'is not compressed for %s',
    async (accepted) => {
      const { headers, body } = await get('/v1/animals/many', accepted);
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers.vary).toBe('accept-encoding');
      expect(body.toString()).toBe(plain);
    },
  );

  it('is not compressed where it has an ETag, which names its bytes', async () => {
    const { headers, body } = await get('/v1/animals/tagged', 'gzip');
    expect(headers).toMatchObject({ etag: '"1"' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toBe(plain);
  });
});

it('a short answer, which may have a secret, is not compressed', async () => {
  const { headers } = await get('/v1/animals', 'gzip');
  expect(headers['content-encoding']).toBeUndefined();
});

it('an answer to HEAD has the headers of GET, and no body', async () => {
  const [head, whole] = [await get('/v1/animals/many', 'gzip', 'HEAD'), await get('/v1/animals/many', 'gzip')];
  const named = ['content-encoding', 'content-length', 'content-type', 'vary'];
  for (const name of named) expect(head.headers[name]).toBe(whole.headers[name]);
  expect(head.body.length).toBe(0);
});
