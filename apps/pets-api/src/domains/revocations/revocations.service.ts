/**
 * Certificates that nobody may use any more are revoked at their CA (RFC 8555 §7.6), above all those that another
 * organization had for a name. A request is a row, written together with what made it necessary; from there on
 * `revocation-dispatcher.ts` makes jobs of what is due, and `revocation-outcomes.service.ts` applies what the CA has said.
 * Nobody waits for it: what stops a former owner's traffic is the feed of routes.
 */
import { Injectable } from '@nestjs/common';
import type { Attempt, RevocationReason } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { hasKeyOfRequest, readLeaf } from '../certificates/read-chain.js';
import { RevocationsRepository } from './revocations.repository.js';

/** RFC 5280 §5.3.1, and what the CA/Browser Forum names for a subscriber who has the name no longer. */
const LOST = 'cessation_of_operation' satisfies RevocationReason;

@Injectable()
export class RevocationsService {
  constructor(private readonly revocations: RevocationsRepository) {}

  /**
   * Has some certificates revoked. Those that have expired, that were revoked, and that are no certificates are left out.
   * @returns the ids of those that will be revoked because of this
   */
  async request(
    tx: Tx,
    { certificateIds, reason, now }: { certificateIds: readonly string[]; reason: RevocationReason; now: Date },
  ): Promise<string[]> {
    return certificateIds.length === 0 ? [] : this.revocations.add(tx, certificateIds, reason, now);
  }

  /** Has what other organizations still have for names revoked, since these were verified for one that owns them now. */
  async requestOfOthers(
    tx: Tx,
    names: readonly { readonly name: string; readonly organizationId: string }[],
    now: Date,
  ): Promise<void> {
    if (names.length > 0) await this.revocations.addOfOthers(tx, names, LOST, now);
  }

  /**
   * Has a certificate revoked that came when its domain had been removed: it was never served, and never will be.
   * @param csrPem the request of the attempt
   */
  async requestOfLate(
    tx: Tx,
    { chainPem, ...attempt }: Attempt & { readonly chainPem: string },
    csrPem: string,
    now: Date,
  ): Promise<void> {
    if (!hasKeyOfRequest(chainPem, csrPem)) return;
    const expiresAt = readLeaf(chainPem).notAfter;
    if (expiresAt > now) await this.revocations.addLate(tx, attempt, { chainPem, expiresAt, reason: LOST }, now);
  }
}
