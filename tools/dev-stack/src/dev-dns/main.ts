import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';
import { untilStopped } from '../until-stopped.js';
import { startDevDns } from './dev-dns.js';

const config = loadConfigOrExit(
  z.object({
    /** UDP and TCP. */
    DEV_DNS_PORT: setting.port().default(8053),
    /** HTTP, to put records in and take them out. */
    DEV_DNS_CONTROL_PORT: setting.port().default(8055),
    /** Resolves to 127.0.0.1, with everything below it. */
    PLATFORM_DOMAIN: z.string().default('pets.localhost'),
  }),
);

const server = await startDevDns({
  port: config.DEV_DNS_PORT,
  controlPort: config.DEV_DNS_CONTROL_PORT,
  platformDomain: config.PLATFORM_DOMAIN,
});
await untilStopped();
await server.close();
