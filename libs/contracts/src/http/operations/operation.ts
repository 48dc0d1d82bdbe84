import type { z } from 'zod';
import type { Scope } from '../../enums.js';
import type { ErrorCode } from '../errors.js';

/**
 * One operation of the HTTP API. It is the source of access checks, the OpenAPI document and the generated client. `errorsOf`
 * adds the errors that all operations have.
 *
 * Schemas add metadata with `meta`: `id` makes a named schema in the OpenAPI document, `example` is an example as it is sent,
 * and `wire` is the JSON Schema of what is sent if it is parsed into another type.
 */
export type Operation = Description & Access;

/** Requirements on the key: a scope, a kind of key, or both. */
type Access =
  { readonly scope: Scope; readonly holder?: KeyHolder } | { readonly scope?: undefined; readonly holder: KeyHolder };

/**
 * The only kind of key that is allowed. A session cannot create keys, so that a stolen session ends. `recent` allows an API
 * key, and the session of a person who signed in a short time ago. `setup_link` is the token of a set-up link, which no other
 * operation accepts, and `anybody` no key at all.
 */
type KeyHolder = 'api_key' | 'session' | 'recent' | 'setup_link' | 'anybody';

interface Description {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path as OpenAPI writes it: `/v1/pets/{petId}`. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly tag: TagName;
  /** Default: stable. */
  readonly stability?: 'experimental' | 'beta';
  readonly deprecated?: Deprecation;
  /** Strict objects with one member for each parameter. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: JsonBody | Upload;
  /** For a changing operation: whether an organization that the operator suspended may call it. */
  readonly isAllowedWhileSuspended?: true;
  /** For a `POST` that does no harm when it is repeated: it takes no `Idempotency-Key`. Its answer may be too large to keep. */
  readonly isRepeatable?: true;
  /** The path parameter that, if it is the key of the caller, allows the request without the scope. */
  readonly ownKeyParam?: string;
  /** Whether `If-Match` and `If-None-Match` are supported (RFC 9110 §13.1). Elsewhere an `If-Match` with tags is refused. */
  readonly isConditional?: true;
  readonly answers: Readonly<Partial<Record<200 | 201 | 202 | 204 | 304, Answer>>>;
  /** Error codes in addition to those of every operation. */
  readonly errors?: readonly ErrorCode[];
}

interface Deprecation {
  /** RFC 3339. From `sunset` on, the operation answers 410. */
  readonly since: string;
  readonly sunset: string;
}

interface JsonBody {
  readonly schema: z.ZodType;
  /** Default: 64 KiB. */
  readonly maxBytes?: number;
}

export interface Upload {
  readonly mediaTypes: readonly ('application/gzip' | 'image/png' | 'image/webp' | FileType)[];
  readonly maxBytes: number;
  /** Whether `Content-Encoding: gzip` is supported. */
  readonly mayBeGzipped?: true;
  readonly description: string;
}

/** Files of lines, as they are uploaded and downloaded. */
type FileType = 'application/x-ndjson' | 'text/csv';

export interface Answer {
  readonly description: string;
  /** Absent if the answer has no body. */
  readonly schema?: z.ZodType;
  /** The types of a file, if the answer is one. */
  readonly mediaTypes?: readonly FileType[];
  /** An example of the stream, if the answer is `text/event-stream`, or available as that as well. */
  readonly stream?: string;
  /** Whether the stream continues after the event of `Last-Event-ID`. */
  readonly isResumable?: true;
  /** Headers in addition to those of every answer. */
  readonly headers?: readonly ('Location' | 'Link' | 'ETag' | 'X-Accel-Buffering')[];
}

export type Operations = Readonly<Record<string, Operation>>;

/** The sections of the API reference, in order. Every operation has one. */
export const tags = {
  animals: 'The animals of the store.',
  orders: 'Orders of animals. Only orders change the status of an animal.',
  projects: 'Sites. Every project has a URL below the platform domain.',
  deployments: 'Bundles of files. A project serves the deployment that was uploaded or activated last.',
  channels: 'Addresses of a project that serve a deployment of their own, such as previews.',
  origins: 'Applications that answer the visitors of a project or of one domain, in the place of a deployment.',
  domains: 'Custom domains: DNS verification, certificates and serving are automatic.',
  'set-up': 'Links with which the owner of a domain sets it up without an account, and what their pages read.',
  'domain-imports': 'Files of up to 100 000 domains that are added or removed in the background.',
  'domain-config': 'The primary domain and the redirects of a project.',
  webhooks: 'Endpoints that receive events as signed requests (Standard Webhooks).',
  'api-keys': 'The API keys of the organization.',
  people:
    'The people of the organization, who sign in to the dashboard with the identity provider of the operator, and ' +
    'invitations of further people.',
  sessions:
    'Keys that are valid for twelve hours, for places where an API key should not be stored, such as a browser.',
  audit: 'The log of all changes to the organization.',
} as const;

export type TagName = keyof typeof tags;

/** The chapters of the API reference. Every tag is in one of them. */
export const tagGroups = {
  Pets: ['animals'],
  Store: ['orders'],
  Hosting: ['projects', 'deployments', 'channels', 'origins'],
  'Custom domains': ['domains', 'set-up', 'domain-imports', 'domain-config'],
  Webhooks: ['webhooks'],
  Access: ['api-keys', 'people', 'sessions', 'audit'],
} as const satisfies Readonly<Record<string, readonly TagName[]>>;
