import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { certificateKeyBinding } from '@pets/contracts';
import type { DomainJob } from '@pets/messaging';
import { seal } from '@pets/platform';
import { CertificatesRepository } from '../certificates/certificates.repository.js';
import { createKeyAndCsr } from '../certificates/key-and-csr.js';
import type { Config } from '../config.js';
import { EdgeAcks } from '../edge-feed/edge-acks.js';
import { EdgeFeedRepository } from '../edge-feed/edge-feed.repository.js';
import { CONFIG } from '../providers.js';
import { expectedDnsOf } from './expected-dns.js';
import type { ClaimedWork } from './work.repository.js';

/** How long issuance and probes wait for reachable edges; one that is slower is found out by the job itself. */
const EDGE_WAIT_MS = 2_000;

/** Makes the jobs fat: everything the worker has to know, since it asks nobody. */
@Injectable()
export class JobBuilder {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly feed: EdgeFeedRepository,
    private readonly acks: EdgeAcks,
    private readonly certificates: CertificatesRepository,
  ) {}

  /** Jobs that only look at DNS. */
  build(claims: readonly ClaimedWork[]): DomainJob[] {
    return claims.map((claim): DomainJob => {
      const payload = { ...leaseOf(claim), expected: expectedDnsOf(claim, this.config.PLATFORM_DOMAIN) };
      return claim.kind === 'reverify'
        ? { name: 'reverify-domain', payload: { ...payload, directoryUrl: this.directoryUrl() } }
        : { name: 'verify-dns', payload };
    });
  }

  /**
   * Jobs that need the edges: waits until those that can be reached know the names. Leaves out what cannot be done yet
   * (no ACME account, no certificate to look for).
   */
  async buildAfterEdges(claims: readonly ClaimedWork[]): Promise<DomainJob[]> {
    const jobs = (await Promise.all([this.buildIssuances(claims), this.buildProbes(claims)])).flat();
    await this.acks.waitUntilKnown(await this.feed.versionOf(claims.map(({ name }) => name)), EDGE_WAIT_MS);
    return jobs;
  }

  private directoryUrl(): string {
    const [first] = this.config.ACME_DIRECTORY_URLS;
    if (first === undefined) throw new Error('no CA is configured');
    return first;
  }

  private async buildIssuances(claims: readonly ClaimedWork[]): Promise<DomainJob[]> {
    const issuances = claims.filter(({ kind }) => kind === 'issuance');
    if (issuances.length === 0 || (await this.feed.head()).thumbprint === null) return [];
    return Promise.all(issuances.map((claim) => this.buildIssuance(claim)));
  }

  private async buildIssuance(claim: ClaimedWork): Promise<DomainJob> {
    const directoryUrl = this.directoryUrl();
    const id = randomUUID();
    const { keyPem, csrPem } = await createKeyAndCsr(claim.name);
    const sealedKey = seal(this.config.CERTIFICATE_KEKS, keyPem, certificateKeyBinding(id, claim.organizationId));
    await this.certificates.insertPending({
      id,
      attempt: claim,
      name: claim.name,
      apexName: claim.apexName,
      organizationId: claim.organizationId,
      directoryUrl,
      csrPem,
      sealedKey,
    });
    const expected = expectedDnsOf({ ...claim, needsOwnershipProof: false }, this.config.PLATFORM_DOMAIN);
    return {
      name: 'issue-certificate',
      payload: { ...leaseOf(claim), expected, directoryUrl, csrPem, profile: null, replaces: null },
    };
  }

  private async buildProbes(claims: readonly ClaimedWork[]): Promise<DomainJob[]> {
    const probes = claims.filter(({ kind }) => kind === 'probe');
    if (probes.length === 0) return [];
    const [edges, newest] = await Promise.all([
      this.feed.listReachable(),
      this.certificates.findNewest(probes.map(({ domainId }) => domainId)),
    ]);
    return probes.flatMap((claim): DomainJob[] => {
      const certificate = newest.get(claim.domainId);
      if (certificate === undefined) return [];
      return [
        {
          name: 'probe-edge',
          payload: { ...leaseOf(claim), name: claim.name, edges, leafSha256: certificate.leafSha256 },
        },
      ];
    });
  }
}

function leaseOf({ domainId, generation, attempt, leaseUntil }: ClaimedWork) {
  return { domainId, generation, attempt, leaseUntil: leaseUntil.toISOString() };
}
