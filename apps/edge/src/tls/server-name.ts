import type { SecureContext, TLSSocket } from 'node:tls';
import type { EdgeRoute } from '@pets/contracts';
import type { Logger } from '@pets/platform';
import { normalizeHost } from '../routing/host-name.js';
import { chooseCertificate, type CertificateChoice } from './choose-certificate.js';
import type { ConnectionRegistry } from './connection-registry.js';
import type { SecureContexts } from './secure-contexts.js';

/** Why a handshake was refused. */
export type RefusedHandshake = Extract<CertificateChoice, { kind: 'refuse' }>['reason'] | 'certificate_unavailable';

/**
 * A fatal `unrecognized_name` alert (RFC 6066 §3, RFC 8446 §6), as a record of its own. It answers a ClientHello, when
 * nothing is encrypted yet. Node only offers to close the connection without a word, or an alert that tells nothing.
 */
const UNRECOGNIZED_NAME = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70]);

/** Comes back as the `tlsClientError` of the connection, by then told apart from what clients do wrong. */
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
  readonly log: Logger;
}

/**
 * Presents the certificate of the name asked for, or refuses the handshake; there is no default certificate. Decided at
 * once where the certificate is open already, as it mostly is: each turn of the event loop costs a handshake.
 */
export function serverNameCallback(deps: ServerNameDeps): SniCallback {
  return function (this: TLSSocket | undefined, servername, done) {
    const refuse = (reason: RefusedHandshake) => {
      deps.onRefused(reason);
      if (this !== undefined) deps.connections.underlying(this)?.write(UNRECOGNIZED_NAME);
      done(new HandshakeRefusal(reason));
    };
    const choice = choose(servername, deps);
    if (choice.kind === 'refuse') {
      refuse(choice.reason);
      return;
    }
    const context = deps.contexts.open(choice.certificateId);
    if (context !== undefined) {
      done(null, context);
      return;
    }
    loadContext(servername, choice.certificateId, deps).then(
      (loaded) => (typeof loaded === 'string' ? refuse(loaded) : done(null, loaded)),
      (error: unknown) => {
        deps.log.error({ err: error, servername }, 'the certificate cannot be loaded');
        refuse('certificate_unavailable');
      },
    );
  };
}

function choose(servername: string, { find, platformDomain }: ServerNameDeps): CertificateChoice {
  const host = normalizeHost(servername);
  if (host === undefined) return { kind: 'refuse', reason: 'unknown_name' };
  return chooseCertificate(host, find(host), platformDomain);
}

/** The context to present, or why there is none. */
async function loadContext(
  servername: string,
  certificateId: string,
  deps: ServerNameDeps,
): Promise<SecureContext | RefusedHandshake> {
  const context = await deps.contexts.load(certificateId);
  const still = choose(servername, deps); // the host may have been removed while its certificate was loaded
  return still.kind === 'refuse' ? still.reason : context;
}
