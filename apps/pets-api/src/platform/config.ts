import { resolve } from 'node:path';
import { MAX_PUBLIC_ADDRESSES } from '@pets/contracts';
import { addressKey, findAddressFault, parseCaLimits } from '@pets/domains';
import { findKeyFault } from '@pets/messaging/message-mac';
import { isRedisAddress } from '@pets/messaging/redis-address';
import type { DatabaseAddress } from '@pets/persistence';
import { setting } from '@pets/platform';
import { z } from 'zod';
import { isBelowPlatform, parseOrigin } from './dashboard-origin.js';
import { retentionSettings } from './retention-settings.js';
import { findSignInFault, signInSettings } from './sign-in-settings.js';

/** In either case. */
const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Every setting of pets-api. Read once, at start; each secret may come as `NAME_FILE`. */
export const settingsSchema = z.object({
  /** Selects the accepted API keys: `pets_live_…` in production, `pets_test_…` elsewhere. */
  ENVIRONMENT: z.enum(['production', 'staging', 'development']).default('production'),
  /** Address to listen at. */
  HOST: z.string().default('0.0.0.0'),
  /** Port of the API, the dashboard and the documentation. */
  PORT: setting.port().default(3000),
  /** Base URL that clients use: in `Link` headers and problem types. */
  PUBLIC_URL: setting.baseUrl().default('http://localhost:3000'),
  /**
   * Origin at which browsers open the dashboard; without it that of `PUBLIC_URL`: [The origin of the
   * dashboard](docs/operations/security.md#the-origin-of-the-dashboard).
   */
  DASHBOARD_ORIGIN: setting.parsed(parseOrigin).optional(),
  /** Base URL of the production system in `/openapi.json`; in production `PUBLIC_URL` is enough. */
  PRODUCTION_URL: z.url().optional(),
  /** Base URL of the staging system in `/openapi.json`; in staging `PUBLIC_URL` is enough. */
  STAGING_URL: z.url().optional(),
  /** Port at which visitors reach the edges over TLS, for URLs of projects. The same at the edges. */
  PUBLIC_HTTPS_PORT: setting.port().default(443),
  /**
   * PostgreSQL, or a pooler in transaction mode before it: [Connections to
   * PostgreSQL](docs/operations/postgresql.md#connections-to-postgresql).
   */
  DATABASE_URL: z.url(),
  /** PostgreSQL itself, if `DATABASE_URL` is a pooler: for LISTEN, session locks, queues and migrations. */
  DATABASE_SESSION_URL: z.url().optional(),
  /**
   * Whether connections keep prepared statements; PgBouncer supports them from 1.21 on.
   * @defaultValue `true` without `DATABASE_SESSION_URL`
   */
  DATABASE_PREPARED: setting.flag().optional(),
  /** The largest number of connections for transactions; seven more are for keys, the store and LISTEN. */
  DATABASE_POOL_SIZE: setting.integer().pipe(z.int().min(4).max(100)).default(8),
  /**
   * Redis or Valkey for queues and rate limits, in one of [these forms](docs/operations/redis.md#redis_url). Without it
   * the queues are in PostgreSQL, and each pets-api counts requests alone. The same at the worker.
   */
  REDIS_URL: z.string().refine(isRedisAddress, 'is not a Redis address').optional(),
  /**
   * Requests that an organization may send per minute if its plan has no row for it; 0 turns the limit off for
   * everyone: [Limits](docs/operations/administration.md#limits).
   */
  RATE_LIMIT_PER_MINUTE: setting.integer().default(1000),
  /**
   * Wrong API keys that a client address (of IPv6, a /64) may send to one pets-api per minute before its look-ups take
   * turns; 0 for no limit: [Client addresses](docs/operations/security.md#client-addresses).
   */
  WRONG_KEYS_PER_MINUTE: setting.integer().default(60),
  /**
   * Sign-ins at the dashboard of an API key, or begun at the identity provider by a client address, and set-up links opened
   * by one, at one pets-api per minute; 0 for no limit: [Client addresses](docs/operations/security.md#client-addresses).
   */
  SIGN_INS_PER_MINUTE: setting.integer().default(60),
  /**
   * Event streams that an organization may have open on one pets-api if its plan has no row for it:
   * [Limits](docs/operations/administration.md#limits).
   */
  EVENT_STREAMS_PER_KEY: setting.integer().default(100),
  /**
   * Webhooks that each worker sends at the same time; a receiver may take twenty seconds to answer. Organizations share
   * them. The same at the worker.
   */
  WEBHOOK_CONCURRENCY: setting.integer().pipe(z.int().min(1).max(1_000)).default(128),
  /** Event streams that one pets-api keeps open in total; one organization may have half of them. */
  EVENT_STREAMS: setting.integer().default(5_000),
  ...signInSettings,
  /** Secret that the keys of cursors and of sign-ins in progress are derived from. The same at every pets-api. */
  APP_SECRET: z.string().min(32),
  /**
   * Key-encryption keys, `id:base64,…`, 32 bytes each: the first one encrypts, all decrypt. The same at the edges:
   * [Key-encryption keys](docs/operations/rotate-secrets.md#key-encryption-keys).
   */
  CERTIFICATE_KEKS: setting.keyRing(),
  /** Bearer token of the edges. */
  EDGE_TOKEN: z.string().min(16),
  /**
   * Secret of [another gateway](docs/operations/edge.md#another-gateway), which reads certificates with their private
   * keys; without it none can.
   */
  GATEWAY_TOKEN: z.string().min(32).optional(),
  /**
   * Keys that sign jobs for the worker, `id:base64,…`, 32 bytes each; the first one signs. The same at the worker:
   * [Signed messages](docs/operations/security.md#signed-messages).
   */
  QUEUE_KEYS_JOBS: setting.keyRing(),
  /** Keys that verify events of the worker, other ones in the same format. The same at the worker. */
  QUEUE_KEYS_EVENTS: setting.keyRing(),
  /** Zone of projects and CNAME targets. The same at the edges. */
  PLATFORM_DOMAIN: z.string().min(1),
  /**
   * Public addresses at which this platform alone answers, comma-separated: owners of an apex may enter them where their DNS
   * provider has no ALIAS. They are the first content of a list in the database, and are read while it is empty: [Public
   * addresses](docs/operations/administration.md#public-addresses).
   */
  PUBLIC_ADDRESSES: setting
    .list()
    .pipe(
      z
        .array(
          z.string().superRefine((address, context) => {
            const fault = findAddressFault(address);
            if (fault !== null) context.addIssue({ code: 'custom', message: fault.problem });
          }),
        )
        .max(MAX_PUBLIC_ADDRESSES)
        .refine((all) => new Set(all.map(addressKey)).size === all.length, 'has an address twice'),
    )
    .default([]),
  /**
   * Zone in which the worker publishes answers to DNS-01 challenges, such as `acme.<platform domain>`; without it only
   * HTTP-01 is used. The same at the worker: [Challenges by DNS](docs/operations/dns-challenges.md).
   */
  ACME_DNS_ZONE: setting.dnsZone().optional(),
  /**
   * Whether pets-api orders the certificate of `*.<platform domain>`, which needs `ACME_DNS_ZONE`: [The platform’s
   * certificate](docs/operations/platform-certificate.md). Turn it off where edges have `PLATFORM_CERTIFICATE`.
   */
  ISSUE_PLATFORM_CERTIFICATE: setting.flag().default(true),
  /**
   * Names below `PLATFORM_DOMAIN` that no project can take, comma-separated, in addition to [those reserved
   * everywhere](docs/reserved-names.md).
   */
  RESERVED_NAMES: setting
    .list()
    .pipe(z.array(z.string().regex(hostLabel, 'is not a host name label')))
    .default([]),
  /**
   * Deployed files, snapshots and certificates: `file:///…` or
   * `s3://bucket/prefix?endpoint=…&region=…&forcePathStyle=true`. The same at the edges:
   * [Storage](docs/operations/storage.md).
   */
  STORAGE_URL: z.url(),
  /**
   * Bytes of temporary files that all uploads of one pets-api may have together, below `TMPDIR`: [Disk use of
   * deployments](docs/operations/storage.md#disk-use-of-deployments).
   */
  UPLOAD_SPACE_BYTES: setting.integer().default(3 * 1024 * 1024 * 1024),
  /**
   * ACME directories where certificates are ordered, comma-separated: the next one takes over if a CA fails. The same
   * at the worker: [Another CA](docs/operations/certificates.md#another-ca).
   */
  ACME_DIRECTORY_URLS: setting.list().pipe(z.array(z.url()).min(1)),
  /**
   * Limits that CAs have granted instead of their published ones, `DIRECTORY|KIND=MAX/WINDOW|KIND=none`,
   * comma-separated: [Limits of a CA](docs/operations/certificates.md#limits-of-a-ca).
   */
  ACME_LIMITS: setting.parsed(parseCaLimits).default(new Map()),
  /** Certificate profile, requested if the CA advertises it: `classic`, `tlsserver`, `shortlived`. */
  ACME_PROFILE: z.string().optional(),
  /**
   * Days for which custom domains are served after a change to a plan without them. Set it for the administrator’s
   * command too: [A plan without custom domains](docs/operations/administration.md#a-plan-without-custom-domains).
   */
  PLAN_GRACE_DAYS: setting.integer().pipe(z.int().max(3_650)).default(14),
  /**
   * Days for which certificates are ordered by DNS-01 for a name that is prepared for a switch and still points
   * elsewhere.
   */
  PREPARE_MAX_DAYS: setting.integer().pipe(z.int().min(1).max(3_650)).default(90),
  /** Seconds until the issuance of a missing certificate may be retried by its owner. */
  REVERIFY_AFTER: setting.integer().default(1800),
  /** Whether `.test`, `.local` and the like can be added, for development. */
  ALLOW_SPECIAL_USE_NAMES: setting.flag().default(false),
  /** Whether webhooks may use plain HTTP and private networks, for development. The same at the worker. */
  ALLOW_PRIVATE_WEBHOOK_TARGETS: setting.flag().default(false),
  /**
   * Seconds that an edge may serve without contact to pets-api; until then removals wait for it. The same at the edges.
   */
  EDGE_MAX_STALENESS: setting.integer().default(86_400),
  /**
   * Edges that must present a new certificate before its domain is live, in different regions; a smaller fleet is
   * probed completely: [Probes of certificates](docs/operations/edge.md#probes-of-certificates).
   */
  PROBE_EDGES: setting.integer().pipe(z.int().min(1).max(100)).default(3),
  ...retentionSettings,
  /**
   * Addresses and networks of the proxies whose `X-Forwarded-For` is believed, comma-separated, or `none`: [Client
   * addresses](docs/operations/security.md#client-addresses).
   */
  TRUSTED_PROXIES: z
    .literal('none')
    .transform((): string[] => [])
    .or(setting.networks())
    .default([]),
  /**
   * Folder of the built dashboard; without a build `/dashboard` does not exist.
   * @defaultValue beside pets-api
   */
  DASHBOARD_FOLDER: z.string().default(resolve(import.meta.dirname, '../../../dashboard/dist')),
  /**
   * Port of `/internal` and `/metrics`; without it `/internal` is at `PORT`, with a warning at start: [The
   * internal port](docs/operations/security.md#the-internal-port).
   */
  INTERNAL_PORT: setting.port().optional(),
  /** Whether `/internal` is at `PORT` as well, while edges and gateways move to `INTERNAL_PORT`. */
  INTERNAL_ALSO_PUBLIC: setting.flag().default(false),
  /** Another port with `/metrics` only, for a network that lets Prometheus reach less than the edges. */
  METRICS_PORT: setting.port().optional(),
  /**
   * Base URL of an OTLP/HTTP receiver of traces, such as `http://collector:4318`; without it nothing is traced. The
   * same at all three processes: [Traces](docs/operations/monitoring.md#traces).
   */
  OTEL_EXPORTER_OTLP_ENDPOINT: setting.baseUrl().optional(),
  /** Headers for it, `name=value`, comma-separated and percent-encoded. A secret if they contain a token. */
  OTEL_EXPORTER_OTLP_HEADERS: setting.traceHeaders(),
  /**
   * Sampler of traces. `parentbased_…` follows the decision of the caller, and decides about traces that start here.
   * @defaultValue `parentbased_always_on`
   */
  OTEL_TRACES_SAMPLER: setting.traceSampler(),
  /**
   * The share of traces that a ratio sampler records; the same at all three processes.
   * @defaultValue `1`
   */
  OTEL_TRACES_SAMPLER_ARG: setting.traceRatio(),
  /** The lowest level that is logged. */
  LOG_LEVEL: setting.logLevel(),
});

