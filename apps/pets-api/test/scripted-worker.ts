import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { AuthorityKeyIdentifierExtension, Pkcs10CertificateRequest, X509CertificateGenerator } from '@peculiar/x509';
import {
  jobLanes,
  type Attempt,
  type DnsFindings,
  type DomainJobName,
  type DomainJobs,
  type ExpectedDns,
  type PreflightFindings,
} from '@pets/contracts';
import { wildcardProbeOf, wwwNameOf, zoneProbeOf } from '@pets/domains';
import type { DomainJobHandlers, Messaging } from '@pets/messaging';
import { waitUntil } from '@pets/testing';

/** Jobs that belong to a generation of a domain. */
type LeasedJobName = Exclude<DomainJobName, 'revoke-certificate' | 'check-revocation-list'>;

/** Replaces domains-worker: takes real jobs from the real queue, and reports the results that a test chooses. */
export interface ScriptedWorker {
  /** The oldest job of a kind for a domain that was not taken yet; waits for it. */
  nextJob<N extends LeasedJobName>(name: N, domainId: string): Promise<DomainJobs[N]>;
  /** The oldest job to revoke a certificate of a domain that was not taken yet; waits for it. */
  nextRevocation(domainId: string): Promise<DomainJobs['revoke-certificate']>;
  /** The oldest job to read the revocation list of an uploaded certificate that was not taken yet; waits for it. */
  nextRevocationCheck(domainId: string): Promise<DomainJobs['check-revocation-list']>;
  close(): Promise<void>;
}

/** A machine with five times as much work as it can do takes half a minute for fifty jobs. */
const LIMIT_MS = 60_000;

export function startScriptedWorker(messaging: Messaging): ScriptedWorker {
  const waiting: { name: LeasedJobName; payload: Attempt }[] = [];
  const revocations: DomainJobs['revoke-certificate'][] = [];
  const checks: DomainJobs['check-revocation-list'][] = [];
  const take = (name: LeasedJobName) => async (payload: Attempt) => void waiting.push({ name, payload });
  const handlers: DomainJobHandlers = {
    'verify-dns': take('verify-dns'),
    'reverify-domain': take('reverify-domain'),
    'issue-certificate': take('issue-certificate'),
    'probe-edge': take('probe-edge'),
    'fetch-renewal-info': take('fetch-renewal-info'),
    'revoke-certificate': async (job) => void revocations.push(job),
    'check-revocation-list': async (job) => void checks.push(job),
  };
  const consumers = jobLanes.map((lane) => messaging.processJobs(handlers, { lane, concurrency: 4 }));
  return {
    nextJob: async <N extends LeasedJobName>(name: N, domainId: string) => {
      const find = () => waiting.findIndex((job) => job.name === name && job.payload.domainId === domainId);
      await waitUntil(() => find() >= 0, { timeoutMs: LIMIT_MS, message: `a ${name} job` });
      return waiting.splice(find(), 1)[0]?.payload as DomainJobs[N];
    },
    nextRevocation: async (domainId) => {
      const find = () => revocations.findIndex((job) => job.domainId === domainId);
      await waitUntil(() => find() >= 0, { timeoutMs: LIMIT_MS, message: 'a revocation' });
      // It was found just now.
      return revocations.splice(find(), 1)[0] as DomainJobs['revoke-certificate'];
    },
    nextRevocationCheck: async (domainId) => {
      const find = () => checks.findIndex((job) => job.domainId === domainId);
      await waitUntil(() => find() >= 0, { timeoutMs: LIMIT_MS, message: 'a check of a revocation list' });
      // It was found just now.
      return checks.splice(find(), 1)[0] as DomainJobs['check-revocation-list'];
    },
    close: async () => void (await Promise.all(consumers.map((consumer) => consumer.close()))),
  };
}

/** DNS after the owner has created the record. */
export function matchingFindings({ name, targetHost }: ExpectedDns): DnsFindings {
  return findings([
    {
      name,
      type: 'CNAME',
      server: '192.0.2.53:53',
      answer: { kind: 'found', records: [{ value: targetHost, ttl: 60 }] },
    },
  ]);
}

/** DNS with the record and the proof of ownership. */
export function provenFindings(expected: ExpectedDns, token: string): DnsFindings {
  return withLookups(matchingFindings(expected), proof(expected, token));
}

/** DNS with the proof of ownership only. */
export function proofOnlyFindings(expected: ExpectedDns, token: string): DnsFindings {
  return withLookups(emptyFindings(expected), proof(expected, token));
}

/** The record, and the answer that a sibling of it does not exist. */
function proof({ ownershipHost }: ExpectedDns, token: string): DnsFindings['lookups'] {
  if (ownershipHost === null) throw new Error('the job asks for no proof');
  const answer = { kind: 'found' as const, records: [{ value: token, ttl: 60 }] };
  return [
    { name: ownershipHost, type: 'TXT', ...resolver, answer },
    { name: siblingOf(ownershipHost), type: 'TXT', ...resolver, answer: { kind: 'absent' } },
  ];
}

