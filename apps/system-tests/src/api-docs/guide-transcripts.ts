import type { Transcript } from './run-transcript.js';

/** The transcripts of the guide, by region. They run in this order, in one store that is empty before the first. */
export const guideTranscripts: Readonly<Record<string, Transcript>> = {
  'first-call': {
    commands: [
      `curl -i "$API/v1/pets" -H "Authorization: Bearer $KEY" --json '{"name":"Rex","categoryId":9007199254740993}'`,
      'curl -i "$API/v1/pets" -H "Authorization: Bearer $KEY"',
    ],
  },
  pages: {
    arrange: async ({ client }) => {
      for (const name of ['Tom', 'Ada']) await client.POST('/v1/pets', { body: { name, categoryId: 1 } });
      return {};
    },
    commands: ['curl -i "$API/v1/pets?limit=2&status=available" -H "Authorization: Bearer $KEY"'],
  },
  replay: {
    commands: [
      `curl -i "$API/v1/store/orders" -H "Authorization: Bearer $KEY" \\
    -H 'Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324"' --json '{"petId":2,"quantity":1}'`,
      `curl -i "$API/v1/store/orders" -H "Authorization: Bearer $KEY" \\
    -H 'Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324"' --json '{"quantity":1,"petId":2}'`,
    ],
  },
  'rate-limit': {
    arrange: async ({ createFreeTenant }) => ({ variables: { KEY: (await createFreeTenant('quiet-docs')).key } }),
    commands: ['curl -i "$API/v1/pets?limit=1&status=sold" -H "Authorization: Bearer $KEY"'],
    shown: ['ratelimit-policy', 'ratelimit'],
  },
  tracing: {
    commands: [
      `curl -i "$API/v1/pets?status=sold" -H "Authorization: Bearer $KEY" \\
    -H 'X-Request-Id: nightly-sync-17' \\
    -H 'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'`,
    ],
    shown: ['x-request-id'],
  },
  problem: {
    commands: [
      `curl -i "$API/v1/pets?limit=0" -H "Authorization: Bearer $KEY" \\
    -H 'Accept: application/json;q=0.9, application/problem+json' -H 'X-Request-Id: nightly-sync-18'`,
    ],
    shown: ['x-request-id'],
  },
  deprecation: {
    commands: ['curl -i "$API/v1/pets/1" -H "Authorization: Bearer $KEY"'],
  },
};
