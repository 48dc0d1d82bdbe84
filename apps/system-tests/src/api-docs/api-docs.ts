/**
 * The generated parts of docs/api.md and docs/errors.md: transcripts of `curl` against a running pets-api. A test runs them
 * again and compares, so that the pages show the real answers.
 */
import { join } from 'node:path';
import { errorDescriptions, errorStatus, type ErrorCode } from '@pets/contracts';
import { repositoryRoot } from '@pets/testing/processes';
import type { ApiFixture } from './api-fixture.js';
import { errorTranscripts } from './error-transcripts.js';
import { runTranscript, type Transcript } from './run-transcript.js';

/** The transcripts of the guide, by region. They run in this order, in one store that is empty before the first. */
const guideTranscripts: Readonly<Record<string, Transcript>> = {
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

export const API_DOCS_PATHS = ['docs/api.md', 'docs/errors.md'].map((path) => join(repositoryRoot, path));

/** Each code with its answer, in the order of the list. The last ones stop the fixture's database. */
const codes = Object.keys(errorStatus) as ErrorCode[]; // the keys of a constant

/** The content of every region, by name. The fixture cannot be used afterwards. */
export async function makeRegions(fixture: ApiFixture): Promise<ReadonlyMap<string, string>> {
  const regions = new Map<string, string>();
  for (const [name, transcript] of Object.entries(guideTranscripts)) {
    regions.set(name, await runTranscript(fixture, transcript));
  }
  const errors: string[] = [];
  for (const code of codes) {
    const heading = `### \`${code}\` (${errorStatus[code]})`;
    const transcript = await runTranscript(fixture, errorTranscripts[code]);
    if (!transcript.includes(`"code":"${code}"`)) throw new Error(`this is not ${code}:\n${transcript}`);
    errors.push(heading, errorDescriptions[code].meaning, transcript);
  }
  return regions.set('errors', errors.join('\n\n'));
}

/** The codes that a text has a heading for, in its order. */
export function documentedCodes(text: string): string[] {
  return [...text.matchAll(/^### `(\w+)` \(\d+\)$/gm)].map(([, code = '']) => code);
}
