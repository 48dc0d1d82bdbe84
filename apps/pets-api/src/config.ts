import { resolve } from 'node:path';
import { isRedisAddress } from '@pets/messaging/redis-address';
import { setting } from '@pets/platform';
import { z } from 'zod';

/** Every setting of pets-api. Read once, at start; each secret may come as `NAME_FILE`. */
export const configSchema = z.object({
  /** Which API keys are taken: `pets_live_` in production, `pets_test_` elsewhere. */
  ENVIRONMENT: z.enum(['production', 'staging', 'development']).default('production'),
  /** Address to listen at. */
  HOST: z.string().default('0.0.0.0'),
  PORT: setting.port().default(3000),
  /** Base URL that clients use, for `Link` headers. */
  PUBLIC_URL: setting.baseUrl().default('http://localhost:3000'),
  /** Base URL of the production system, for the interface description; without it `PUBLIC_URL`. */
  PRODUCTION_URL: z.url().optional(),
  /** Base URL of the staging system, likewise. */
  STAGING_URL: z.url().optional(),
  /** Port at which visitors reach the edge over TLS, for the URLs of projects. */
  PUBLIC_HTTPS_PORT: setting.port().default(443),
  /** PostgreSQL, the only store of truth. */
  DATABASE_URL: z.url(),
  /** Redis or Valkey for BullMQ and rate limits; without it BullMQ uses its PostgreSQL backend, and replicas count alone. */
  REDIS_URL: z.string().refine(isRedisAddress, 'is no address of Redis').optional(),
  /** Requests a key may send a minute, sessions included; 0 limits nothing. */
  RATE_LIMIT_PER_MINUTE: setting.integer().default(1000),
  /** Streams of events a key may have open on one replica, sessions included. */
  EVENT_STREAMS_PER_KEY: setting.integer().default(100),
  /** Streams of events one replica keeps open in all. */
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
  /** Zone in which projects and CNAME targets live. */
  PLATFORM_DOMAIN: z.string().min(1),
  /** Where deployed files are kept, `file:///…` or `s3://bucket/prefix?endpoint=…&region=…&forcePathStyle=true`. */
  STORAGE_URL: z.url(),
  /** ACME directories that certificates are ordered from, in order: the next one takes over where a CA fails. */
  ACME_DIRECTORY_URLS: setting.list().pipe(z.array(z.url()).min(1)),
  /** Certificate profile to ask for where a CA advertises it: `classic`, `tlsserver`, `shortlived`. */
  ACME_PROFILE: z.string().optional(),
  /** Seconds after which a certificate that has not come may be asked for anew. */
  REVERIFY_AFTER: setting.integer().default(1800),
  /** Whether `.test`, `.local` and the like may be added, as development set-ups want. */
  ALLOW_SPECIAL_USE_NAMES: setting.flag().default(false),
  /** Whether webhooks may go to plain HTTP and into private networks, as development set-ups want. Same value at the worker. */
  ALLOW_PRIVATE_WEBHOOK_TARGETS: setting.flag().default(false),
  /** Seconds an edge that is cut off may go on serving; until then it counts as pending in a removal. Same value at the edges. */
  EDGE_MAX_STALENESS: setting.integer().default(86_400),
  /** Folder of the built dashboard; without a build in it there is none at `/dashboard`. */
  DASHBOARD_FOLDER: z.string().default(resolve(import.meta.dirname, '../../dashboard/dist')),
  /** Port of its own for `/metrics`; without it there is none. */
  METRICS_PORT: setting.port().optional(),
  /** Where traces are sent, the base URL of an OTLP/HTTP receiver; without it nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: setting.baseUrl().optional(),
  /** Headers for it, `name=value` with commas between. A secret, where there is a token among them. */
  OTEL_EXPORTER_OTLP_HEADERS: setting.traceHeaders(),
  /** Which traces are recorded: `parentbased_always_on` goes by whoever began one, and records those begun here. */
  OTEL_TRACES_SAMPLER: setting.traceSampler(),
  /** Which part of them, where the sampler is a ratio: 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: setting.traceRatio(),
  LOG_LEVEL: setting.logLevel(),
});

export type Config = z.infer<typeof configSchema>;
