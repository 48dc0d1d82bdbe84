import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { isWildcard } from '@pets/contracts';
import { baseNameOf, spreadFirstCheck, unwatchedRequestAt } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { currentTraceParent, type Logger } from '@pets/platform';
import { AuditLog } from '../access/audit/audit-log.js';
import { LOG } from '../platform/providers.js';
import type { ProjectRow } from '../projects/projects.repository.js';
import { WorkRepository } from '../schedule/work.repository.js';
import { DomainsRepository, type NewDomainRow } from '../names/domains.repository.js';
import { DomainHistoryRepository } from '../names/domain-history.repository.js';

const OWNERSHIP_TOKEN_BYTES = 20;
/** Base32 (RFC 4648 §6) in lower case, since DNS ignores case: without 0 and 1, which look like o and l. */
const LABEL_ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** 100 bits. */
const LABEL_LENGTH = 20;

/** Size of a batch up to which somebody waits for the first checks. */
const MOST_AWAITED = 10;

/** The request that adds names. */
export interface AdditionRequest {
  readonly apiKeyId: string;
  /** Names that are added together, these included. */
  readonly together: number;
  /** Whether they are those of an import, which has one audit event for all. */
  readonly isImport?: boolean;
}

/** Inserts the rows of new domains: claims, domains, first DNS checks, history and audit events. */
@Injectable()
export class DomainInsertion {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly work: WorkRepository,
    private readonly history: DomainHistoryRepository,
    private readonly audit: AuditLog,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** @returns ids by name, without names that the organization has already, in any project */
  async insertAll(
    tx: Tx,
    project: ProjectRow,
    names: readonly NewDomainRow[],
    { apiKeyId, together, isImport = false }: AdditionRequest,
  ): Promise<ReadonlyMap<string, string>> {
    if (names.length === 0) return new Map();
    const now = new Date();
    const { organizationId, id: projectId } = project;
    await this.domains.lockAdditions(
      tx,
      organizationId,
      names.some(({ name }) => isWildcard(name)),
    );
    await this.domains.claimAll(
      tx,
      organizationId,
      names.map(({ name }) => ({ name, targetToken: newLabel(), ownershipToken: newOwnershipToken() })),
    );
    const isRequested = together <= MOST_AWAITED;
    const requestedAt = isRequested ? now : unwatchedRequestAt(now);
    const added = await this.domains.insertAll(tx, project, withDelegationTokens(names), { now, requestedAt });
    const ids = [...added.values()];
    const traceParent = currentTraceParent();
    const dueAt = (index: number) => (isRequested ? now : spreadFirstCheck(together, index / ids.length, now));
    const cause = { isRequested, hasCertificate: false, hasAlert: false };
    await this.work.scheduleAll(
      tx,
      ids.map((domainId, index) => ({
        ...{ domainId, traceParent, cause },
        work: { dns: { dueAt: dueAt(index), failuresInARow: 0 } },
      })),
    );
    const line = {
      type: 'owner.added',
      from: null,
      to: 'awaiting_dns',
      detail: 'added: waiting for its DNS record',
    } as const;
    await this.history.recordAll(
      tx,
      ids.map((id) => ({ domain: { id, projectId }, line: { ...line, apiKeyId, at: now } })),
    );
    const event = { organizationId, type: 'domain.added' } as const;
    await this.audit.recordAll(
      tx,
      (isImport ? [] : [...added]).map(([name, id]) => ({
        ...event,
        subject: { kind: 'domain', id },
        detail: { name, projectId },
      })),
    );
    const { type: trigger, from, to } = line;
    for (const domainId of ids) this.log.info({ domainId, generation: 1, trigger, from, to }, 'domain changed');
    return added;
  }
}

/** Gives each name a delegation token; a wildcard and its base that are added together get the same. */
function withDelegationTokens(names: readonly NewDomainRow[]) {
  const tokens = new Map<string, string>();
  return names.map((each) => {
    const base = baseNameOf(each.name);
    const delegationToken = tokens.get(base) ?? newLabel();
    tokens.set(base, delegationToken);
    return { ...each, delegationToken };
  });
}

/** A DNS label that cannot be guessed. Domains keep the labels that they have, whatever their length. */
function newLabel(): string {
  return Array.from(randomBytes(LABEL_LENGTH), (byte) => LABEL_ALPHABET.charAt(byte % LABEL_ALPHABET.length)).join('');
}

function newOwnershipToken(): string {
  return randomBytes(OWNERSHIP_TOKEN_BYTES).toString('base64url');
}
