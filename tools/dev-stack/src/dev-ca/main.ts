import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';
import { untilStopped } from '../until-stopped.js';
import { startDevCa } from './dev-ca.js';
import { profileNames } from './profiles.js';

const config = loadConfigOrExit(
  z.object({
    DEV_ACME_PORT: setting.port().default(14_000),
    /** Keeps the root certificate and its key. */
    DEV_CA_DIR: z.string(),
    /** Where names are looked up, as `host:port`, comma separated; empty means the system's resolvers. */
    DNS_RESOLVERS: setting.list().default([]),
    /** Where HTTP-01 challenges are fetched: the edge's HTTP port. */
    HTTP01_PORT: setting.port().default(8080),
    /** How long certificates of every profile are to live, for seeing them renewed; each for its own time without it. */
    DEV_CA_VALIDITY_SECONDS: setting.integer().optional(),
    /** After this a finalized order has its certificate; at once without it. */
    DEV_CA_FINALIZE_DELAY_MS: setting.integer().optional(),
    /** What clients are told to wait while something is under way; nothing without it. */
    DEV_CA_RETRY_AFTER_SECONDS: setting.integer().optional(),
    /** Signed requests a second; as many as come without it. */
    DEV_CA_REQUESTS_PER_SECOND: setting.integer().optional(),
  }),
);

const validitySeconds = config.DEV_CA_VALIDITY_SECONDS;
const server = await startDevCa({
  port: config.DEV_ACME_PORT,
  dataDir: config.DEV_CA_DIR,
  dnsServers: config.DNS_RESOLVERS,
  httpPort: config.HTTP01_PORT,
  ...(validitySeconds !== undefined && {
    validitySeconds: Object.fromEntries(profileNames.map((name) => [name, validitySeconds])),
  }),
  finalizeDelayMs: config.DEV_CA_FINALIZE_DELAY_MS,
  retryAfterSeconds: config.DEV_CA_RETRY_AFTER_SECONDS,
  requestsPerSecond: config.DEV_CA_REQUESTS_PER_SECOND,
});
await untilStopped();
await server.close();
