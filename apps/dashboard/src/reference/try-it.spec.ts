import { describe, expect, it } from '@jest/globals';
import type { Operation, Parameter } from './openapi.js';
import { requestOf } from './try-it.js';

const parameter = (name: string, place: Parameter['in'], type = 'string'): Parameter => ({
  name,
  in: place,
  description: '',
  schema: { type },
});

const operation: Operation = {
  operationId: 'x',
  summary: '',
  description: '',
  tags: [],
  responses: {},
  'x-error-codes': [],
  method: 'post',
  path: '/v1/projects/{projectId}/domains',
  parameters: [
    parameter('projectId', 'path'),
    parameter('q', 'query'),
    parameter('metadata', 'query', 'object'),
    parameter('Idempotency-Key', 'header'),
  ],
};

function send(values: Readonly<Record<string, string>>) {
  return requestOf(operation, {
    apiKey: 'k',
    valueOf: ({ name }) => values[name] ?? '',
    body: '{}',
    mediaType: 'application/json',
  });
}

describe('requestOf', () => {
  it('sends only what was entered', () =>
    expect(send({ projectId: 'p 1' })).toEqual({
      path: '/v1/projects/p%201/domains',
      init: {
        method: 'POST',
        headers: { accept: 'application/json', authorization: 'Bearer k', 'content-type': 'application/json' },
        body: '{}',
      },
    }));

  it('sends query parameters and headers', () => {
    const { path, init } = send({ projectId: 'p', q: 'a&b', metadata: 'tier=gold=1', 'Idempotency-Key': 'i' });
    expect(path).toBe('/v1/projects/p/domains?q=a%26b&metadata%5Btier%5D=gold%3D1');
    expect(init.headers).toHaveProperty('Idempotency-Key', 'i');
  });
});
