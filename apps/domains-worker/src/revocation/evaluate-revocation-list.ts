import 'reflect-metadata';
import { X509Certificate, X509Crl } from '@peculiar/x509';
import type { DomainEvents } from '@pets/contracts';

/** Verdict of a list about a certificate. */
export type RevocationVerdict = Pick<DomainEvents['revocation_list.checked'], 'result' | 'detail'>;

/** For differences between clocks. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** RFC 5280 §5.2.4: a list of changes only, which says nothing about the rest. */
const DELTA_CRL_INDICATOR = '2.5.29.27';
/** RFC 5280 §5.3.3: an entry about a certificate of another CA. */
const CERTIFICATE_ISSUER = '2.5.29.29';

/** The library's default is enough for 3 000 entries. A list of 1 MiB has at most 60 000, of four nodes each. */
const MAX_NODES = 250_000;

/** An unusable list proves nothing. */
export function unknown(detail: string): RevocationVerdict {
  return { result: 'unknown', detail: detail.slice(0, 500) };
}

/**
 * Reads a revocation list (RFC 5280 §5). It counts if the CA of the certificate signed it and it is current.
 * @param der the list, as it was downloaded
 * @param issuer of the certificate and of the list, DER
 * @param serialNumber hex
 */
export async function evaluateRevocationList(
  der: Buffer,
  { issuer, serialNumber }: { readonly issuer: Buffer; readonly serialNumber: string },
  now: Date,
): Promise<RevocationVerdict> {
  try {
    const [list, ca] = [new X509Crl(der, { berOptions: { maxNodes: MAX_NODES } }), new X509Certificate(issuer)];
    if (list.issuer !== ca.subject) return unknown(`the list is from "${list.issuer}"`);
    // By its key alone: of a certificate, the library takes the algorithm of that certificate's own signature.
    if (!(await list.verify({ publicKey: ca.publicKey }))) return unknown('the list is not signed by the CA');
    if (list.thisUpdate.getTime() - CLOCK_TOLERANCE_MS > now.getTime()) return unknown('the list is not valid yet');
    if (list.nextUpdate === undefined || list.nextUpdate <= now) return unknown('the list is outdated');
    if (list.getExtension(DELTA_CRL_INDICATOR) !== null) return unknown('the list has changes only');
    const entry = list.findRevoked(serialNumber);
    if (entry === null) return { result: 'good', detail: null };
    if (entry.extensions.some(({ type }) => type === CERTIFICATE_ISSUER)) return unknown('the list is about other CAs');
    return { result: 'revoked', detail: `since ${entry.revocationDate.toISOString()}` };
  } catch (error) {
    return unknown(`the list cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
