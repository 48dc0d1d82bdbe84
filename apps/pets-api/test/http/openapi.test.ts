import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errorDescriptions, errorStatus, operations, type Operation } from '@pets/contracts';
import { describeApi, exampleServers } from '../../src/http/openapi/document.js';
import { startTestApi, type TestApi } from '../harness.js';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ STAGING_URL: 'https://staging.api.example' });
});
afterAll(() => api.close());

it('docs/openapi.json matches the catalog (npm run generate)', async () => {
  const committed: unknown = JSON.parse(
    await readFile(join(import.meta.dirname, '../../../../docs/openapi.json'), 'utf8'),
  );
  expect(committed).toEqual(JSON.parse(JSON.stringify(describeApi(exampleServers))));
});

describe('the catalog of operations', () => {
  const methodsByPath = Map.groupBy(Object.values<Operation>(operations), ({ path }) => path);

  it.each([...methodsByPath])('matches the routes at %s', async (path, own) => {
    const methods = own.map(({ method }) => method.toUpperCase());
    const expected = new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']);
    const answer = await api.request('OPTIONS', path.replaceAll(/\{\w+\}/g, '1'));
    expect(answer.headers.get('allow')).toBe([...expected].sort().join(', '));
  });
});

describe('GET /openapi.json', () => {
  it('answers the description without a key, with the servers that are configured', async () => {
    const answer = await api.request<{ servers: unknown; paths: object }>('GET', '/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body.servers).toEqual([
      { url: 'https://api.example', description: 'Development' },
      { url: 'https://staging.api.example', description: 'Staging' },
    ]);
    expect(Object.keys(answer.body.paths)).toContain('/v1/pets/{petId}');
  });

  it('has the components that the specification names', () => {
    const { components } = describeApi(exampleServers);
    for (const name of ['Pet', 'Pets', 'NewPet', 'Error', 'PetStatus']) expect(components.schemas).toHaveProperty(name);
    expect(components.schemas?.['Error']).toMatchObject({
      type: 'object',
      required: ['code', 'message', 'status'],
      properties: { message: { type: 'string' }, status: { type: 'integer' } },
    });
    expect(components.schemas?.['Pets']).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } });
  });

  it('answers 304 to a client with the current version', async () => {
    const { headers } = await api.request('GET', '/openapi.json');
    const etag = headers.get('etag') ?? '';
    for (const known of [etag, `"other", W/${etag}`]) {
      const again = await api.request('GET', '/openapi.json', { headers: { 'if-none-match': known } });
      expect(again.status).toBe(304);
      expect(again.text).toBe('');
      expect(again.headers.get('etag')).toBe(etag);
    }
    const other = await api.request('GET', '/openapi.json', { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });
});

describe('GET /', () => {
  it('leads to the dashboard and the reference in development, without a key', async () => {
    const page = await api.request('GET', '/');
    expect(page.status).toBe(200);
    for (const path of ['/dashboard', '/docs', '/openapi.json']) expect(page.text).toContain(`href="${path}"`);
  });

  it('is nothing in other environments', async () => {
    const staging = await api.startReplica({ ENVIRONMENT: 'staging' });
    const answer = await staging.request('GET', '/');
    expect(answer.body).toEqual({ code: 'not_found', message: 'There is nothing at this path.', status: 404 });
  });
});

describe('/docs', () => {
  it('is a page whose policy allows only our files, and no inline script or style', async () => {
    const page = await api.request('GET', '/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(
      /default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(page.text).not.toMatch(
      /<script>|<style>|\sstyle="|(?:src|href)="(?:https?:)?\/\/(?!www\.standardwebhooks\.com)/,
    );
  });

  it('loads files that are there, for ever', async () => {
    const page = await api.request('GET', '/docs');
    const loaded = [...page.text.matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(loaded.length).toBeGreaterThanOrEqual(3);
    for (const path of loaded) {
      const file = await api.request('GET', path);
      expect(file.status).toBe(200);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });

  it.each(['br', 'gzip'])('is stored compressed: %s', async (coding) => {
    const page = await api.request('GET', '/docs', { headers: { 'accept-encoding': coding } });
    expect(page.headers.get('content-encoding')).toBe(coding);
    expect(page.headers.get('vary')).toContain('accept-encoding');
  });

  it('describes each operation: npm run openapi builds it', async () => {
    const { text } = await api.request('GET', '/docs');
    const described = ([id, { summary }]: [string, Operation]) => text.includes(`id="${id}"`) && text.includes(summary);
    expect(Object.entries<Operation>(operations).filter((entry) => !described(entry))).toEqual([]);
  });

  it('does not replace the notice about getPet', async () => {
    expect((await api.request('GET', '/docs/deprecations/get-pet')).text).toContain('is deprecated');
  });
});

describe('/problems', () => {
  it.each(Object.entries(errorStatus))('%s has a page that says what it means', async (code, status) => {
    const page = await api.request('GET', `/problems/${code}`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(page.text).toContain(`<code>${code}</code>, status <code>${status}</code>`);
  });

  it('answers 404 in the error format for an unknown code', async () => {
    expect(Object.keys(errorDescriptions)).not.toContain('toString');
    const answer = await api.request('GET', '/problems/toString');
    expect(answer.body).toEqual({ code: 'not_found', message: 'There is no such problem type.', status: 404 });
  });

  it('is the target of the type of problem details', async () => {
    const problem = await api.request('GET', '/v1/pets', { headers: { accept: 'application/problem+json' } });
    const { type } = JSON.parse(problem.text) as { type: string };
    expect((await api.request('GET', new URL(type).pathname)).text).toContain('<h1>Unauthenticated</h1>');
  });
});
