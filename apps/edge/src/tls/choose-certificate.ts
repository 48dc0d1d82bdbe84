import { PLATFORM_CERTIFICATE, type EdgeRoute } from '@pets/contracts';
import { isDirectSubdomain } from '../routing/host-name.js';

export type CertificateChoice =
  | { readonly kind: 'present'; readonly certificateId: string }
  | { readonly kind: 'refuse'; readonly reason: 'unknown_name' | 'no_certificate' | 'not_covered' };

/** Which certificate a handshake for a host presents. From memory alone: an unknown name costs no I/O. */
export function chooseCertificate(
  host: string,
  route: EdgeRoute | undefined,
  platformDomain: string,
): CertificateChoice {
  if (route === undefined) return { kind: 'refuse', reason: 'unknown_name' };
  const { certificateId } = route;
  if (certificateId === null) return { kind: 'refuse', reason: 'no_certificate' };
  if (certificateId === PLATFORM_CERTIFICATE && !isDirectSubdomain(host, platformDomain)) {
    return { kind: 'refuse', reason: 'not_covered' };
  }
  return { kind: 'present', certificateId };
}
