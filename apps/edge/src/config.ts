import { availableParallelism } from 'node:os';
import { createSecureContext } from 'node:tls';
import { setting } from '@pets/platform';
import { z } from 'zod';
import { containerBytes } from './http/limits.js';

const address = z.string().regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port');

const MAX_PROCESSES = 64;

/** Enough for 10 000 open certificates, but at most a quarter of the container's memory. */
const CONTEXT_BYTES = Math.floor(Math.min(512 * 1024 ** 2, containerBytes() / 4));

export const edgeConfigSchema = z
  .object({
    /** Address that the listeners bind to. */
    HOST: z.string().default('0.0.0.0'),
    /** Port of the plain HTTP listener (HTTP-01 answers and redirects). */
    EDGE_HTTP_PORT: setting.port().default(8080),
    /** Port of the TLS listener. */
    EDGE_HTTPS_PORT: setting.port().default(8443),
    /** Port at which visitors reach the TLS listener; redirects contain it unless it is 443. */
    PUBLIC_HTTPS_PORT: setting.port().default(443),
    /** Base URL of pets-api, which publishes the feed of routes and the sealed certificates. */
    API_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, '')),
    /** Bearer token for `/internal/edge/*`. */
    EDGE_TOKEN: z.string(),
    /** Key-encryption keys that open the sealed keys of certificates, `id:base64,…`. */
    CERTIFICATE_KEKS: setting.keyRing(),
    /** Domain whose direct subdomains are served with the platform certificate. */
    PLATFORM_DOMAIN: z.string().toLowerCase(),
    /** Certificate chain of `*.<platform domain>`, PEM. */
    PLATFORM_CERTIFICATE: z.string(),
    /** Private key of the platform certificate, PEM. */
    PLATFORM_KEY: z.string(),
    /** Storage of deployed files, `file:///…` or `s3://bucket/prefix?endpoint=…&region=…&forcePathStyle=true`. */
    STORAGE_URL: z.url(),
    /** Folder of the edge's identity, snapshot and caches; only one running edge may use it. */
    EDGE_DATA_DIR: z.string(),
    /** Processes that answer visitors, besides the one that follows the feed; one for each available processor by default. */
    EDGE_PROCESSES: setting
      .integer()
      .pipe(z.int().min(1).max(MAX_PROCESSES))
      .default(() => Math.min(availableParallelism(), MAX_PROCESSES)),
    /** Bytes of memory for certificates that are open; about 50 KB each. */
    EDGE_CONTEXT_CACHE_BYTES: setting
      .integer()
      .pipe(z.int().min(1024 ** 2))
      .default(CONTEXT_BYTES),
    /** Bytes on disk for sealed certificates, 4 to 8 KB each. */
    EDGE_CERTIFICATE_CACHE_BYTES: setting
      .integer()
      .pipe(z.int().min(1024 ** 2))
      .default(1024 ** 3),
    /** Bytes on disk for deployed files over 256 KiB from an `s3://` storage; 0 for no such cache. */
    EDGE_SITE_CACHE_BYTES: setting.integer().default(1024 ** 3),
    /** Seconds that an edge continues to serve after its last contact with the API; 0 means that it stops within 5 s. */
    EDGE_MAX_STALENESS: setting.integer().default(86_400),
    /** Where the edge is, such as `eu-west-1`: probes ask edges in different regions. */
    EDGE_REGION: z.string().max(64).optional(),
    /** Where the worker's probes reach the plain listener; 127.0.0.1 and its port when unset. */
    ADVERTISED_HTTP_ADDRESS: address.optional(),
    /** Where the worker's probes reach the TLS listener; 127.0.0.1 and its port when unset. */
    ADVERTISED_HTTPS_ADDRESS: address.optional(),
    /**
     * Connections that one address (of IPv6, one /64) may have open; 0 for no limit, as behind a load balancer. This limit and
     * the next one are divided among the processes, which may each exceed their part by three standard deviations.
     */
    EDGE_MAX_CONNECTIONS_PER_ADDRESS: setting.integer().default(256),
    /** TLS handshakes of one address (of IPv6, one /64) that start per second, others wait; 0 for no limit, likewise. */
    EDGE_HANDSHAKES_PER_ADDRESS: setting.integer().default(100),
    /** Load balancers whose PROXY protocol header (version 1 or 2) is believed: addresses and networks. */
    EDGE_TRUSTED_PROXIES: setting.networks().default([]),
    /**
     * Memory in MiB for response data that clients have not taken yet; beyond it the slowest are disconnected. Divided among
     * the processes, of which each has at least 8 MiB.
     */
    EDGE_MAX_UNSENT_MIB: setting.integer().pipe(z.int().min(8)).default(64),
    /** Whether a line is logged for each request, at level `info`. */
    EDGE_ACCESS_LOG: setting.flag().default(true),
    /** Seconds that a stopping edge still accepts connections while `/readyz` fails, so that a balancer withdraws it. */
    EDGE_DRAIN_SECONDS: setting.integer().pipe(z.int().max(300)).default(0),
    /** Port of `/livez`, `/readyz` and `/metrics`. */
    HEALTH_PORT: setting.port().default(9090),
    /** Base URL of an OTLP/HTTP receiver for traces; without it nothing is traced. */
    OTEL_EXPORTER_OTLP_ENDPOINT: setting.baseUrl().optional(),
    /** Headers for it, `name=value` separated by commas. A secret if they contain a token. */
    OTEL_EXPORTER_OTLP_HEADERS: setting.traceHeaders(),
    /** Which traces are recorded: `parentbased_always_on` follows the caller's decision, and records traces that start here. */
    OTEL_TRACES_SAMPLER: setting.traceSampler(),
    /** The part of traces that a ratio sampler records: 0 to 1. */
    OTEL_TRACES_SAMPLER_ARG: setting.traceRatio(),
    /** The least severe level that is logged. */
    LOG_LEVEL: setting.logLevel(),
  })
  .superRefine((config, context) => {
    try {
      createSecureContext({ cert: config.PLATFORM_CERTIFICATE, key: config.PLATFORM_KEY });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      context.addIssue({
        code: 'custom',
        path: ['PLATFORM_CERTIFICATE'],
        message: `cannot be used with PLATFORM_KEY (${reason})`,
      });
    }
  });
export type EdgeConfig = z.infer<typeof edgeConfigSchema>;
