import { resolve } from 'node:path';
import { parseCaAccounts, parseCaLimits } from '@pets/domains';
import { findKeyFault, macPolicies } from '@pets/messaging/message-keys';
import { isRedisAddress } from '@pets/messaging/redis-address';
import type { DatabaseAddress } from '@pets/persistence';
import { setting } from '@pets/platform';
import { z } from 'zod';

/** In either case. */
const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** For how many days rows are kept: docs/retention.md. */
export const retentionSettings = {
  /** Days for which audit events are kept. */
  AUDIT_RETENTION_DAYS: setting.integer().pipe(z.number().min(1)).default(400),
  /** Days for which certificates are kept after their expiry, and attempts without one; longer than the windows of limits. */
  RETENTION_CERTIFICATES: setting.integer().pipe(z.int().min(8).max(3_650)).default(30),
  /** Days for which a removed domain can be read. */
  RETENTION_REMOVED_DOMAINS: setting.integer().pipe(z.int().min(30).max(3_650)).default(180),
  /** Days for which an organization keeps the claim to a name, and its tokens, after the last row of the domain. */
  RETENTION_CLAIMS: setting.integer().pipe(z.int().min(30).max(3_650)).default(400),
  /** Days for which lines of the history of domains are kept, and up to a quarter longer. */
  RETENTION_EVENTS: setting.integer().pipe(z.int().min(32).max(3_650)).default(400),
  /** Days for which webhook deliveries can be read and replayed; their retries take three. */
  RETENTION_DELIVERIES: setting.integer().pipe(z.int().min(4).max(3_650)).default(30),
};

