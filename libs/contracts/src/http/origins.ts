import { z } from 'zod';
import { originFailures, originHealthStates, originStates } from '../enums.js';
import { MAX_METADATA_KEYS } from './domain-labels.js';
import { originExample } from './origins.example.js';
import { instantSchema } from './scalars.js';

const MAX_HEADERS = 16;
const MAX_HEADERS_BYTES = 8 * 1024;

/** RFC 9110 §5.1. */
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** RFC 9110 §5.5, without obs-text. */
const fieldValue = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/** Fields that the edge sets itself, or that say how a message is read. */
const ownField =
  /^(?:x[-_]pets[-_]|x[-_]forwarded[-_]|signature|proxy)|^(?:forwarded|x[-_]real[-_]ip|x[-_]request[-_]id|via|host|expect|connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-length|http2-settings)$/i;

/** Not those of other services, such as mail. @param port empty: that of the scheme */
function isAllowedPort(port: string): boolean {
  return port === '' || port === '80' || port === '443' || Number(port) >= 1_024;
}

const url = z
  .string()
  .max(2_048)
  .refine((text) => /^https?:\/\/[^\s\\/?#@]+\/?$/i.test(text) && URL.canParse(text), {
    error: 'must be https://host or https://host:port, without user name, path, query or fragment',
  })
  .refine((text) => !URL.canParse(text) || isAllowedPort(new URL(text).port), {
    error: 'must have the port 80, 443, or one from 1024',
  })
  .transform((text) => new URL(text).origin)
  .meta({
    description:
      'Where the application is: `https://host` or `https://host:port`. Path and query are those of the visitor.',
    wire: { type: 'string', format: 'uri', maxLength: 2_048 },
  });

const hostHeader = z
  .string()
  .max(260)
  .regex(/^(?!-)[a-z0-9.-]+(?::\d{1,5})?$/i, { error: 'must be a host name, or a host name and a port' })
  .transform((text) => text.toLowerCase())
  .meta({
    description:
      'The `Host` of the requests, and the name in their TLS handshakes. Null: the host that the visitor asked for.',
    wire: { type: 'string', maxLength: 260 },
  });

function seconds(most: number, usual: number, description: string) {
  return z
    .int()
    .min(1)
    .max(most)
    .default(usual)
    .meta({
      description,
      wire: { type: 'integer', format: 'int32', minimum: 1, maximum: most, default: usual },
    });
}

const timeoutsSchema = z
  .strictObject({
    connect: seconds(30, 5, 'Until a connection is open, TLS included.'),
    answer: seconds(300, 60, 'From the request until the head of the answer.'),
    idle: seconds(3_600, 300, 'Without a byte in either direction: for bodies, event streams and WebSockets.'),
  })
  .meta({ id: 'OriginTimeouts', description: 'Limits in seconds.', example: { connect: 5, answer: 60, idle: 300 } });

const headersSchema = z
  .record(
    z
      .string()
      .regex(fieldName, { error: 'must be the name of a header' })
      .refine((name) => !ownField.test(name), { error: 'is set by the platform' })
      .transform((name) => name.toLowerCase()),
    z.string().max(4_096).regex(fieldValue, { error: 'must be printable ASCII without spaces at its ends' }),
  )
  .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, {
    error: `must have at most ${MAX_HEADERS} headers`,
  })
  .refine((headers) => Object.entries(headers).flat().join('').length <= MAX_HEADERS_BYTES, {
    error: `must have at most ${MAX_HEADERS_BYTES} bytes in all`,
  });

const MAX_CONNECTIONS = 1_000;

const defaultTimeouts = { connect: 5, answer: 60, idle: 300 };

/** Body of putOrigin and putDomainOrigin. */
export const newOriginSchema = z
  .strictObject({
    url,
    hostHeader: hostHeader.nullable().default(null),
    timeouts: timeoutsSchema.default(defaultTimeouts),
    headers: headersSchema
      .optional()
      .describe(
        'Headers that every request gets, such as a shared secret by which the application knows the platform. They are ' +
          'stored encrypted and never shown again. Absent: those that are stored stay.',
      ),
    metadata: z.array(z.string().min(1).max(40)).max(MAX_METADATA_KEYS).default([]).meta({
      description:
        'Keys of the metadata of a domain that the application gets with each request, as JSON in `X-Pets-Metadata`.',
    }),
    maxConnections: z
      .int()
      .min(1)
      .max(MAX_CONNECTIONS)
      .default(100)
      .meta({
        description: 'Connections to the application that each edge may have open at a time.',
        wire: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_CONNECTIONS, default: 100 },
      }),
  })
  .meta({
    id: 'NewOrigin',
    description: 'An application that answers the visitors of a project, or of one domain.',
    example: { url: 'https://app.example.net', headers: { 'x-platform-secret': 'S3CRET' }, metadata: ['tier'] },
  });

export type NewOrigin = z.infer<typeof newOriginSchema>;

const testSchema = z
  .object({
    startedAt: instantSchema,
    finishedAt: instantSchema.nullable().describe('Null while no edge has reported a result.'),
    passed: z.boolean().nullable().describe('Whether an edge got an answer with a status below 500; null before that.'),
    status: z.int().nullable().describe('The HTTP status of the answer.'),
    failure: z
      .object({ code: z.enum(originFailures), detail: z.string() })
      .readonly()
      .nullable()
      .describe('Why there was no answer.'),
    address: z.string().nullable().describe('The IP address that the edge connected to.'),
    durationMs: z.int().nullable(),
  })
  .readonly()
  .meta({ id: 'OriginTest', description: 'What an edge got when it asked the application for `/`.' });

const healthSchema = z
  .object({
    state: z
      .enum(originHealthStates)
      .describe(
        '`failing`: for 30 seconds a majority of the edges could open no connection to it; `reachable` again when a majority ' +
          'could for 30 seconds.',
      ),
    since: instantSchema,
    failure: z
      .object({ code: z.enum(originFailures), detail: z.string() })
      .readonly()
      .nullable()
      .describe('Why most of these edges cannot; null while it is `reachable`.'),
  })
  .readonly()
  .meta({
    id: 'OriginHealth',
    description:
      'Whether the edges can connect to the application. Answers, of any status, and time-outs of answers do not count.',
  });

export const originSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    domainId: z.uuid().nullable().describe('The domain whose own it is. Null: it is the origin of the project.'),
    url: z.string(),
    hostHeader: z.string().nullable(),
    timeouts: z
      .object({ connect: z.int(), answer: z.int(), idle: z.int() })
      .readonly()
      .describe('Limits in seconds: until a connection is open, until the head of an answer, and without a byte.'),
    headers: z.array(z.string()).readonly().describe('The names of the headers that requests get.'),
    metadata: z.array(z.string()).readonly(),
    maxConnections: z.int(),
    state: z
      .enum(originStates)
      .describe(
        '`testing`: no edge has tested it yet; visitors get what they would without it until then. `serving`: visitors are ' +
          'forwarded to it. `failed`: its test failed before it ever served.',
      ),
    test: testSchema,
    health: healthSchema.nullable().describe('Null before it serves.'),
    createdAt: instantSchema,
    updatedAt: instantSchema,
  })
  .readonly()
  .meta({
    id: 'Origin',
    description:
      'The application that answers the visitors of a project, or of one domain. Once a test has passed, all hosts of the ' +
      'project are forwarded to it, but domains that serve a channel or have an origin of their own. Deployments are kept, ' +
      'but not served.',
    example: originExample,
  });

export type Origin = z.infer<typeof originSchema>;
