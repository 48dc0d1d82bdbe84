import { randomUUID } from 'node:crypto';
import type { DomainEvents, DomainJobs } from '@pets/contracts';
import type { DomainJobHandlers, MessagingLog } from '../src/index.js';

const unexpected = async (payload: object) => {
  throw new Error(`unexpected job ${JSON.stringify(payload)}`);
};

/** Handlers that fail on every job. A test replaces the one that it expects. */
export const noJobs: DomainJobHandlers = {
  'verify-dns': unexpected,
  'reverify-domain': unexpected,
  'issue-certificate': unexpected,
  'probe-edge': unexpected,
  'fetch-renewal-info': unexpected,
  'revoke-certificate': unexpected,
  'check-revocation-list': unexpected,
};

const silent = () => undefined;
export const silentLog: MessagingLog = { info: silent, warn: silent, error: silent };

export function served(): DomainEvents['certificate.served'] {
  return { domainId: randomUUID(), generation: 1, attempt: 1, leafSha256: 'ab' };
}

export function probe(changes: Partial<DomainJobs['probe-edge']> = {}): DomainJobs['probe-edge'] {
  return {
    domainId: randomUUID(),
    generation: 1,
    attempt: 1,
    leaseUntil: new Date(Date.now() + 20_000).toISOString(),
    name: 'docs.example.com',
    edges: [],
    spares: [],
    rechecks: [],
    suspects: [],
    leafSha256: 'ab',
    ...changes,
  };
}
