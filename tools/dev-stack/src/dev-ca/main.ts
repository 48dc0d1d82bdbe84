import { loadConfigOrExit, setting } from '@pets/platform';
import { startDevCa } from '@pets/testing/dev-ca';
import { z } from 'zod';
import { untilStopped } from '../until-stopped.js';

const config = loadConfigOrExit(
  z.object({
    DEV_ACME_PORT: setting.port().default(14_000),
    /** Keeps the root certificate and its key. */
    DEV_CA_DIR: z.string(),
    /** Resolvers of names, as `host:port`, comma separated; empty for the system's. */
    DNS_RESOLVERS: setting.list().default([]),
    /** Port that HTTP-01 challenges are fetched from: the edge's HTTP port. */
    HTTP01_PORT: setting.port().default(8080),
  }),
);

const server = await startDevCa({
  port: config.DEV_ACME_PORT,
  dataDir: config.DEV_CA_DIR,
  dnsServers: config.DNS_RESOLVERS,
  httpPort: config.HTTP01_PORT,
});
await untilStopped();
await server.close();
