import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScenarioClient, openDevRecords, type DevFile } from '@pets/dev-stack';
import { sharedTestStack, startTestStack, type SharedTestStack, type TestStack } from '@pets/lab';
import {
  freePort,
  isInstalled,
  startChalltestsrv,
  startPebble,
  startTestRedis,
  type PebbleOptions,
} from '@pets/testing';
import { openPets, type DomainFixture } from './domain-steps.js';

/** A stack with Pebble as its CA. */
export interface ServicesFixture extends StackFixture {
  /** How many orders the CA has received. */
  countOrders(): number;
}

/** A running stack with a client, a visitor and a DNS server. Scenarios run on two of them: the shared one, and one on real services. */
export interface StackFixture extends DomainFixture {
  readonly issuer: RegExp;
  readonly stack: { readonly dev: DevFile };
  close(): Promise<void>;
}

const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };

/** The stack that test files share: PostgreSQL for data and queues, our own DNS server and CA. */
export async function openShared(): Promise<StackFixture & { readonly stack: SharedTestStack }> {
  const stack = await sharedTestStack(inherited);
  const records = openDevRecords(stack.dev);
  return {
    pets: openPets(stack.dev),
    visitor: createScenarioClient(stack.dev, await readFile(stack.dev.caCertificatePath, 'utf8')),
    projectId: stack.dev.projectId,
    stack,
    issuer: /Pets Development/,
    createRecord: async (name, target) => {
      await records.remove(name);
      await records.put({ name, type: 'CNAME', data: `${target}.` });
    },
    close: () => Promise.resolve(),
  };
}

/** The programs that are missing on this machine; null where there are none. */
export function missingServices(): string | null {
  const missing = ['redis-server', 'pebble', 'pebble-challtestsrv'].filter((program) => !isInstalled(program));
  return missing.length === 0 ? null : `not installed: ${missing.join(', ')}`;
}

/** Queues on Redis, certificates by Pebble, names by its DNS server. */
export async function startOnServices(
  options: Pick<PebbleOptions, 'certificateSeconds'> = {},
): Promise<ServicesFixture> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pets-system-'));
  const httpPort = await freePort();
  const redis = await startTestRedis();
  const dns = await startChalltestsrv();
  const pebble = dns && (await startPebble({ ...options, httpPort, dnsServer: dns.address, nonceRejectPercent: 15 }));
  if (redis === null || dns === null || pebble === null) throw new Error('a service that is installed did not start');
  const stack = await startTestStack({
    dataDir,
    env: {
      ...inherited,
      REDIS_URL: redis.url,
      ACME_DIRECTORY_URLS: pebble.directoryUrl,
      NODE_EXTRA_CA_CERTS: pebble.caCertificatePath,
      DNS_RESOLVERS: dns.address,
      EDGE_HTTP_PORT: String(httpPort),
    },
  });
  return {
    pets: openPets(stack.dev),
    visitor: createScenarioClient(stack.dev, await pebble.fetchRoot()),
    projectId: stack.dev.projectId,
    stack,
    issuer: /^Pebble Intermediate CA/,
    countOrders: () => pebble.orders,
    createRecord: async (name, target) => {
      await dns.addA(target, '127.0.0.1');
      await dns.clearCname(name);
      await dns.setCname(name, target);
    },
    close: () => closeAll(dataDir, stack, pebble, dns, redis),
  };
}

async function closeAll(dataDir: string, stack: TestStack, ...services: { stop(): Promise<void> }[]): Promise<void> {
  await stack.stop();
  for (const service of services) await service.stop();
  await rm(dataDir, { recursive: true, force: true });
}
