import { createPrivateKey, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { findKeyFault } from '@pets/messaging/message-mac';
import { isRedisAddress } from '@pets/messaging/redis-address';
import { setting } from '@pets/platform';
import { z } from 'zod';
import type { ExternalAccount } from './certificate-authority/acme-jws.js';

export const configSchema = z
  .object({
    /** Redis or Valkey that holds the queues, the same as at pets-api. It or `DATABASE_URL` is required. */
    REDIS_URL: z.string().refine(isRedisAddress, 'is not a Redis address').optional(),
    /** PostgreSQL that holds the queues if there is no Redis; the worker reads nothing else there. */
    DATABASE_URL: z.url().optional(),
    /** PostgreSQL itself, if `DATABASE_URL` is a pooler: the queues need connections of their own. */
    DATABASE_SESSION_URL: z.url().optional(),
    /**
     * Keys that verify jobs, the same as at pets-api: [Signed messages](docs/operations/security.md#signed-messages).
     */
    QUEUE_KEYS_JOBS: setting.keyRing(),
    /** Keys that sign events, the same as at pets-api; the first one signs. */
    QUEUE_KEYS_EVENTS: setting.keyRing(),
    /**
     * Resolvers, `address:port`, comma-separated.
     * @defaultValue those of the system
     */
    DNS_RESOLVERS: setting
      .list()
      .pipe(z.array(z.string().refine(isServer, 'is not a list of address:port')))
      .optional(),
    /**
     * Whether to query authoritative servers at private addresses, for a network with its own DNS. Otherwise the owner
     * of a zone could have packets sent to internal hosts.
     */
    DNS_ALLOW_PRIVATE_AUTHORITATIVE: setting.flag().default(false),
    /**
     * Whether `DNS_RESOLVERS` are authoritative for all zones, as in a development network: they are then queried
     * instead of a zone’s own servers. Wrong for recursive resolvers.
     */
    DNS_RESOLVERS_HOLD_ZONES: setting.flag().default(false),
    /**
     * Listening addresses of authoritative servers, `address=address:port`, comma-separated, for a development network whose
     * servers share a machine.
     */
    DNS_AUTHORITATIVE_ADDRESSES: setting.parsed(parseServerAddresses).default(new Map()),
    /** ACME directories of the CAs whose accounts are opened at start, the same as at pets-api. */
    ACME_DIRECTORY_URLS: setting.list().pipe(z.array(z.url()).min(1)),
    /**
     * Private key of our account at every CA, EC P-256, PEM. Keys that it has replaced follow it, one after another, until
     * their certificates have expired: [The account key](docs/operations/rotate-secrets.md#the-account-key). A secret.
     */
    ACME_ACCOUNT_KEY: z.string().transform(parseAccountKeys),
    /**
     * External accounts for CAs that require them (RFC 8555 §7.3.4): `directoryUrl|kid|hmacKey`, comma-separated, the
     * key in base64url as the CA issues it. A secret.
     */
    ACME_EAB: z.string().transform(parseExternalAccounts).default([]),
    /** Email address for messages of the CA. */
    ACME_CONTACT: z.email().optional(),
    /** Names of the CA in CAA records, used if its directory has no `meta.caaIdentities`. */
    ACME_CAA_IDENTITIES: setting.list().default(['letsencrypt.org']),
    /**
     * The primary name server of `ACME_DNS_ZONE`, `host:port`, which accepts updates (RFC 2136) over TCP. Set it and
     * the two settings below, or none of them: [Challenges by DNS](docs/operations/dns-challenges.md).
     */
    ACME_DNS_SERVER: setting.hostAndPort().optional(),
    /** The zone in which challenges are published, the same as at pets-api. */
    ACME_DNS_ZONE: setting.dnsZone().optional(),
    /** The key that signs updates (TSIG, RFC 8945), `[hmac-sha256:]name:secret`, the secret in base64. A secret. */
    ACME_DNS_TSIG_KEY: setting.tsigKey().optional(),
    /** Port at which the challenge path is checked before an order. */
    HTTP01_PORT: setting.port().default(80),
    /** Port of `/livez` and `/readyz`, and of `/metrics` without `METRICS_PORT`. */
    HEALTH_PORT: setting.port().default(9091),
    /** Another port for `/metrics`, so that network rules can distinguish the two. */
    METRICS_PORT: setting.port().optional(),
    /**
     * Jobs of each lane that are handled at the same time: DNS checks of clicks, other checks, certificates,
     * revocation lists, probes.
     * They mostly wait for the network.
     */
    WORKER_CONCURRENCY: setting.integer().pipe(z.int().min(1).max(1_000)).default(64),
    /** Webhooks sent at the same time; a receiver may take twenty seconds to answer. The same at pets-api. */
    WEBHOOK_CONCURRENCY: setting.integer().pipe(z.int().min(1).max(1_000)).default(128),
    /**
     * Whether webhooks may go to private networks and this machine, for development. Otherwise a stranger could have
     * requests sent to internal hosts. The same as at pets-api.
     */
    ALLOW_PRIVATE_WEBHOOK_TARGETS: setting.flag().default(false),
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
  .refine(({ REDIS_URL, DATABASE_URL }) => REDIS_URL !== undefined || DATABASE_URL !== undefined, {
    path: ['REDIS_URL or DATABASE_URL'],
  })
  .refine(
    ({ ACME_EAB, ACME_DIRECTORY_URLS }) =>
      ACME_EAB.every(({ directoryUrl }) => ACME_DIRECTORY_URLS.includes(directoryUrl)),
    { path: ['ACME_EAB'], error: 'is for a CA that is not in ACME_DIRECTORY_URLS' },
  )
  .superRefine((config, context) => {
    const { ACME_DNS_SERVER, ACME_DNS_ZONE, ACME_DNS_TSIG_KEY } = config;
    const dnsSettings = Object.entries({ ACME_DNS_SERVER, ACME_DNS_ZONE, ACME_DNS_TSIG_KEY });
    const missing = dnsSettings.flatMap(([name, value]) => (value === undefined ? [name] : []));
    if (missing.length > 0 && missing.length < dnsSettings.length)
      context.addIssue({ code: 'custom', path: missing.slice(0, 1), message: DNS_SETTINGS_TOGETHER });
  })
  .superRefine((config, context) => {
    const fault = findKeyFault(config);
    if (fault !== null) context.addIssue({ code: 'custom', path: [fault.name], message: fault.message });
  });

export type Config = z.infer<typeof configSchema>;

const DNS_SETTINGS_TOGETHER =
  'is missing: ACME_DNS_SERVER, ACME_DNS_ZONE and ACME_DNS_TSIG_KEY belong together, set all or none';

function isServer(text: string): boolean {
  const match = /^(?:\[(?<v6>.+)\]|(?<v4>[^:]+)):(?<port>\d{1,5})$/.exec(text);
  const { v4 = '', v6 = '', port = '' } = match?.groups ?? {};
  return (isIP(v4) === 4 || isIP(v6) === 6) && Number(port) > 0 && Number(port) < 65_536;
}

function parseServerAddresses(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',').map((item) => {
    const [address = '', server = '', ...rest] = item.trim().split('=');
    if (isIP(address) === 0 || !isServer(server) || rest.length > 0)
      throw new Error('is not a list of address=address:port');
    return [address, server] as const;
  });
  return new Map(pairs);
}

interface ConfiguredExternalAccount extends ExternalAccount {
  readonly directoryUrl: string;
}

/** RFC 7518 §3.2 requires 32 bytes, but some CAs issue shorter keys. */
const SHORTEST_HMAC_KEY_BYTES = 16;

function parseExternalAccounts(text: string, context: z.RefinementCtx): readonly ConfiguredExternalAccount[] {
  return text.split(',').flatMap((item, index) => {
    const [directoryUrl = '', keyId = '', key = '', ...rest] = item.trim().split('|');
    const hmacKey = Buffer.from(key, 'base64url');
    const isKey = /^[\w+/-]+=*$/.test(key) && hmacKey.length >= SHORTEST_HMAC_KEY_BYTES;
    if (URL.canParse(directoryUrl) && keyId !== '' && isKey && rest.length === 0)
      return [{ directoryUrl, keyId, hmacKey }];
    // The message does not contain the text, which has the key.
    context.addIssue({ code: 'custom', message: `entry ${index + 1} is not directoryUrl|kid|hmacKey (base64url)` });
    return [];
  });
}

/** The first one orders. */
export type AccountKeys = readonly [KeyObject, ...(readonly KeyObject[])];

const privateKeyPem = /-----BEGIN (?:EC )?PRIVATE KEY-----[^-]+-----END (?:EC )?PRIVATE KEY-----/g;

/** Line breaks may be written as \n. */
function parseAccountKeys(text: string, context: z.RefinementCtx): AccountKeys {
  const [first = text, ...others] = text.replaceAll('\\n', '\n').match(privateKeyPem) ?? [];
  return [parseAccountKey(first, context), ...others.map((pem) => parseAccountKey(pem, context))];
}

function parseAccountKey(pem: string, context: z.RefinementCtx): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // The message below does not contain the reason, which could quote the key.
  }
  context.addIssue({ code: 'custom', message: 'is not an EC P-256 private key in PEM form' });
  return z.NEVER;
}
