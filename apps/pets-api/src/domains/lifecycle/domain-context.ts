import {
  jitterOf,
  mayRenew,
  targetHostFor,
  type CertificateLife,
  type DomainFacts,
  type WorkKind,
} from '@pets/domains';
import type { DomainRow } from '../domain-row.js';
import type { WorkRow } from '../dispatch/work.repository.js';

/** What is known of a domain besides its row. */
export interface DomainContext {
  readonly clocks: readonly WorkRow[];
  readonly certificate: CertificateLife | null;
  readonly ordersAt: readonly Date[];
  readonly platformDomain: string;
  readonly reverifyAfterSeconds: number;
  readonly now: Date;
}

/** The facts that decide what becomes of a domain. @param kind whose result is looked at; null for a click */
export function factsOf(domain: DomainRow, circumstances: DomainContext, kind: WorkKind | null): DomainFacts {
  const { clocks, certificate, ordersAt, now } = circumstances;
  const clockOf = (of: WorkKind | null) => clocks.find((clock) => clock.kind === of);
  const issuance = clockOf('issuance');
  return {
    ...domain,
    targetHost: targetHostFor(domain.targetToken, circumstances.platformDomain),
    isDangling: domain.dnsIssues.some(({ code }) => code === 'dangling_record'),
    jitter: jitterOf(domain.id),
    failuresInARow: clockOf(kind)?.failuresInARow ?? 0,
    certificate,
    mayRenew: mayRenew(domain.suspensions, now),
    overdueAfterMs: circumstances.reverifyAfterSeconds * 1000,
    issuance: {
      dueAt: issuance?.dueAt ?? null,
      isUnderWay: issuance?.leaseUntil != null && issuance.leaseUntil > now,
      failuresInARow: issuance?.failuresInARow ?? 0,
    },
    dnsDueAt: clockOf('dns')?.dueAt ?? null,
    ordersAt,
  };
}
