import { createPrivateKey, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { findKeyFault, macPolicies } from '@pets/messaging/message-keys';
import { isRedisAddress } from '@pets/messaging/redis-address';
import { setting } from '@pets/platform';
import { z } from 'zod';
import type { ExternalAccount } from './certificate-authority/acme-jws.js';

export const configSchema = z
  .object({
    /** Redis or Valkey that holds the queues. */
    REDIS_URL: z.string().refine(isRedisAddress, 'is not a Redis address').optional(),
    /** PostgreSQL that holds the queues where there is no Redis; nothing else is read from it. */
    DATABASE_URL: z.url().optional(),
    /** Keys that jobs are checked with, `id:base64`; the first one signs, at pets-api. Same value there. */
    QUEUE_KEYS_JOBS: setting.keyRing().optional(),
    /** Keys that events are signed with, likewise. */
    QUEUE_KEYS_EVENTS: setting.keyRing().optional(),
    /** Whether jobs without a MAC are taken: `accept` until every process signs, then `require`. */
    QUEUE_MAC: z.enum(macPolicies).default('accept'),
    /** Resolvers to ask, `address:port` with commas between; the system's unless given. */
    DNS_RESOLVERS: setting
      .list()
      .pipe(z.array(z.string().refine(isServer, 'is not a list of address:port')))
      .optional(),
    /**
     * Whether a zone's own servers are asked where their addresses are private: in a network that has its own DNS. Anywhere
     * else the owner of a zone could have packets sent to internal hosts.
     */
    DNS_ALLOW_PRIVATE_AUTHORITATIVE: setting.flag().default(false),
    /**
     * Whether `DNS_RESOLVERS` hold all zones themselves, as the one DNS server of a development network does: they are then
     * asked what only the servers of a zone can say. Wrong for resolvers that ask others.
     */
    DNS_RESOLVERS_HOLD_ZONES: setting.flag().default(false),
    /** Directories of the CAs whose accounts are made ready at start; a job names the directory it wants. */
    ACME_DIRECTORY_URLS: setting.list().pipe(z.array(z.url()).min(1)),
    /** Private key of the ACME account, EC P-256, PEM. One key serves all CAs, so that edges need one thumbprint. */
    ACME_ACCOUNT_KEY: z.string().transform(parseAccountKey),
    /**
     * Accounts that CAs know already, for those that register no others (RFC 8555 §7.3.4): `directoryUrl|kid|hmacKey` with
     * commas between, the key in base64url as the CA hands it out. A secret: ACME_EAB_FILE keeps it out of the environment.
     */
    ACME_EAB: z.string().transform(parseExternalAccounts).default([]),
    /** Mail address the CA may write to. */
    ACME_CONTACT: z.email().optional(),
    /** Names the CA answers to in CAA records, where its directory does not tell them. */
    ACME_CAA_IDENTITIES: setting.list().default(['letsencrypt.org']),
    /** Port at which the HTTP-01 path is tried before the CA is asked. */
    HTTP01_PORT: setting.port().default(80),
    /** Port of `/livez` and `/readyz`, and of `/metrics` where that has no port of its own. */
    HEALTH_PORT: setting.port().default(9091),
    /** Port of its own for `/metrics`, so that a network may keep the two apart. */
    METRICS_PORT: setting.port().optional(),
    /** Jobs worked on at the same time; they mostly wait for the network. */
    WORKER_CONCURRENCY: setting.integer().pipe(z.int().min(1).max(1_000)).default(64),
    /** Webhooks sent at the same time; a receiver may take twenty seconds to answer. */
    WEBHOOK_CONCURRENCY: setting.integer().pipe(z.int().min(1).max(1_000)).default(128),
    /**
     * Whether webhooks may go into private networks and to this machine, as development set-ups want. Anywhere else a
     * stranger could have requests sent to internal hosts.
     */
    ALLOW_PRIVATE_WEBHOOK_TARGETS: setting.flag().default(false),
    /** Where traces are sent, the base URL of an OTLP/HTTP receiver; without it nothing is traced. */
    OTEL_EXPORTER_OTLP_ENDPOINT: setting.baseUrl().optional(),
    /** Headers for it, `name=value` with commas between. A secret, where there is a token among them. */
    OTEL_EXPORTER_OTLP_HEADERS: setting.traceHeaders(),
    /** Which traces are recorded: `parentbased_always_on` goes by whoever began one, and records those begun here. */
    OTEL_TRACES_SAMPLER: setting.traceSampler(),
    /** Which part of them, where the sampler is a ratio: 0 to 1. */
    OTEL_TRACES_SAMPLER_ARG: setting.traceRatio(),
    /** How much is logged. */
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
    const fault = findKeyFault(config);
    if (fault !== null) context.addIssue({ code: 'custom', path: [fault.name], message: fault.message });
  });

export type Config = z.infer<typeof configSchema>;

function isServer(text: string): boolean {
  const match = /^(?:\[(?<v6>.+)\]|(?<v4>[^:]+)):(?<port>\d{1,5})$/.exec(text);
  const { v4 = '', v6 = '', port = '' } = match?.groups ?? {};
  return (isIP(v4) === 4 || isIP(v6) === 6) && Number(port) > 0 && Number(port) < 65_536;
}

interface ConfiguredExternalAccount extends ExternalAccount {
  readonly directoryUrl: string;
}

/** RFC 7518 §3.2 wants 32 bytes, and some CAs hand out less. */
const SHORTEST_HMAC_KEY_BYTES = 16;

function parseExternalAccounts(text: string, context: z.RefinementCtx): readonly ConfiguredExternalAccount[] {
  return text.split(',').flatMap((item, index) => {
    const [directoryUrl = '', keyId = '', key = '', ...rest] = item.trim().split('|');
    const hmacKey = Buffer.from(key, 'base64url');
    const isKey = /^[\w+/-]+=*$/.test(key) && hmacKey.length >= SHORTEST_HMAC_KEY_BYTES;
    if (URL.canParse(directoryUrl) && keyId !== '' && isKey && rest.length === 0)
      return [{ directoryUrl, keyId, hmacKey }];
    // The text itself is not told: it holds the key.
    context.addIssue({ code: 'custom', message: `entry ${index + 1} is not directoryUrl|kid|hmacKey (base64url)` });
    return [];
  });
}

function parseAccountKey(pem: string, context: z.RefinementCtx): KeyObject {
  try {
    // Where a variable cannot hold lines, they come as \n.
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // The reason could quote the key; that it is none is all that is told.
  }
  context.addIssue({ code: 'custom', message: 'is not an EC P-256 private key in PEM form' });
  return z.NEVER;
}
