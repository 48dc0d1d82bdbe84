import { z } from 'zod';
import type { CertificateState, DomainState, IssueCode, OwnershipState, RecordType } from '../closed-sets.js';

/** Body of addDomain. What people paste is parsed by `parseDomainName`; this only bounds it. */
export const newDomainSchema = z.strictObject({ name: z.string().max(1024) });
export type NewDomain = z.infer<typeof newDomainSchema>;

/** A record the owner is asked to create. */
export interface RequiredRecord {
  readonly type: Extract<RecordType, 'CNAME' | 'ALIAS' | 'TXT'>;
  /** As one types it at a registrar, relative to the apex: the label, or `@`. */
  readonly name: string;
  readonly value: string;
  /** Seconds. */
  readonly ttl: number;
  readonly purpose: 'routing' | 'ownership';
}

/** A record that was seen. */
export interface ObservedRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  /** Seconds; null when the resolver does not tell. */
  readonly ttl: number | null;
  /** The server that gave it. */
  readonly resolver: string;
}

/** A record that stands in the way. */
export interface RecordConflict {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly action: 'remove' | 'change';
}

/** Why a domain is not live yet, and the exact fix. */
export interface DomainIssue {
  readonly code: IssueCode;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly remediation: string;
  /** What was seen and what was expected, by name. */
  readonly evidence: Readonly<Record<string, string | number | readonly string[]>>;
}

export interface DomainCertificate {
  readonly state: CertificateState;
  readonly issuer: string | null;
  readonly notBefore: string | null;
  readonly notAfter: string | null;
  readonly renewAt: string | null;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly rateLimitedUntil: string | null;
}

/** Everything about a domain in one read. Times are RFC 3339 in UTC. */
export interface Domain {
  readonly id: string;
  /** LDH ASCII form (RFC 5890 A-labels). */
  readonly name: string;
  readonly unicodeName: string;
  /** The registrable domain, by the public suffix list. */
  readonly apexName: string;
  readonly projectId: string;
  readonly state: DomainState;
  readonly misconfigured: boolean;
  readonly createdAt: string;
  readonly verifiedAt: string | null;
  readonly liveAt: string | null;
  readonly removedAt: string | null;
  /** Edges that may still serve a removed name; 0 once traffic has stopped everywhere. */
  readonly pendingEdges: number;
  readonly records: readonly RequiredRecord[];
  readonly dns: {
    readonly requestedAt: string | null;
    readonly checkedAt: string | null;
    readonly nextCheckAt: string | null;
    readonly observed: readonly ObservedRecord[];
    readonly conflicts: readonly RecordConflict[];
  };
  readonly ownership: {
    readonly required: boolean;
    readonly state: OwnershipState;
    readonly record: RequiredRecord | null;
  };
  readonly certificate: DomainCertificate | null;
  readonly issues: readonly DomainIssue[];
}

/** One line of a domain's history. */
export interface DomainHistoryEntry {
  /** Ascends by one in each project. */
  readonly number: number;
  readonly domainId: string;
  readonly type: string;
  readonly from: DomainState | null;
  readonly to: DomainState;
  readonly detail: string;
  readonly at: string;
}