/** The name that is looked up to see whether a wildcard answers for a record. */
export function siblingOf(host: string): string {
  return wildcardProbeOf(host, '0123456789abcdef');
}

/** The findings with more lookups. */
export function withLookups(found: DnsFindings, lookups: DnsFindings['lookups']): DnsFindings {
  return { ...found, lookups: [...found.lookups, ...lookups] };
}

/** The findings, and the delegation of challenges to a target; by default to ours. */
export function withDelegation(
  found: DnsFindings,
  { delegation }: ExpectedDns,
  target = delegation?.target ?? '',
): DnsFindings {
  if (delegation === null) throw new Error('the job asks for no delegation');
  const answer = { kind: 'found' as const, records: [{ value: target, ttl: 60 }] };
  return withLookups(found, [{ name: delegation.host, type: 'CNAME', ...resolver, answer }]);
}

/** The findings, and the answer that there is no delegation. */
export function withoutDelegation(found: DnsFindings, { delegation }: ExpectedDns): DnsFindings {
  if (delegation === null) throw new Error('the job asks for no delegation');
  const answer = { kind: 'absent' as const };
  return withLookups(found, [{ name: delegation.host, type: 'CNAME', ...resolver, answer }]);
}

const resolver = { server: '192.0.2.53:53' };
const zoneServer = { server: '192.0.2.54:53', isAuthoritative: true };

/** DNS of an apex whose provider answers with the addresses of our target. */
export function flattenedFindings({ name, targetHost }: ExpectedDns): DnsFindings {
  const absent = { kind: 'absent' as const };
  const address = { kind: 'found' as const, records: [{ value: '198.51.100.7', ttl: 60 }] };
  return findings([
    { name, type: 'CNAME', ...resolver, answer: absent },
    { name, type: 'A', ...resolver, answer: address },
    { name, type: 'AAAA', ...resolver, answer: absent },
    { name: targetHost, type: 'A', ...resolver, answer: address },
    { name: targetHost, type: 'AAAA', ...resolver, answer: absent },
    { name, type: 'CNAME', ...zoneServer, answer: absent },
    { name, type: 'A', ...zoneServer, answer: address },
    { name, type: 'AAAA', ...zoneServer, answer: absent },
  ]);
}

/** The same, with what the zone's own server says of the `www.` name: its record, and the zone that it is in. */
export function flattenedWithWww(expected: ExpectedDns, zone = expected.name): DnsFindings {
  const { name, wwwTargetHost } = expected;
  if (wwwTargetHost === null) throw new Error('the job does not ask for the www name');
  const www = wwwNameOf(name);
  const alias = { kind: 'found' as const, records: [{ value: wwwTargetHost, ttl: 60 }] };
  return withLookups(flattenedFindings(expected), [
    { name: www, type: 'CNAME', ...zoneServer, answer: alias },
    { name: zoneProbeOf(www, '0123456789abcdef'), type: 'NS', ...zoneServer, answer: { kind: 'absent', zone } },
  ]);
}

/** The same, with the proof of ownership. */
export function flattenedWithProof(expected: ExpectedDns, token: string): DnsFindings {
  return withLookups(flattenedFindings(expected), proof(expected, token));
}

/** DNS before the owner has created a record. */
export function emptyFindings({ name }: ExpectedDns): DnsFindings {
  const absent = { server: '192.0.2.53:53', answer: { kind: 'absent' as const } };
  return findings([
    { name, type: 'CNAME', ...absent },
    { name, type: 'A', ...absent },
    { name, type: 'AAAA', ...absent },
  ]);
}

/** The findings of a check with these lookups. */
export function findings(lookups: DnsFindings['lookups']): DnsFindings {
  return { checkedAt: new Date().toISOString(), lookups, nameServers: null, zone: null };
}

export function attemptOf({ domainId, generation, attempt }: Attempt): Attempt {
  return { domainId, generation, attempt };
}

/** Returns the fields of its job that each result of an order repeats. */
export function orderOf({ directoryUrl, methods: [method = 'http-01'], ...job }: OrderJob) {
  return { ...attemptOf(job), directoryUrl, method };
}

type OrderJob = DomainJobs['issue-certificate'];

/** The findings of a failed preflight that has checked DNS alone. */
export function gateOf(dns: DnsFindings, more: Partial<PreflightFindings> = {}): PreflightFindings {
  return { dns, caa: null, reachability: [], methods: ['http-01'], challengeError: null, ...more };
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Signs a request as a CA would. */
export async function signRequest(csrPem: string, name: string): Promise<string> {
  const request = new Pkcs10CertificateRequest(csrPem);
  if (!(await request.verify())) throw new Error('the request is not signed by its key');
  const caKeys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const leaf = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: 'CN=Scripted CA',
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 90 * 86_400_000),
    publicKey: request.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [...request.extensions, await AuthorityKeyIdentifierExtension.create(caKeys.publicKey)],
  });
  return leaf.toString('pem');
}
