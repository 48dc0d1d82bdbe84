import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { abortable } from '@pets/async';
import { AddressError, type CheckedAddresses } from '@pets/platform';
import { errorCode } from '../platform/error-code.js';
import type { AddressBreaker } from './address-breaker.js';
import type { ConnectStreak } from './connect-streak.js';
import { connectTcp } from './connect-tcp.js';
import { isUnreachable, OriginError } from './origin-error.js';

/** The place of an application. */
export interface OriginPlace {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** The name that the certificate must have. */
  readonly serverName: string;
  readonly connectMs: number;
}

export interface ConnectDeps {
  readonly addresses: CheckedAddresses;
  readonly breaker: AddressBreaker;
  /** Absent where nobody is told. */
  readonly streak?: ConnectStreak;
  /** Has the CAs that are trusted. */
  readonly secureContext: SecureContext;
  /** @throws OriginError when the platform forwards to no such place */
  readonly assertAllowed: (place: OriginPlace) => void;
}

/** A connection to an application. */
export interface OriginSocket {
  /** For HTTP. */
  readonly socket: Socket;
  /** Below TLS; else the same. */
  readonly tcp: Socket;
  readonly address: string;
}

/** The session of TLS that the next connection to an origin resumes. */
export interface TlsSession {
  session?: Buffer | undefined;
}

/** Stands for the host in the breaker while it has no address. */
const NO_ADDRESS = 'dns';

/**
 * Opens a connection to an application: resolves its host, tries its addresses, and verifies its certificate. Every address is
 * checked each time before anything is sent to it.
 * @throws OriginError
 */
export async function connectOrigin(
  place: OriginPlace,
  deps: ConnectDeps,
  resumption: TlsSession,
): Promise<OriginSocket> {
  try {
    deps.assertAllowed(place);
    const socket = await connectInTime(place, deps, resumption);
    deps.streak?.succeeded();
    return socket;
  } catch (error) {
    if (isUnreachable(error) && !(error instanceof OpenBreakerError)) deps.streak?.failed(performance.now());
    throw error;
  }
}

/** Nothing was tried. */
class OpenBreakerError extends OriginError {}

async function connectInTime(place: OriginPlace, deps: ConnectDeps, resumption: TlsSession): Promise<OriginSocket> {
  const limit = new AbortController();
  const timeout = new OriginError('connection', `no connection to ${place.host} within ${place.connectMs / 1_000} s`);
  const timer = setTimeout(() => limit.abort(timeout), place.connectMs);
  try {
    const addresses = await admittedAddresses(place, deps, limit.signal);
    return await connectAny(addresses, place, { ...deps, resumption, signal: limit.signal });
  } catch (error) {
    throw error instanceof OriginError ? error : new OriginError('connection', describe(error, place));
  } finally {
    clearTimeout(timer);
  }
}

async function admittedAddresses(
  { host }: OriginPlace,
  { addresses, breaker }: ConnectDeps,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!breaker.admit(NO_ADDRESS, performance.now()))
    throw new OpenBreakerError('dns', `no address found for ${host} a moment ago`);
  try {
    const found = await abortable(addresses.find(host), signal);
    breaker.keep(found);
    const admitted = found.filter((address) => breaker.admit(address, performance.now()));
    if (admitted.length > 0) return admitted;
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    if (error.reason === 'not_allowed') throw new OriginError('address_not_allowed', error.message);
    breaker.failed(NO_ADDRESS, performance.now());
    throw new OriginError('dns', error.message);
  }
  throw new OpenBreakerError('connection', `connections to ${host} failed a moment ago`);
}

interface Attempts extends ConnectDeps {
  readonly resumption: TlsSession;
  readonly signal: AbortSignal;
}

/** Tries the addresses until TLS is done with one of them. */
async function connectAny(addresses: readonly string[], place: OriginPlace, attempts: Attempts): Promise<OriginSocket> {
  const { breaker, signal } = attempts;
  const left = new Set(addresses);
  const failed = (address: string) => {
    left.delete(address);
    breaker.failed(address, performance.now());
  };
  for (;;) {
    const { socket: tcp, address } = await connectTcp([...left], { port: place.port, signal, onFailed: failed }).catch(
      (error: unknown) => {
        for (const unanswered of [...left]) failed(unanswered);
        throw error;
      },
    );
    try {
      const socket = place.isTls ? await startTls(tcp, place, attempts) : tcp;
      breaker.succeeded(address);
      return { socket, tcp, address };
    } catch (error) {
      tcp.destroy();
      failed(address);
      if (left.size === 0 || signal.aborted) throw error;
    }
  }
}

function startTls(
  tcp: Socket,
  place: OriginPlace,
  { secureContext, resumption, signal }: Attempts,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const isName = isIP(place.serverName) === 0;
    const tls = connectTls({
      socket: tcp,
      host: place.serverName,
      ...(isName && { servername: place.serverName }),
      ALPNProtocols: ['http/1.1'],
      secureContext,
      session: resumption.session,
    });
    const onAbort = () => tls.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
    const onError = (error: Error) => {
      signal.removeEventListener('abort', onAbort);
      resumption.session = undefined;
      reject(tlsError(error, tls, place));
    };
    const onClose = () => onError(new Error('closed during the TLS handshake'));
    tls.once('error', onError);
    tls.once('close', onClose);
    tls.once('secureConnect', () => {
      signal.removeEventListener('abort', onAbort);
      tls.off('error', onError);
      tls.off('close', onClose);
      resolve(tls);
    });
    tls.on('session', (session: Buffer) => {
      resumption.session = session;
    });
  });
}

/** OpenSSL's names of errors of verification (`X509_V_ERR_…`), as Node writes them. */
const VERIFICATION =
  /^(?:ERR_TLS_CERT_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_MISMATCH|CRL_)/;

function tlsError(error: Error, { authorizationError }: TLSSocket, { serverName }: OriginPlace): Error {
  if (error instanceof OriginError) return error;
  const code = errorCode(error);
  const isCertificate = VERIFICATION.test(code) || Boolean(authorizationError);
  if (!isCertificate) return new OriginError('connection', `TLS with ${serverName} failed: ${code || error.message}`);
  return new OriginError('certificate', `the certificate of ${serverName} is not valid: ${code}`);
}

function describe(error: unknown, { host, port }: OriginPlace): string {
  const reason = errorCode(error) || (error instanceof Error ? error.message : String(error));
  return `no connection to ${host}:${port}: ${reason}`;
}
