import type { z } from 'zod';
import type { Scope } from '../../enums.js';
import type { ErrorCode } from '../errors.js';

/**
 * One operation of the HTTP interface, as everything that must know of it reads it: what a key needs for it, the interface
 * description, the clients made from that. What holds for every operation is not said here: see `errorsOf`.
 *
 * Schemas say the rest by `meta`: an `id` makes a named schema of the description, `example` is one as it is sent, and
 * `wire` is the JSON Schema of what is sent, where that is parsed into something else.
 */
export type Operation = Description & Access;

/** What the key needs: a scope, or, where no scope says it, to be of a kind. */
type Access =
  { readonly scope: Scope; readonly holder?: KeyHolder } | { readonly scope?: undefined; readonly holder: KeyHolder };

/** The only kind of key that may do it. A session makes no keys, or whoever copies it could stay for ever. */
type KeyHolder = 'api_key' | 'session';

interface Description {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As OpenAPI writes it: `/v1/pets/{petId}`. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly tag: TagName;
  /** Stable unless it says otherwise. */
  readonly stability?: 'experimental' | 'beta';
  readonly deprecated?: Deprecation;
  /** Strict objects: one member a parameter. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: JsonBody | Upload;
  /** Of an operation that changes something: whether an organization that the operator has suspended may do it. */
  readonly isAllowedWhileSuspended?: true;
  /** Whether `If-Match` and `If-None-Match` are heard (RFC 9110 §13.1). */
  readonly isConditional?: true;
  readonly answers: Readonly<Partial<Record<200 | 201 | 202 | 204 | 304, Answer>>>;
  /** The codes that are its own, beyond those of every operation. */
  readonly errors?: readonly ErrorCode[];
}

interface Deprecation {
  /** Instants, RFC 3339. From the sunset on the operation is gone. */
  readonly since: string;
  readonly sunset: string;
}

interface JsonBody {
  readonly schema: z.ZodType;
}

interface Upload {
  readonly mediaType: 'application/gzip';
  readonly description: string;
}

export interface Answer {
  readonly description: string;
  /** None: the answer has no body. */
  readonly schema?: z.ZodType;
  /** Also sent as `text/event-stream`, to whoever likes that better; `Last-Event-ID` resumes it. As an example of a stream. */
  readonly stream?: string;
  /** Beyond those of every answer. */
  readonly headers?: readonly ('Location' | 'Link' | 'ETag' | 'X-Accel-Buffering')[];
}

export type Operations = Readonly<Record<string, Operation>>;

/** The parts of the interface, in the order they are shown. Every operation has one. */
export const tags = {
  animals: 'The animals of the store.',
  orders: 'Orders of animals. Only orders change the status of an animal.',
  projects: 'Sites. Every project has a URL below the platform domain.',
  deployments: 'Bundles of files. A project serves the deployment that was uploaded or activated last.',
  domains: 'Custom domains: DNS verification, certificates and serving are automatic.',
  'domain-config': 'The primary domain and the redirects of a project.',
  webhooks: 'Endpoints that receive events as signed requests (Standard Webhooks).',
  'api-keys': 'The API keys of the organization.',
  sessions:
    'Keys that are valid for twelve hours, for places where an API key should not be stored, such as a browser.',
  audit: 'The log of all changes to the organization.',
} as const;

export type TagName = keyof typeof tags;

/** Chapters of the reference. They hold no operations of their own; every tag is in one of them. */
export const tagGroups = {
  Pets: ['animals'],
  Store: ['orders'],
  Hosting: ['projects', 'deployments'],
  'Custom domains': ['domains', 'domain-config'],
  Webhooks: ['webhooks'],
  Access: ['api-keys', 'sessions', 'audit'],
} as const satisfies Readonly<Record<string, readonly TagName[]>>;
