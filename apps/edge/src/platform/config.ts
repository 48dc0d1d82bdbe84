import { X509Certificate } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createSecureContext } from 'node:tls';
import { setting } from '@pets/platform';
import { z } from 'zod';

const address = z.string().regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port');

const MAX_PROCESSES = 64;

/** Enough for 10 000 open certificates, but at most a quarter of the container's memory. */
const CONTEXT_BYTES = Math.floor(Math.min(512 * 1024 ** 2, containerBytes() / 4));

/** @throws Error when the text does not begin with a certificate */
function certificatesOf(pem: string): string {
  new X509Certificate(pem);
  return pem;
}

export const edgeConfigSchema = z
  .object({
    /** Address that the listeners bind to. */
    HOST: z.string().default('0.0.0.0'),
    /** Port of the plain HTTP listener: answers to HTTP-01 challenges, and redirects. */
    EDGE_HTTP_PORT: setting.port().default(8080),
    /** Port of the TLS listener. */
    EDGE_HTTPS_PORT: setting.port().default(8443),
    /** Port at which visitors reach the TLS listener; redirects contain it unless it is 443. */
    PUBLIC_HTTPS_PORT: setting.port().default(443),
    /** Base URL of pets-api, at its `INTERNAL_PORT`. */
    API_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, '')),
    /** Bearer token of the edges, the same as at pets-api. */
    EDGE_TOKEN: z.string(),
    /**
     * Key-encryption keys of certificates, `id:base64,…`, the same as at pets-api: [Key-encryption
     * keys](docs/operations/rotate-secrets.md#key-encryption-keys).
     */
    CERTIFICATE_KEKS: setting.keyRing(),
    /** Domain whose direct subdomains are served with the platform certificate, the same as at pets-api. */
    PLATFORM_DOMAIN: z.string().toLowerCase(),
    /**
     * Certificate chain of `*.<platform domain>`, PEM. Without it the edge presents [the one that pets-api
     * orders](docs/operations/platform-certificate.md); with it, it ignores that one.
     */
    PLATFORM_CERTIFICATE: z.string().optional(),
    /** Private key of the platform certificate, PEM. Set both or none. */
    PLATFORM_KEY: z.string().optional(),
    /** Storage of deployed files, snapshots and certificates, the same as at pets-api; an edge only reads. */
    STORAGE_URL: z.url(),
    /** Folder of the edge’s id, routes and caches; only one running edge may use it. */
    EDGE_DATA_DIR: z.string(),
    /**
     * Processes that answer visitors, besides the one that follows the feed: [The edge](docs/operations/edge.md).
     * @defaultValue available processors
     */
    EDGE_PROCESSES: setting
      .integer()
      .pipe(z.int().min(1).max(MAX_PROCESSES))
      .default(() => Math.min(availableParallelism(), MAX_PROCESSES)),
    /**
     * Bytes of memory for open certificates, about 50 KB each.
     * @defaultValue 512 MiB, at most a quarter of the container
     */
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
    /**
     * Seconds that an edge continues to serve after its last contact to pets-api; 0 means that it stops within 5 s. The
     * same as at pets-api.
     */
    EDGE_MAX_STALENESS: setting.integer().default(86_400),
    /**
     * Region of the edge, any text such as `eu-west-1`: [Probes of
     * certificates](docs/operations/edge.md#probes-of-certificates).
     */
    EDGE_REGION: z.string().max(64).optional(),
    /**
     * `host:port` at which the worker’s probes reach the plain listener of this edge.
     * @defaultValue `127.0.0.1:<port>`
     */
    ADVERTISED_HTTP_ADDRESS: address.optional(),
    /**
     * `host:port` at which the worker’s probes reach the TLS listener of this edge.
     * @defaultValue `127.0.0.1:<port>`
     */
    ADVERTISED_HTTPS_ADDRESS: address.optional(),
    /**
     * Connections that one address (of IPv6, a /64) may have open; 0 for no limit, as behind a load balancer. This
     * limit and the next one are divided among the processes, which may each exceed their part by three standard
     * deviations.
     */
    EDGE_MAX_CONNECTIONS_PER_ADDRESS: setting.integer().default(256),
    /**
     * TLS handshakes of one address (of IPv6, a /64) that start per second; excess handshakes queue; 0 for no limit.
     */
    EDGE_HANDSHAKES_PER_ADDRESS: setting.integer().default(100),
    /**
     * Addresses and networks of the load balancers whose PROXY protocol header (version 1 or 2) is believed,
     * comma-separated: [The edge](docs/operations/edge.md).
     */
    EDGE_TRUSTED_PROXIES: setting.networks().default([]),
    /**
     * Memory in MiB for unsent replies, of which one address may use a quarter; beyond it the slowest clients are
     * disconnected. Divided among the processes, of which each has at least 8 MiB.
     */
    EDGE_MAX_UNSENT_MIB: setting.integer().pipe(z.int().min(8)).default(64),
    /**
     * Addresses and networks of HTTP gateways in front of the edge: applications get the last entry of their
     * `X-Forwarded-For` as the client.
     */
    EDGE_TRUSTED_GATEWAYS: setting.networks().default([]),
    /**
     * Whether applications may be in private networks, at any port, and without TLS: for development, and where nobody but you
     * chooses them.
     */
    EDGE_ALLOW_PRIVATE_ORIGINS: setting.flag().default(false),
    /** Certificates of CAs that applications may have besides the public ones, PEM. */
    EDGE_ORIGIN_CA: setting.parsed(certificatesOf).optional(),
    /** Whether a line is logged for each request, at level `info`. */
    EDGE_ACCESS_LOG: setting.flag().default(true),
    /**
     * Seconds that a stopping edge still serves while `/readyz` fails, so that a load balancer withdraws it: [How
     * processes stop](docs/operations/upgrades.md#how-processes-stop).
     */
    EDGE_DRAIN_SECONDS: setting.integer().pipe(z.int().max(300)).default(0),
    /** Port of `/livez`, `/readyz` and `/metrics`. */
    HEALTH_PORT: setting.port().default(9090),
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
  })
  .superRefine(({ PLATFORM_CERTIFICATE: cert, PLATFORM_KEY: key }, context) => {
    if (cert === undefined && key === undefined) return;
    try {
      if (cert === undefined || key === undefined) throw new Error('set both or none');
      createSecureContext({ cert, key });
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

/** The memory limit of the container; infinite without one, for which Node reports 0 or a huge number. */
export function containerBytes(): number {
  return process.constrainedMemory() || Infinity;
}
