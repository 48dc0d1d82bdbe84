import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { DomainJobs } from '@pets/contracts';
import { createLogger } from '@pets/platform';
import {
  expectedDns,
  startDevDns,
  startFaultProxy,
  startPebble,
  testQueueKeys,
  type DevDns,
  type FaultProxy,
  type Pebble,
  type PebbleOptions,
} from '@pets/testing';
import { thumbprintOf } from '../src/certificate-authority/acme-jws.js';
import { AccountAnnouncer, CaAccounts } from '../src/certificate-authority/ca-accounts.js';
import { ChallengeDns } from '../src/challenges/challenge-dns.js';
import { ChallengeHandlers, Dns01, Http01 } from '../src/challenges/challenge-handlers.js';
import type { Config } from '../src/config.js';
import { IssuancePreflight, IssuanceService } from '../src/issuance/issuance.service.js';
import { RevocationService } from '../src/revocation/revocation.service.js';
import { WorkerDns } from '../src/worker.module.js';
import { makeAccountKey, makeCsr } from './certificates.js';
import { recordEvents, type Death } from './recorded-events.js';

export interface ChallengeResponder {
  readonly port: number;
  /** Host headers of the received requests. */
  readonly hosts: string[];
  /** The key authorization for a token; edges answer `<token>.<thumbprint>`. */
  answer: (token: string) => string;
  stop(): void;
}

export async function startChallengeResponder(): Promise<ChallengeResponder> {
  const server = createServer((request, response) => {
    responder.hosts.push(request.headers.host ?? '');
    response.end(responder.answer(request.url?.split('/').at(-1) ?? ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const responder: ChallengeResponder = {
    port: (server.address() as AddressInfo).port,
    hosts: [],
    answer: () => 'no answer is configured',
    stop: () => server.close(),
  };
  return responder;
}

const target = 't1.cname.pets.example';
const accountKey = makeAccountKey();
export const accountThumbprint = thumbprintOf(accountKey);

/** A DNS server and a challenge responder for one test file. */
export interface IssuingFixture {
  readonly dns: DevDns;
  readonly responder: ChallengeResponder;
  stop(): Promise<void>;
}

export async function startIssuingFixture(options: Parameters<typeof startDevDns>[0] = {}): Promise<IssuingFixture> {
  const dns = await startDevDns(options);
  dns.put({ type: 'A', name: target, data: '127.0.0.1' });
  const responder = await startChallengeResponder();
  const stop = async () => {
    responder.stop();
    await dns.close();
  };
  return { dns, responder, stop };
}

export type IssuingWorker = ReturnType<typeof makeWorker>;

/** Choice of the events that are recorded of a worker, and when it dies. */
interface Recording {
  readonly death?: Death;
  /** Whether `certificate.ordered` is recorded, which each attempt sends between its other events. */
  readonly withOrders?: boolean;
}

/** The issuing part of a worker, with its events recorded. From then on the responder answers with its key. */
export function makeWorker(
  { dns, responder }: IssuingFixture,
  changes: Partial<Config> = {},
  { death, withOrders = false }: Recording = {},
) {
  const config: Config = {
    DNS_RESOLVERS: [dns.address],
    ...testQueueKeys,
    DNS_ALLOW_PRIVATE_AUTHORITATIVE: false,
    DNS_RESOLVERS_HOLD_ZONES: false,
    DNS_AUTHORITATIVE_ADDRESSES: new Map(),
    ACME_DIRECTORY_URLS: ['http://127.0.0.1:1/unused'],
    ACME_ACCOUNT_KEY: [accountKey],
    ACME_EAB: [],
    ACME_CAA_IDENTITIES: ['configured-ca.test'],
    HTTP01_PORT: responder.port,
    HEALTH_PORT: 0,
    WORKER_CONCURRENCY: 1,
    WEBHOOK_CONCURRENCY: 1,
    ALLOW_PRIVATE_WEBHOOK_TARGETS: false,
    LOG_LEVEL: 'silent',
    ...changes,
  };
  const log = createLogger('test', 'silent');
  const { sender, events } = recordEvents(0, death, (name) => withOrders || name !== 'certificate.ordered');
  const accounts = new CaAccounts(config);
  const announcer = new AccountAnnouncer(config, log, accounts, sender);
  const servers = new WorkerDns(config);
  const challenges = new ChallengeDns(config, log, servers);
  const handlers = new ChallengeHandlers(new Http01(config), new Dns01(challenges, log));
  const preflight = new IssuancePreflight(servers, handlers);
  const { thumbprint } = accounts;
  responder.answer = (token) => `${token}.${thumbprint}`;
  const revocation = new RevocationService(accounts, announcer, sender);
  return {
    issuance: new IssuanceService(accounts, announcer, preflight, challenges, sender),
    revocation,
    accounts,
    thumbprint,
    announcer,
    events,
  };
}

/** @param thumbprint of the key that orders; by default that of every worker */
export async function jobFor(
  name: string,
  directoryUrl: string,
  thumbprint = accountThumbprint,
): Promise<DomainJobs['issue-certificate']> {
  return {
    domainId: randomUUID(),
    generation: 2,
    attempt: 1,
    leaseUntil: new Date(Date.now() + 60_000).toISOString(),
    expected: expectedDns({ name, targetHost: target }),
    directoryUrl,
    accountThumbprint: thumbprint,
    methods: ['http-01'],
    clearedHost: null,
    csrPem: await makeCsr(name),
    profile: null,
    replaces: null,
    order: null,
  };
}

let names = 0;

/** A name no other test has used. */
export function newName(): string {
  names += 1;
  return `docs-${names}.acme.example`;
}

export function pointHere({ dns }: IssuingFixture, name = newName()): string {
  dns.put({ type: 'CNAME', name, data: `${target}.` });
  return name;
}

/** A Pebble that uses the fixture and that this process trusts from now on. */
export async function startTrustedPebble(
  { dns, responder }: IssuingFixture,
  options: Omit<PebbleOptions, 'dnsServer' | 'httpPort'> = {},
): Promise<Pebble> {
  const pebble = await startPebble({ dnsServer: dns.address, httpPort: responder.port, ...options });
  if (pebble === null) throw new Error('pebble is not installed');
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(pebble.caCertificatePath, 'utf8')]);
  return pebble;
}

export interface PebbleProxy extends FaultProxy {
  /** Address of Pebble's directory, through the proxy. */
  readonly directoryUrl: string;
}

/** Starts what stands between a worker and a Pebble, to count, cut or replace answers. */
export async function startPebbleProxy({ directoryUrl, tls }: Pebble): Promise<PebbleProxy> {
  const { origin, pathname } = new URL(directoryUrl);
  const proxy = await startFaultProxy({ target: origin, tls });
  return Object.assign(proxy, { directoryUrl: proxy.origin + pathname });
}
