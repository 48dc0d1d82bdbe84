import { setting } from '@pets/platform';
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';

const port = (fallback: number) => z.coerce.number().int().min(1).max(65_535).default(fallback);

const debuggableServices = ['pets-api', 'domains-worker', 'edge', 'dev-dns', 'dev-ca'] as const;

/** Every setting of `npm start` and `npm run dev`. Each may come as `NAME_FILE`; what is set to nothing counts as unset. */
export const settingsSchema = z.object({
  PETS_API_PORT: port(3000),
  /** Port of what the edges ask, and of the metrics. */
  PETS_API_INTERNAL_PORT: port(3001),
  EDGE_HTTP_PORT: port(8080),
  EDGE_HTTPS_PORT: port(8443),
  /** UDP and TCP. */
  DEV_DNS_PORT: port(8053),
  /** Port of the second server that a zone can have, UDP and TCP. */
  DEV_DNS_SECOND_PORT: port(8054),
  DEV_DNS_CONTROL_PORT: port(8055),
  DEV_ACME_PORT: port(14_000),
  /** Port of the dashboard in `npm run dev`; otherwise pets-api serves it. */
  DASHBOARD_PORT: port(5173),
  /** Everything that outlives a stop: database, secrets, deployed files, the development CA. */
  DATA_DIR: z
    .string()
    .default('.data')
    .transform((path) => (isAbsolute(path) ? path : resolve(path))),
  /** A PostgreSQL of yours instead of the embedded one. */
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'is not a postgresql:// address' }).optional(),
  /** Redis or Valkey for the queues; they live in PostgreSQL otherwise. */
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'is not a redis:// address' }).optional(),
  /** Other CAs than the development one, in order, with commas between. */
  ACME_DIRECTORY_URLS: setting.list().pipe(z.array(z.url()).min(1)).optional(),
  ACME_CONTACT: z.string().optional(),
  /** External accounts at CAs that ask for one: `directory|key id|HMAC key`. */
  ACME_EAB: z.string().optional(),
  /** Limits that a CA has granted. */
  ACME_LIMITS: z.string().optional(),
  ACME_PROFILE: z.string().optional(),
  ACME_CAA_IDENTITIES: z.string().optional(),
  /** Resolvers instead of the development DNS server: `address:port`, comma separated. */
  DNS_RESOLVERS: setting.list().optional(),
  /** A zone of challenges at a name server of yours, `host:port`; by default at the development DNS server. */
  ACME_DNS_SERVER: setting.hostAndPort().optional(),
  ACME_DNS_ZONE: setting.dnsZone().optional(),
  /** Projects are served below it. */
  PLATFORM_DOMAIN: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, { error: 'must be a lower-case domain name of two labels or more' })
    .default('pets.localhost'),
  /** The secrets: made once under DATA_DIR/secrets unless given. */
  APP_SECRET: z.string().optional(),
  CERTIFICATE_KEKS: z.string().optional(),
  ACME_ACCOUNT_KEY: z.string().optional(),
  EDGE_TOKEN: z.string().optional(),
  QUEUE_KEYS_JOBS: z.string().optional(),
  QUEUE_KEYS_EVENTS: z.string().optional(),
  ACME_DNS_TSIG_KEY: z.string().optional(),
  /** Lets a gateway that is not ours ask for certificates. */
  GATEWAY_TOKEN: z.string().optional(),
  /** The identity provider of people: docs/operations/sign-in.md. pets-api checks these. */
  OIDC_ISSUER_URL: z.string().optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().optional(),
  OIDC_SCOPES: z.string().optional(),
  OIDC_ORGANIZATION_CLAIM: z.string().optional(),
  OIDC_ROLE_CLAIM: z.string().optional(),
  OIDC_DEFAULT_ROLE: z.string().optional(),
  OIDC_SIGN_OUT: z.string().optional(),
  /** Whether pets-api orders the platform's certificate, instead of one that is made here: edges have it from the start. */
  ISSUE_PLATFORM_CERTIFICATE: setting.flag().default(false),
  PLATFORM_CERTIFICATE: z.string().optional(),
  PLATFORM_KEY: z.string().optional(),
  /** Seconds until issuance may be retried. */
  REVERIFY_AFTER: z.string().optional(),
  PREPARE_MAX_DAYS: z.string().optional(),
  /** Days for which custom domains are served after a change to a plan without them. */
  PLAN_GRACE_DAYS: z.string().optional(),
  /** Seconds an edge that is cut off goes on serving. */
  EDGE_MAX_STALENESS: z.string().optional(),
  /** Only warnings unless asked for more: this is a terminal somebody reads. */
  LOG_LEVEL: z.string().default('warn'),
  /** The service that opens an inspector. */
  DEBUG_SERVICE: z.enum(debuggableServices).optional(),
  /** Port of the inspector: the default of Node and of editors. */
  DEBUG_PORT: port(9229),
  /** Collector that traces are sent to, OTLP over HTTP. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
  NODE_EXTRA_CA_CERTS: z.string().optional(),
  PATH: z.string().default(''),
  HOME: z.string().optional(),
  TZ: z.string().optional(),
  /** Set by npm while it runs a script. */
  npm_lifecycle_event: z.string().optional(),
});

export type Settings = z.infer<typeof settingsSchema>;
