import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Domain, DomainHistoryEntry } from '@pets/contracts';
import { judgeReverify, parseDomainName } from '@pets/domains';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { DomainError } from '@pets/platform';
import { CertificatesRepository } from '../certificates/certificates.repository.js';
import type { Config } from '../config.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import { EdgeAcks } from '../edge-feed/edge-acks.js';
import type { Principal } from '../http/principal.js';
import { ProjectsRepository, type ProjectRow } from '../projects/projects.repository.js';
import { CONFIG, DATABASE } from '../providers.js';
import { DomainsRepository, type DomainRow } from './domains.repository.js';
import { LifecycleService } from './lifecycle.service.js';
import { presentDomain } from './present-domain.js';
import { WorkRepository } from './work.repository.js';

const MAX_DOMAINS = 50;
const TOKEN_BYTES = 20;

/** How long a removal waits for the edges before it answers that some are pending. */
const REMOVAL_WAIT_MS = 1_000;

/** What an owner can do with a domain. */
@Injectable()
export class DomainsService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly domains: DomainsRepository,
    private readonly work: WorkRepository,
    private readonly certificates: CertificatesRepository,
    private readonly acks: EdgeAcks,
    private readonly lifecycle: LifecycleService,
  ) {}

  /** Adds a name to a project; polling of its DNS starts by itself. */
  async add(db: Database, { organizationId, plan }: Principal, projectId: string, input: string): Promise<Domain> {
    await this.projects.get(organizationId, projectId, db);
    const parsed = parseDomainName(input, {
      platformDomain: this.config.PLATFORM_DOMAIN,
      allowSpecialUseNames: this.config.ALLOW_SPECIAL_USE_NAMES,
    });
    if (!parsed.ok) throw new DomainError('invalid_domain', `name: ${parsed.reason}`);
    if (plan === 'free') throw new DomainError('plan_required', 'Custom domains need a paid plan (Pro or above).');

    const id = await inTransaction(db, async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      if ((await this.deployments.findServedHash(tx, projectId)) === null) {
        throw new DomainError('deployment_required', 'Deploy the project successfully before adding a domain.');
      }
      if ((await this.domains.countKept(tx, projectId)) >= MAX_DOMAINS) {
        throw new DomainError('domain_limit_reached', `A project can have at most ${MAX_DOMAINS} domains.`);
      }
      return this.insert(tx, project, parsed);
    });
    return this.presentOne(await this.domains.get(projectId, id, db), db);
  }

  async list(organizationId: string, projectId: string): Promise<Domain[]> {
    await this.projects.get(organizationId, projectId);
    return this.present(await this.domains.list(projectId));
  }

  async get(organizationId: string, projectId: string, idOrName: string): Promise<Domain> {
    await this.projects.get(organizationId, projectId);
    return this.presentOne(await this.domains.get(projectId, idOrName));
  }

  async history(organizationId: string, projectId: string, idOrName: string): Promise<DomainHistoryEntry[]> {
    await this.projects.get(organizationId, projectId);
    return this.domains.history((await this.domains.get(projectId, idOrName)).id);
  }

  /** Asks for a DNS check now. Several clicks before it runs make one check; polling starts over. */
  async verify(db: Database, organizationId: string, projectId: string, idOrName: string): Promise<Domain> {
    return this.click(db, { organizationId, projectId, idOrName }, async (tx, project, domain, now) => {
      await this.lifecycle.applyClick(
        tx,
        project,
        domain,
        { trigger: { type: 'owner.verify' }, change: { requestedAt: now } },
        now,
      );
    });
  }

  /** Asks for a fresh certificate attempt. @throws DomainError `reverify_too_early` with `Retry-After` */
  async reverify(db: Database, organizationId: string, projectId: string, idOrName: string): Promise<Domain> {
    return this.click(db, { organizationId, projectId, idOrName }, async (tx, project, domain, now) => {
      const issuance = await this.work.find(tx, domain.id, 'issuance');
      const facts = {
        state: domain.state,
        hasCertificate: (await this.certificates.findNewest([domain.id], tx)).has(domain.id),
        isAttemptInFlight: issuance?.leaseUntil != null && issuance.leaseUntil > now,
        hasLastAttemptFailed: domain.certificateIssues.length > 0,
        generationBeganAt: domain.generationBeganAt,
      };
      const verdict = judgeReverify(facts, this.config.REVERIFY_AFTER, now);
      if (!verdict.allowed) {
        const headers: Record<string, string> =
          verdict.retryAfterSeconds === null ? {} : { 'retry-after': String(verdict.retryAfterSeconds) };
        throw new DomainError('reverify_too_early', verdict.reason, headers);
      }
      await this.lifecycle.applyClick(tx, project, domain, { trigger: { type: 'owner.reverify' } }, now);
    });
  }

  /**
   * Removes a domain from any state, and waits for the edges. Repeating it asks again whether they have stopped.
   * @returns null once no edge can serve the name any more, else the domain with how many still may
   */
  async remove(organizationId: string, projectId: string, idOrName: string): Promise<Domain | null> {
    await this.projects.get(organizationId, projectId);
    const { id } = await this.domains.get(projectId, idOrName);
    const version = await this.db.transaction().execute(async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const domain = await this.domains.getLocked(tx, id);
      if (domain.state === 'removed') return domain.removedVersion === null ? null : Number(domain.removedVersion);
      return this.lifecycle.applyClick(tx, project, domain, { trigger: { type: 'owner.removed' } }, new Date());
    });
    if (version === null || (await this.acks.waitUntilStopped(version, REMOVAL_WAIT_MS)) === 0) return null;
    return this.presentOne(await this.domains.get(projectId, id));
  }

  private async insert(
    tx: Tx,
    project: ProjectRow,
    parsed: { name: string; unicodeName: string; apexName: string },
  ): Promise<string> {
    const now = new Date();
    const { organizationId } = project;
    const claim = { organizationId, name: parsed.name, targetToken: token('hex'), ownershipToken: token('base64url') };
    await this.domains.claim(tx, claim);
    const id = await this.domains.insert(tx, { ...parsed, organizationId, projectId: project.id, now });
    await this.work.schedule(tx, id, { dns: { dueAt: now, failuresInARow: 0 } });
    const domain = await this.domains.getLocked(tx, id);
    await this.domains.record(tx, domain, {
      type: 'owner.added',
      from: null,
      to: domain.state,
      detail: 'added: waiting for its DNS record',
      at: now,
    });
    await this.domains.wakeDispatcher(tx);
    return id;
  }

  private async click(
    db: Database,
    on: { readonly organizationId: string; readonly projectId: string; readonly idOrName: string },
    act: (tx: Tx, project: ProjectRow, domain: DomainRow, now: Date) => Promise<void>,
  ): Promise<Domain> {
    const { organizationId, projectId, idOrName } = on;
    await this.projects.get(organizationId, projectId, db);
    const { id } = await this.domains.get(projectId, idOrName, db);
    await inTransaction(db, async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const domain = await this.domains.getLocked(tx, id);
      if (domain.state === 'removed') throw new DomainError('not_found', 'The domain was removed.');
      await act(tx, project, domain, new Date());
    });
    return this.presentOne(await this.domains.get(projectId, id, db), db);
  }

  private async presentOne(domain: DomainRow, db: Database = this.db): Promise<Domain> {
    const [presented] = await this.present([domain], db);
    if (presented === undefined) throw new Error('nothing was presented');
    return presented;
  }

  private async present(domains: readonly DomainRow[], db: Database = this.db): Promise<Domain[]> {
    const ids = domains.map(({ id }) => id);
    const [work, certificates] = await Promise.all([this.work.listOf(ids, db), this.certificates.findNewest(ids, db)]);
    return Promise.all(
      domains.map(async (domain) =>
        presentDomain({
          domain,
          work: work.get(domain.id) ?? [],
          certificate: certificates.get(domain.id),
          pendingEdges:
            domain.removedVersion === null ? 0 : await this.acks.countPending(Number(domain.removedVersion)),
          platformDomain: this.config.PLATFORM_DOMAIN,
          now: new Date(),
        }),
      ),
    );
  }
}

/** Hex where it becomes a DNS label, which has no case. */
function token(encoding: 'hex' | 'base64url'): string {
  return randomBytes(TOKEN_BYTES).toString(encoding);
}
