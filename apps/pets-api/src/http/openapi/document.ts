import { operations, tagGroups, tags, type Operation } from '@pets/contracts';
import { errorExamples, sharedErrorAnswers } from './error-answers.js';
import { answerHeaders, requestHeaders } from './headers.js';
import type { OpenApiDocument, PathItem } from './openapi-types.js';
import { describeOperation, parametersOf } from './operation-object.js';
import { collectSchemas, type Schemas } from './schemas.js';
import type { DescribedServers } from './servers.js';

const description = `Custom domains for your customers: checks DNS, gets the certificate, serves the site. Comes with a small pet-store API.

**Keys.** Every operation requires an API key as a bearer token. The scopes of a key decide what it may do.

**Errors.** Every error response has \`code\`, \`message\` and \`status\`; \`code\` is one of a closed list. If fields of the
request are not valid, \`errors\` lists all of them and \`message\` names the first. A client that accepts \`application/problem+json\` gets problem details (RFC 9457).

**Pages.** If a list has another page, its \`Link\` header contains \`rel="next"\`. Do not construct cursors yourself.

**Retries.** Every POST takes an \`Idempotency-Key\`: for 24 hours the same key with the same body gets the same response.

**Limits.** If a limit is set, \`RateLimit\` says how much of it is left, and \`429\` has \`Retry-After\`.

**Numbers.** Integers of format \`int64\` range from -9223372036854775808 to 9223372036854775807 and have all their
digits: a client must not parse them into a double.

**Methods.** Every path with GET supports HEAD; OPTIONS lists the methods of a path.`;

/**
 * The whole interface, OpenAPI 3.1, from the catalog of operations.
 */
export function describeApi({ url, servers }: DescribedServers): OpenApiDocument {
  const schemas = collectSchemas();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pets',
      version: '1.0.0',
      summary:
        'Custom domains for your customers: checks DNS, gets the certificate, serves the site. Comes with a small pet-store API.',
      description,
      contact: { name: 'Pets', url },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers,
    security: [{ bearerAuth: [] }],
    tags: Object.entries(tags).map(([name, says]) => ({ name, description: says })),
    'x-tagGroups': Object.entries(tagGroups).map(([name, members]) => ({ name, tags: members })),
    paths: describePaths(schemas),
    components: {
      securitySchemes: {
        bearerAuth: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'pets_live_… or pets_test_…',
          description: 'An API key, or the key of a session.',
        },
      },
      schemas: schemas.components,
      parameters: requestHeaders,
      headers: answerHeaders,
      responses: sharedErrorAnswers(schemas),
      examples: errorExamples(url),
    },
  };
}

/** Operations by path and method, each path with its own parameters. */
function describePaths(schemas: Schemas): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    const { path, method, params } = operation;
    const common = params === undefined ? {} : { parameters: parametersOf(schemas, params, 'path') };
    paths[path] = { ...(paths[path] ?? common), [method]: describeOperation(schemas, id, operation) };
  }
  return paths;
}
