import type { SecureContext, TLSSocket } from 'node:tls';
import { PLATFORM_CERTIFICATE, type EdgeRoute } from '@pets/contracts';
import { addressGroup, type Logger } from '@pets/platform';
import { isDirectSubdomain, normalizeHost } from '../routing/host-name.js';
import { clientAddressOf } from './client-address.js';
import type { ConnectionRegistry } from './connection-registry.js';
import type { ContextUse, SecureContexts } from './secure-contexts.js';

export type CertificateChoice =
  | { readonly kind: 'present'; readonly certificateId: string }
  | { readonly kind: 'refuse'; readonly reason: 'unknown_name' | 'no_certificate' | 'not_covered' };

/** Why a handshake was refused. */
export type RefusedHandshake = Extract<CertificateChoice, { kind: 'refuse' }>['reason'] | 'certificate_unavailable';

/**
 * A fatal `unrecognized_name` alert (RFC 6066 §3, RFC 8446 §6) as a complete record. It answers a ClientHello, when nothing
 * is encrypted yet. Node can only close the connection without an alert, or with one that does not name the reason.
 */
const UNRECOGNIZED_NAME = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70]);

/** Node emits it as `tlsClientError` of the connection; its class distinguishes it from errors of clients. */
export class HandshakeRefusal extends Error {
  override readonly name = 'HandshakeRefusal';

  constructor(reason: RefusedHandshake) {
    super(`handshake refused: ${reason}`);
  }
}

type SniCallback = (servername: string, done: (error: Error | null, context?: SecureContext) => void) => void;

export interface ServerNameDeps {
  readonly find: (host: string) => EdgeRoute | undefined;
  readonly contexts: Pick<SecureContexts, 'open' | 'load'>;
  readonly connections: ConnectionRegistry;
  readonly platformDomain: string;
  readonly onRefused: (reason: RefusedHandshake) => void;
  /** Called for each handshake of a host whose DNS still pointed elsewhere. */
  readonly onPrepared: (host: string) => void;
  readonly log: Logger;
}

/**
 * Presents the certificate of the requested name, or refuses the handshake; there is no default certificate. Answers in the
 * same tick when the certificate is open, which is the usual case: waiting for another tick would slow down handshakes.
 */
export function serverNameCallback(deps: ServerNameDeps): SniCallback {
  return function (this: TLSSocket | undefined, servername, done) {
    const refuse = (reason: RefusedHandshake) => {
      deps.onRefused(reason);
      if (this !== undefined) deps.connections.underlying(this)?.write(UNRECOGNIZED_NAME);
      done(new HandshakeRefusal(reason));
    };
    const host = normalizeHost(servername) ?? '';
    const route = host === '' ? undefined : deps.find(host);
    if (route?.isPrepared) deps.onPrepared(host);
    const choice = chooseCertificate(host, route, deps.platformDomain);
    if (choice.kind === 'refuse') {
      refuse(choice.reason);
      return;
    }
    const context = deps.contexts.open(choice.certificateId, host);
    if (context !== undefined) {
      done(null, context);
      return;
    }
    const client = this === undefined ? '' : clientAddressOf(deps.connections.underlying(this) ?? this);
    const use = { host, requester: addressGroup(client) };
    loadContext(choice.certificateId, use, deps).then(
      (loaded) => (typeof loaded === 'string' ? refuse(loaded) : done(null, loaded)),
      (error: unknown) => {
        deps.log.error({ err: error, servername }, 'certificate cannot be loaded');
        refuse('certificate_unavailable');
      },
    );
  };
}

/** @returns the context to present, or why there is none */
async function loadContext(
  certificateId: string,
  use: ContextUse,
  deps: ServerNameDeps,
): Promise<SecureContext | RefusedHandshake> {
  const context = await deps.contexts.load(certificateId, use);
  const currentChoice = chooseCertificate(use.host, deps.find(use.host), deps.platformDomain); // the host may have been removed while its certificate was loaded
  return currentChoice.kind === 'refuse' ? currentChoice.reason : context;
}

/** The certificate for a host. From memory only: an unknown name costs no I/O. */
export function chooseCertificate(
  host: string,
  route: EdgeRoute | undefined,
  platformDomain: string,
): CertificateChoice {
  if (route === undefined) return { kind: 'refuse', reason: 'unknown_name' };
  const { certificateId } = route;
  if (certificateId === null) return { kind: 'refuse', reason: 'no_certificate' };
  if (certificateId === PLATFORM_CERTIFICATE && !isDirectSubdomain(host, platformDomain))
    return { kind: 'refuse', reason: 'not_covered' };
  return { kind: 'present', certificateId };
}
