/**
 * Adds and removes many domains with one request. A batch is worked through in pieces, each in a transaction of its own, so
 * that the lock of the project is held only briefly: results of other projects may wait for it too. A crash in between leaves
 * complete pieces; a repetition finds them and does the rest.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { AddedDomain, AddedName, RemovedDomain } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import type { RequestError } from '@pets/platform';
import type { Principal } from '../http/principal.js';
import { CONFIG } from '../platform/providers.js';
import { isUuid } from '../platform/uuid.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../projects/projects.repository.js';
import { DomainAdditions } from './add-domain.service.js';
import { DomainAdmission } from './domain-admission.js';
import type { AdditionRequest } from './domain-insertion.js';
import { DomainRemovals, type RemovalOutcome, type RemovalRequest } from './remove-domain.service.js';
import { DomainsRepository, noSuchDomain } from '../names/domains.repository.js';
import { REMOVAL_WAIT_MS } from '../names/edge-ports.js';
import type { DnsZones } from '../names/expected-dns.js';
import { requiredRecords } from '../lifecycle/present-domain.js';
import { PublicAddresses } from '../names/public-addresses.js';
import { StoppingTraffic } from './stopping-traffic.service.js';

/** Names of a transaction, of a batch and of an import. */
export const PIECE = 100;

interface Pieces<Name> {
  readonly projectId: string;
  readonly names: readonly Name[];
  readonly onPiece: (names: number) => void;
}

/** A name of a piece, and what became of the removal of its domain. */
interface RemovedName {
  readonly name: string;
  readonly outcome: RemovalOutcome;
}

@Injectable()
export class DomainBatchesService {
  constructor(
    private readonly transactions: ProjectTransactions,
    @Inject(CONFIG) private readonly config: DnsZones,
    private readonly projects: ProjectsRepository,
    private readonly admission: DomainAdmission,
    private readonly additions: DomainAdditions,
    private readonly removals: DomainRemovals,
    private readonly domains: DomainsRepository,
    private readonly stopping: StoppingTraffic,
    private readonly addresses: PublicAddresses,
  ) {}

  /**
   * @param onPiece called with the names of each piece that is done
   * @throws RequestError `not_found`, `plan_required`, `deployment_required`
   */
  async addDomains(
    principal: Principal,
    projectId: string,
    names: readonly AddedName[],
    onPiece: (names: number) => void,
  ): Promise<AddedDomain[]> {
    await this.projects.get(principal.organizationId, projectId);
    this.admission.requireIncluded(principal.limits);
    const request = { apiKeyId: principal.apiKeyId, together: names.length };
    return this.inPieces({ projectId, names, onPiece }, (tx, project, piece) =>
      this.addPiece(tx, project, piece, request),
    );
  }

  /**
   * Removes domains and waits for the edges, as the removal of one does.
   * @param onPiece called with the names of each piece that is done
   * @throws RequestError `not_found`
   */
  async remove(
    principal: Principal,
    projectId: string,
    names: readonly string[],
    onPiece: (names: number) => void,
  ): Promise<RemovedDomain[]> {
    await this.projects.get(principal.organizationId, projectId);
    const removed = await this.inPieces({ projectId, names, onPiece }, (tx, project, piece) =>
      this.removePiece(tx, project, piece, { apiKeyId: principal.apiKeyId }),
    );
    const outcomes = removed.map(({ outcome }) => outcome).filter((outcome) => outcome.kind === 'removed');
    // One that was removed before is answered without a wait.
    const newest = Math.max(0, ...outcomes.map(({ version, isRepeated }) => (isRepeated ? 0 : (version ?? 0))));
    if (newest > 0) await this.stopping.waitUntilStopped(newest, REMOVAL_WAIT_MS);
    const hadRoutes = outcomes.some(({ version }) => version !== null);
    const applied = hadRoutes ? await this.stopping.appliedEverywhere() : 0n;
    const isStopped = (version: number | null) => version === null || version <= applied;
    const answered = outcomes.filter(({ version, isRepeated }) => !isRepeated && isStopped(version));
    await this.stopping.markAnswered(answered.map(({ id }) => id));
    return removed.map(({ name, outcome }) =>
      outcome.kind === 'refused'
        ? { name, result: 'refused', id: null, coveredBy: null, error: outcome.error.toApiError() }
        : {
            ...{ name, result: isStopped(outcome.version) ? 'removed' : 'stopping', id: outcome.id },
            ...{ coveredBy: outcome.coveredBy, error: null },
          },
    );
  }

