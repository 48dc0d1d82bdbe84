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
  readonly contexts: Pick<SecureContexts, 'get'>;
  readonly connections: ConnectionRegistry;
  readonly platformDomain: string;
  readonly onRefused: (reason: RefusedHandshake) => void;
  readonly log: Logger;
}

/** Presents the certificate of the name asked for, or refuses the handshake; there is no default certificate. */
export function serverNameCallback(deps: ServerNameDeps): SniCallback {
  return function (this: TLSSocket | undefined, servername, done) {
    const refuse = (reason: RefusedHandshake) => {
      deps.onRefused(reason);
      if (this !== undefined) deps.connections.underlying(this)?.write(UNRECOGNIZED_NAME);
      done(new HandshakeRefusal(reason));
    };
    contextFor(servername, deps).then(
      (context) => (typeof context === 'string' ? refuse(context) : done(null, context)),
      (error: unknown) => {
        deps.log.error({ err: error, servername }, 'the certificate cannot be loaded');
        refuse('certificate_unavailable');
      },
    );
  };
}

/** The context to present, or why there is none. */
async function contextFor(servername: string, deps: ServerNameDeps): Promise<SecureContext | RefusedHandshake> {
  const host = normalizeHost(servername);
  if (host === undefined) return 'unknown_name';
  const choose = () => chooseCertificate(host, deps.find(host), deps.platformDomain);

  const choice = choose();
  if (choice.kind === 'refuse') return choice.reason;
  const context = await deps.contexts.get(choice.certificateId);
  const still = choose(); // the host may have been removed while its certificate was loaded
  return still.kind === 'refuse' ? still.reason : context;
}
