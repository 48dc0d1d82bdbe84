import type { SecureContext, TLSSocket } from 'node:tls';
import { PLATFORM_CERTIFICATE, type EdgeRoute } from '@pets/contracts/edge-feed';
import type { Logger } from '@pets/platform';
import { isDirectSubdomain, normalizeHost } from '../store/host-name.js';
import type { StoredRoute } from '../store/route-cache.js';
import { clientGroupOf } from './client-address.js';
import type { ConnectionRegistry, FindRoute } from './connection-registry.js';
import type { ContextUse, SecureContexts } from './secure-contexts.js';

export type CertificateChoice =
  | { readonly kind: 'present'; readonly certificateId: string }
  | { readonly kind: 'refuse'; readonly reason: 'unknown_name' | 'no_certificate' | 'not_covered' };

/** Reason why a handshake was refused. */
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

/** The names of projects, `<label>.<domain>`, and their certificate. */
export interface ServedPlatform {
  readonly domain: string;
  /** `id` is null while there is none. */
  readonly certificate: { readonly id: string | null };
}

export interface ServerNameDeps {
  readonly find: FindRoute;
  readonly contexts: Pick<SecureContexts, 'open' | 'load'>;
  readonly connections: ConnectionRegistry;
  readonly platform: ServedPlatform;
  readonly onRefused: (reason: RefusedHandshake) => void;
  /** Called for each handshake of a row whose DNS still pointed elsewhere: strangers choose the hosts below a wildcard. */
  readonly onPrepared: (row: string) => void;
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
    const present = ({ route, context }: Presentation) => {
      if (this !== undefined) deps.connections.presented(this, route);
      done(null, context);
    };
    const route = host === '' ? undefined : deps.find(host);
    if (route?.route.isPrepared) deps.onPrepared(route.row);
    const choice = chooseCertificate(host, route?.route, deps.platform);
    if (route === undefined || choice.kind === 'refuse') {
      refuse(choice.kind === 'refuse' ? choice.reason : 'unknown_name');
      return;
    }
    const context = deps.contexts.open(choice.certificateId, host);
    if (context !== undefined) {
      present({ route, context });
      return;
    }
    const requester = this === undefined ? '' : clientGroupOf(deps.connections.underlying(this) ?? this);
    const use = { host, requester };
    loadContext(choice.certificateId, route, use, deps).then(
      (loaded) => (typeof loaded === 'string' ? refuse(loaded) : present(loaded)),
      (error: unknown) => {
        deps.log.error({ err: error, servername }, 'certificate cannot be loaded');
        refuse('certificate_unavailable');
      },
    );
  };
}

/** A certificate, and the route that it belongs to. */
interface Presentation {
  readonly route: StoredRoute;
  readonly context: SecureContext;
}

/** @returns what to present, or why there is nothing */
async function loadContext(
  certificateId: string,
  route: StoredRoute,
  use: ContextUse,
  deps: ServerNameDeps,
): Promise<Presentation | RefusedHandshake> {
  const context = await deps.contexts.load(certificateId, use);
  // The host may have been removed while the certificate was loaded, or another row answers for it now.
  const current = deps.find(use.host);
  const choice = chooseCertificate(use.host, current?.route, deps.platform);
  if (choice.kind === 'refuse') return choice.reason;
  if (current === undefined || current.row === route.row) return { route, context };
  return loadContext(choice.certificateId, current, use, deps);
}

/** The certificate for a host. From memory only: an unknown name costs no I/O. */
export function chooseCertificate(
  host: string,
  route: EdgeRoute | undefined,
  platform: ServedPlatform,
): CertificateChoice {
  if (route === undefined) return { kind: 'refuse', reason: 'unknown_name' };
  const isOfPlatform = route.certificateId === PLATFORM_CERTIFICATE;
  if (isOfPlatform && !isDirectSubdomain(host, platform.domain)) return { kind: 'refuse', reason: 'not_covered' };
  const certificateId = isOfPlatform ? platform.certificate.id : route.certificateId;
  if (certificateId === null) return { kind: 'refuse', reason: 'no_certificate' };
  return { kind: 'present', certificateId };
}