  /**
   * Adds the names of one piece, in a transaction that holds the lock of the project.
   * @throws RequestError `plan_required`, `deployment_required`
   */
  async addPiece(
    tx: Tx,
    project: ProjectRow,
    piece: readonly AddedName[],
    request: AdditionRequest,
  ): Promise<AddedDomain[]> {
    const parsed = piece.map(({ name, ...labels }) => ({ name, labels, parsed: this.admission.evaluate(name) }));
    const valid = parsed.flatMap((each) => (each.parsed.ok ? [{ ...each.parsed, ...each.labels }] : []));
    const additions = await this.additions.addNames(tx, project, valid, request);
    const ids = [...additions.values()].flatMap((addition) => (addition.kind === 'refused' ? [] : [addition.id]));
    const rows = await this.domains.listLocked(tx, ids);
    const seen = new Set<string>();
    return parsed.map(({ name, parsed: each }) => {
      const addition = each.ok ? additions.get(each.name) : ({ kind: 'refused', error: each.error } as const);
      if (addition === undefined) throw new Error('a name of a batch has no outcome');
      if (addition.kind === 'refused') return refusedName(name, addition.error);
      const { id } = addition;
      // A name that is there twice was created by its first mention.
      const result = addition.kind === 'created' && !seen.has(id) ? 'created' : 'exists';
      seen.add(id);
      const row = rows.get(id);
      const records = row === undefined ? [] : requiredRecords(row, this.config, this.addresses.offered);
      return { name, result, id, records, error: null };
    });
  }

  /** Removes the domains of one piece, in a transaction that holds the lock of the project. */
  async removePiece(
    tx: Tx,
    project: ProjectRow,
    piece: readonly string[],
    request: RemovalRequest,
  ): Promise<RemovedName[]> {
    const keys = piece.map((name) => ({ name, key: this.keyOf(name) }));
    const [ids, names] = [keys.filter(({ key }) => isUuid(key)), keys.filter(({ key }) => !isUuid(key))];
    const found = await this.domains.findIds(
      project,
      { ids: ids.map(({ key }) => key), names: names.map(({ key }) => key) },
      tx,
    );
    const outcomes = await this.removals.remove(tx, project, [...new Set(found.values())], request);
    return keys.map(({ name, key }) => ({
      name,
      outcome: outcomes.get(found.get(key) ?? '') ?? { kind: 'refused', error: noSuchDomain() },
    }));
  }

  /** A name in the form in which it is stored, if it is one. */
  private keyOf(name: string): string {
    const parsed = this.admission.evaluate(name);
    return parsed.ok ? parsed.name : name.toLowerCase();
  }

  private async inPieces<Name, Result>(
    { projectId, names, onPiece }: Pieces<Name>,
    work: (tx: Tx, project: ProjectRow, piece: readonly Name[]) => Promise<Result[]>,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (let at = 0; at < names.length; at += PIECE) {
      const piece = names.slice(at, at + PIECE);
      const done = await this.transactions.run([projectId], async (tx) =>
        work(tx, await this.projects.lock(tx, projectId), piece),
      );
      results.push(...done);
      onPiece(piece.length);
    }
    return results;
  }
}

function refusedName(name: string, error: RequestError): AddedDomain {
  return { name, result: 'refused', id: null, records: [], error: error.toApiError() };
}
