import { loadConfigOrExit, setting } from '@pets/platform';
import { startDevDns } from '@pets/testing/dev-dns';
import { z } from 'zod';
import { untilStopped } from '../until-stopped.js';

const config = loadConfigOrExit(
  z.object({
    /** UDP and TCP. */
    DEV_DNS_PORT: setting.port().default(8053),
    /** UDP and TCP of the second server that zones can have; without it there is none. */
    DEV_DNS_SECOND_PORT: setting.port().optional(),
    /** HTTP, to put records in and take them out. */
    DEV_DNS_CONTROL_PORT: setting.port().default(8055),
    /** Keeps the records; without it they end with the process. */
    DEV_DNS_FILE: z.string().optional(),
    /** The IPv4 address that both ports are opened on. */
    HOST: z.ipv4().default('127.0.0.1'),
    PLATFORM_DOMAIN: z.string().default('pets.localhost'),
    /** The IPv4 address of the edge: the platform domain resolves to it, with everything below. */
    PLATFORM_ADDRESS: z.ipv4().default('127.0.0.1'),
    /** The zone of challenges, and the key of its updates; without both there is none. */
    ACME_DNS_ZONE: setting.dnsZone().optional(),
    ACME_DNS_TSIG_KEY: setting.tsigKey().optional(),
  }),
);

const { ACME_DNS_ZONE: name, ACME_DNS_TSIG_KEY: key, DEV_DNS_FILE: file } = config;
const server = await startDevDns({
  port: config.DEV_DNS_PORT,
  secondPort: config.DEV_DNS_SECOND_PORT,
  controlPort: config.DEV_DNS_CONTROL_PORT,
  host: config.HOST,
  platformDomain: config.PLATFORM_DOMAIN,
  platformAddress: config.PLATFORM_ADDRESS,
  ...(name !== undefined && key !== undefined && { challengeZone: { name, key } }),
  ...(file !== undefined && { file }),
});
await untilStopped();
await server.close();
