import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';
import { untilStopped } from '../http-server.js';
import { startDevCa } from './dev-ca.js';

const config = loadConfigOrExit(
  z.object({
    DEV_ACME_PORT: setting.port().default(14_000),
    /** Keeps the root certificate and its key. */
    DEV_CA_DIR: z.string(),
    /** Where names are looked up, as `host:port`, comma separated; empty means the system's resolvers. */
    DNS_RESOLVERS: setting.list().default([]),
    /** Where HTTP-01 challenges are fetched: the edge's HTTP port. */
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
