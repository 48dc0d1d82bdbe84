/** Revocation of certificates (RFC 8555 §7.6). The CA publishes no list; tests read `DevCa.revocations`. */
import { z } from 'zod';
import type { AcmeContext, Answer } from './acme-context.js';
import { read } from './jws.js';
import type { Account, Issued } from './orders.js';
import { Problem } from './problem.js';
import { certificateIdentifier } from './renewal-info.js';

/** RFC 5280 §5.3.1: those that the large public CA takes from a subscriber. */
const REASONS: readonly number[] = [0, 1, 4, 5];

const revocationSchema = z.object({ certificate: z.base64url(), reason: z.int().default(0) });

/** By the account that ordered the certificate; a request that is signed with the certificate's own key is not taken. */
export function revokeCert({ store, clock }: AcmeContext, caller: Account, _id: string, payload: unknown): Answer {
  const { certificate, reason } = read(revocationSchema, payload, 'revokeCert');
  const issued = store.issued(identifierOf(certificate));
  if (issued === undefined) throw new Problem('malformed', 'this CA has not issued the certificate', { status: 404 });
  if (issued.accountId !== caller.id) throw new Problem('unauthorized', 'the certificate is of another account');
  if (!REASONS.includes(reason)) throw new Problem('badRevocationReason', `the reason ${reason} is not taken`);
  if (issued.revoked) throw new Problem('alreadyRevoked', 'the certificate was revoked before');
  issued.revoked = { reason, at: clock() };
  return { status: 200, body: '' };
}

export type Revocation = { readonly names: readonly string[]; readonly reason: number; readonly at: string };

export function listRevocations(issued: readonly Issued[]): Revocation[] {
  return issued.flatMap(({ names, revoked }) =>
    revoked ? [{ names, reason: revoked.reason, at: revoked.at.toISOString() }] : [],
  );
}

function identifierOf(certificate: string): string {
  try {
    return certificateIdentifier(Buffer.from(certificate, 'base64url'));
  } catch {
    throw new Problem('malformed', 'the certificate cannot be read');
  }
}
