import { operations, tagGroups, tags, type Operation } from '@pets/contracts';
import type { Config } from '../../platform/config.js';
import { errorExamples, sharedErrorAnswers } from './error-answers.js';
import { guides } from './guides.js';
import { answerHeaders, requestHeaders } from './headers.js';
import { describeOperation, parametersOf } from './operation-object.js';
import { collectSchemas, type OpenApiDocument, type PathItem, type Schemas } from './schemas.js';

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
      description: guides,
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

interface Server {
  readonly url: string;
  readonly description: 'Production' | 'Staging' | 'Development';
}

interface DescribedServers {
  /** URL to which the links in the description lead. */
  readonly url: string;
  readonly servers: readonly Server[];
}

/** Servers in the committed description, with a name that RFC 2606 keeps free for this. */
export const exampleServers: DescribedServers = {
  url: 'https://api.pets.example',
  servers: [
    { url: 'https://api.pets.example', description: 'Production' },
    { url: 'https://api.staging.pets.example', description: 'Staging' },
  ],
};

type ServerConfig = Pick<Config, 'ENVIRONMENT' | 'PUBLIC_URL' | 'PRODUCTION_URL' | 'STAGING_URL'>;

/**
 * The servers that a process describes: its own, first in development, and those of its settings. Without
 * `STAGING_URL`, only staging itself describes a staging server.
 */
export function serversOf({ ENVIRONMENT, PUBLIC_URL, PRODUCTION_URL, STAGING_URL }: ServerConfig): readonly Server[] {
  const ownUrl = (environment: Config['ENVIRONMENT']) => (ENVIRONMENT === environment ? PUBLIC_URL : undefined);
  const named = [
    { url: ownUrl('development'), description: 'Development' },
    { url: PRODUCTION_URL ?? ownUrl('production'), description: 'Production' },
    { url: STAGING_URL ?? ownUrl('staging'), description: 'Staging' },
  ] as const;
  return named.flatMap(({ url, description }) => (url === undefined ? [] : [{ url, description }]));
}
