import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPetsClient, type PetsClient } from '@pets/client';
import { site } from '../projects/bundles.js';
import type { TestApi } from '../harness.js';
import { shareTestApi } from '../shared-api.js';

let api: TestApi;
let pets: PetsClient;

beforeAll(async () => {
  api = await shareTestApi();
  const { key } = await api.createOrganization('pro');
  pets = createPetsClient({ baseUrl: api.url, apiKey: key });
});
afterAll(() => api.close());

describe('the client', () => {
  it('keeps every digit of an int64, both ways', async () => {
    for (const categoryId of [9_007_199_254_740_993n, -9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n]) {
      const { data } = await pets.POST('/v1/pets', { body: { name: 'Rex', categoryId } });
      expect(data).toMatchObject({ name: 'Rex', categoryId, status: 'available' });
      const list = await pets.GET('/v1/pets', { params: { query: { limit: 100, status: 'available' } } });
      expect(list.data?.at(-1)).toEqual(data);
    }
  });

  it('reads ordinary integers as numbers', async () => {
    const { data, response } = await pets.POST('/v1/pets', { body: { name: 'Tom', categoryId: 7 } });
    expect(data?.categoryId).toBe(7);
    expect(typeof data?.id).toBe('number');
    expect(response.headers.get('location')).toBe(`/v1/pets/${data?.id}`);
  });

  it('takes an id of either kind in a path', async () => {
    for (const petId of [9_007_199_254_740_993n, 404_404]) {
      const { error, response } = await pets.GET('/v1/pets/{petId}', { params: { path: { petId } } });
      expect(response.status).toBe(404);
      expect(error?.code).toBe('not_found');
    }
  });

  it('returns errors in the error format', async () => {
    const { error } = await pets.POST('/v1/store/orders', { body: { petId: 404_404, quantity: 1 } });
    expect(error).toEqual({
      code: 'invalid_parameter',
      message: 'petId: there is no such animal',
      status: 400,
      errors: [{ field: 'petId', message: 'there is no such animal' }],
    });
    const stranger = createPetsClient({ baseUrl: api.url, apiKey: 'pets_test_x' });
    expect((await stranger.GET('/v1/pets')).error?.code).toBe('invalid_api_key');
  });

  it('uploads bundles', async () => {
    const project = await pets.POST('/v1/projects', { body: { name: 'Acme', slug: 'read-by-client' } });
    const path = { projectId: project.data?.id ?? '' };
    const { data } = await pets.POST('/v1/projects/{projectId}/deployments', {
      params: { path },
      headers: { 'content-type': 'application/gzip' },
      body: new Blob([new Uint8Array(site)]),
    });
    expect(data).toMatchObject({ state: 'ready', files: 2, ignored: { count: 0, paths: [] } });
    const { data: deployments } = await pets.GET('/v1/projects/{projectId}/deployments', { params: { path } });
    expect(deployments).toHaveLength(1);
    expect(data).toMatchObject(deployments?.[0] ?? { id: 'none' });
  });

  it('returns nothing for an empty response', async () => {
    const session = await pets.POST('/v1/sessions');
    const guest = createPetsClient({ baseUrl: api.url, apiKey: session.data?.secret ?? '' });
    const { response, error } = await guest.DELETE('/v1/sessions/current');
    expect(response.status).toBe(204);
    expect(error).toBeUndefined();
  });

  it('uses the given fetch', async () => {
    const asked: string[] = [];
    const spy = createPetsClient({
      baseUrl: 'https://api.pets.example/',
      apiKey: 'k',
      fetch: async (request) => {
        asked.push(`${request.method} ${request.url} ${request.headers.get('authorization')}`);
        return new Response('[{"id":9007199254740993}]', { headers: { 'content-type': 'application/json' } });
      },
    });
    expect((await spy.GET('/v1/pets')).data).toEqual([{ id: 9_007_199_254_740_993n }]);
    expect(asked).toEqual(['GET https://api.pets.example/v1/pets Bearer k']);
  });
});