/** The settings with the checks across fields. */
export const configSchema = settingsSchema
  .refine(({ PORT, INTERNAL_PORT }) => PORT !== INTERNAL_PORT || PORT === 0, {
    path: ['INTERNAL_PORT'],
    error: 'must not be the same as PORT',
  })
  .refine((config) => !isBelowPlatform(config), {
    path: ['DASHBOARD_ORIGIN'],
    error:
      'is at or below PLATFORM_DOMAIN, where sites of customers are: use another (the default is that of PUBLIC_URL)',
  })
  .refine(
    ({ ACME_LIMITS, ACME_DIRECTORY_URLS }) => [...ACME_LIMITS.keys()].every((url) => ACME_DIRECTORY_URLS.includes(url)),
    { path: ['ACME_LIMITS'], error: 'is for a CA that is not in ACME_DIRECTORY_URLS' },
  )
  .refine(
    ({ ACME_LIMITS, RETENTION_CERTIFICATES }) =>
      [...ACME_LIMITS.values()].flat().every(({ windowMs }) => windowMs < RETENTION_CERTIFICATES * DAY_MS),
    { path: ['RETENTION_CERTIFICATES'], error: 'is not longer than a window of ACME_LIMITS' },
  )
  .refine(({ ACME_DNS_ZONE, PLATFORM_DOMAIN }) => ACME_DNS_ZONE !== PLATFORM_DOMAIN.toLowerCase(), {
    path: ['ACME_DNS_ZONE'],
    error: 'must not be PLATFORM_DOMAIN, where projects are: use a zone below it',
  })
  .superRefine((config, context) => {
    const fault = findSignInFault(config);
    if (fault !== null) context.addIssue({ code: 'custom', path: [fault.name], message: fault.message });
  })
  .superRefine((config, context) => {
    const fault = findKeyFault(config);
    if (fault !== null) context.addIssue({ code: 'custom', path: [fault.name], message: fault.message });
  });

export type Config = z.infer<typeof configSchema>;

/** The settings that say where the database is. */
export const databaseSettings = { DATABASE_URL: true, DATABASE_SESSION_URL: true, DATABASE_PREPARED: true } as const;

export function databaseAddressOf(config: Pick<Config, keyof typeof databaseSettings>): DatabaseAddress {
  return { url: config.DATABASE_URL, sessionUrl: config.DATABASE_SESSION_URL, prepared: config.DATABASE_PREPARED };
}

/** PostgreSQL itself, without a pooler. */
export function sessionUrlOf(config: Pick<Config, 'DATABASE_URL' | 'DATABASE_SESSION_URL'>): string {
  return config.DATABASE_SESSION_URL ?? config.DATABASE_URL;
}