/** Every setting of pets-api. Read once, at start; each secret may come as `NAME_FILE`. */
export const settingsSchema = z.object({
  /** Which API keys are taken: `pets_live_` in production, `pets_test_` elsewhere. */
  ENVIRONMENT: z.enum(['production', 'staging', 'development']).default('production'),
  /** Address to listen at. */
  HOST: z.string().default('0.0.0.0'),
  PORT: setting.port().default(3000),
  /** Base URL that clients use, for `Link` headers. */
  PUBLIC_URL: setting.baseUrl().default('http://localhost:3000'),
  /** Base URL of the production system, for the interface description; without it, in production, `PUBLIC_URL`. */
  PRODUCTION_URL: z.url().optional(),
  /** Base URL of the staging system, for the interface description; without it only staging itself names one. */
  STAGING_URL: z.url().optional(),
  /** Port at which visitors reach the edge over TLS, for the URLs of projects. */
  PUBLIC_HTTPS_PORT: setting.port().default(443),
  /** PostgreSQL, the only store of truth; or a pooler before it in transaction mode, such as PgBouncer. */
  DATABASE_URL: z.url(),
  /** PostgreSQL itself, where `DATABASE_URL` is a pooler: for LISTEN, session locks, queues and migrations. */
  DATABASE_SESSION_URL: z.url().optional(),
  /** Whether connections keep prepared statements; by default not with `DATABASE_SESSION_URL`, as PgBouncer below 1.21 needs. */
  DATABASE_PREPARED: setting.flag().optional(),
  /** The largest number of connections for transactions; six more are for the store and for LISTEN. */
  DATABASE_POOL_SIZE: setting.integer().pipe(z.int().min(4).max(100)).default(8),
  /** Redis or Valkey for BullMQ and rate limits; without it BullMQ uses its PostgreSQL backend, and replicas count alone. */
  REDIS_URL: z.string().refine(isRedisAddress, 'is not a Redis address').optional(),
  /** Requests an organization may send per minute if its plan has no row; 0 turns the limit off for everyone. */
  RATE_LIMIT_PER_MINUTE: setting.integer().default(1000),
  /** Wrong API keys that a client address (of IPv6, a /64) may send to one replica per minute; 0 for no limit. */
  WRONG_KEYS_PER_MINUTE: setting.integer().default(0),
  /** Streams of events an organization may have open on one replica, where its plan has no row for it. */
  EVENT_STREAMS_PER_KEY: setting.integer().default(100),
  /** Streams of events one replica keeps open in all; one organization has half of them at most. */
  EVENT_STREAMS: setting.integer().default(5_000),
  /** Secret that the cursor key is derived from: at least 32 characters. */
  APP_SECRET: z.string().min(32),
  /** Key-encryption keys, `id:base64,id:base64`; the first one seals. */
  CERTIFICATE_KEKS: setting.keyRing(),
  /** Bearer token of the edges. */
  EDGE_TOKEN: z.string().min(16),
  /** Secret of gateways that are not ours and ask for certificates with their keys; without it none may. */
  GATEWAY_TOKEN: z.string().min(32).optional(),
  /** Secret of the administrator, for the board of queues at `/admin/queues`; without it there is none. */
  ADMIN_TOKEN: z.string().min(32).optional(),
  /** Keys that jobs for the worker are signed with, `id:base64`; the first one signs. Same value at the worker. */
  QUEUE_KEYS_JOBS: setting.keyRing().optional(),
  /** Keys that events of the worker are checked with, likewise. */
  QUEUE_KEYS_EVENTS: setting.keyRing().optional(),
  /** Whether events without a MAC are taken: `accept` until every process signs, then `require`. */
  QUEUE_MAC: z.enum(macPolicies).default('accept'),
  /** Zone in which projects and CNAME targets live. */
  PLATFORM_DOMAIN: z.string().min(1),
  /** Zone in which the worker publishes answers to DNS-01 challenges; without it none are offered. Same value at the worker. */
  ACME_DNS_ZONE: setting.dnsZone().optional(),
  /** Names below it that no project gets, beside those of `docs/reserved-names.md`. */
  RESERVED_NAMES: setting
    .list()
    .pipe(z.array(z.string().regex(hostLabel, 'is not a host name label')))
    .default([]),
  /** Where deployed files are kept, `file:///…` or `s3://bucket/prefix?endpoint=…&region=…&forcePathStyle=true`. */
  STORAGE_URL: z.url(),
  /** Bytes of temporary files that the uploads of one replica may have together. */
  UPLOAD_SPACE_BYTES: setting.integer().default(3 * 1024 * 1024 * 1024),
  /** ACME directories that certificates are ordered from, in order: the next one takes over where a CA fails. */
  ACME_DIRECTORY_URLS: setting.list().pipe(z.array(z.url()).min(1)),
  /** Limits that CAs have granted instead of their published ones: `DIRECTORY|KIND=MAX/WINDOW|KIND=none`, comma-separated. */
  ACME_LIMITS: setting.parsed(parseCaLimits).default(new Map()),
  /** Further accounts at these CAs, and shares of first orders: `NAME|DIRECTORY|share=N|orders=MAX/WINDOW`, comma-separated. */
  ACME_ACCOUNTS: setting.parsed(parseCaAccounts).default([]),
  /** Certificate profile to ask for where a CA advertises it: `classic`, `tlsserver`, `shortlived`. */
  ACME_PROFILE: z.string().optional(),
  /** Days for which custom domains are still served after a change to a plan without them. Same value for the administrator's command. */
  PLAN_GRACE_DAYS: setting.integer().pipe(z.int().max(3_650)).default(14),
  /** Days for which certificates are ordered by DNS-01 for a name that is prepared for a switch and still points elsewhere. */
  PREPARE_MAX_DAYS: setting.integer().pipe(z.int().min(1).max(3_650)).default(90),
  /** Seconds after which the issuance of a certificate that is not there yet may be retried. */
  REVERIFY_AFTER: setting.integer().default(1800),
  /** Whether `.test`, `.local` and the like may be added, as development set-ups want. */
  ALLOW_SPECIAL_USE_NAMES: setting.flag().default(false),
  /** Whether webhooks may go to plain HTTP and into private networks, as development set-ups want. Same value at the worker. */
  ALLOW_PRIVATE_WEBHOOK_TARGETS: setting.flag().default(false),
  /** Seconds an edge that is cut off may go on serving; until then it counts as pending in a removal. Same value at the edges. */
  EDGE_MAX_STALENESS: setting.integer().default(86_400),
  /** Edges that must present a new certificate before its domain is live, spread over regions; a smaller fleet whole. */
  PROBE_EDGES: setting.integer().pipe(z.int().min(1).max(100)).default(3),
  ...retentionSettings,
  /** Proxies in front of pets-api whose X-Forwarded-For is believed, for logs and limits: addresses and networks. */
  TRUSTED_PROXIES: setting.networks().default([]),
  /** Folder of the built dashboard; without a build in it there is none at `/dashboard`. */
  DASHBOARD_FOLDER: z.string().default(resolve(import.meta.dirname, '../../../dashboard/dist')),
  /** Port of `/internal`, `/admin` and `/metrics`, which are nowhere else then; without it the first two are at `PORT`. */
  INTERNAL_PORT: setting.port().optional(),
  /** Whether `/internal` and `/admin` are at `PORT` as well, while edges and gateways move to `INTERNAL_PORT`. */
  INTERNAL_ALSO_PUBLIC: setting.flag().default(false),
  /** Another port with `/metrics` only, for a network that lets Prometheus reach less than the edges. */
  METRICS_PORT: setting.port().optional(),
  /** Where traces are sent, the base URL of an OTLP/HTTP receiver; without it nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: setting.baseUrl().optional(),
  /** Headers for it, `name=value` with commas between. A secret, where there is a token among them. */
  OTEL_EXPORTER_OTLP_HEADERS: setting.traceHeaders(),
  /** The sampler of traces: `parentbased_always_on` follows the caller's decision, and records traces that start here. */
  OTEL_TRACES_SAMPLER: setting.traceSampler(),
  /** Which part of them, where the sampler is a ratio: 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: setting.traceRatio(),
  LOG_LEVEL: setting.logLevel(),
});

/** The settings with the checks across fields. */
export const configSchema = settingsSchema
  .refine(({ PORT, INTERNAL_PORT }) => PORT !== INTERNAL_PORT || PORT === 0, {
    path: ['INTERNAL_PORT'],
    error: 'must not be the same as PORT',
  })
  .refine(
    ({ ACME_LIMITS, ACME_DIRECTORY_URLS }) => [...ACME_LIMITS.keys()].every((url) => ACME_DIRECTORY_URLS.includes(url)),
    { path: ['ACME_LIMITS'], error: 'is for a CA that is not in ACME_DIRECTORY_URLS' },
  )
  .refine(
    ({ ACME_ACCOUNTS, ACME_DIRECTORY_URLS }) =>
      ACME_ACCOUNTS.every(({ directoryUrl }) => ACME_DIRECTORY_URLS.includes(directoryUrl)),
    { path: ['ACME_ACCOUNTS'], error: 'is for a CA that is not in ACME_DIRECTORY_URLS' },
  )
  .refine(
    ({ ACME_LIMITS, ACME_ACCOUNTS, RETENTION_CERTIFICATES }) =>
      [...ACME_LIMITS.values(), ...ACME_ACCOUNTS.map(({ limits }) => limits)]
        .flat()
        .every(({ windowMs }) => windowMs < RETENTION_CERTIFICATES * DAY_MS),
    { path: ['RETENTION_CERTIFICATES'], error: 'is not longer than a window of ACME_LIMITS or ACME_ACCOUNTS' },
  )
  .refine(({ ACME_DNS_ZONE, PLATFORM_DOMAIN }) => ACME_DNS_ZONE !== PLATFORM_DOMAIN.toLowerCase(), {
    path: ['ACME_DNS_ZONE'],
    error: 'must not be PLATFORM_DOMAIN, where projects are: use a zone below it',
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
