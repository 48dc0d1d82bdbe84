import { createHash } from 'node:crypto';
import { connect } from 'node:tls';
import { failureText } from '@pets/domains';

const HANDSHAKE_LIMIT_MS = 2_000;

export interface ProbeTarget {
  /** `host:port`; IPv6 in brackets. */
  readonly address: string;
  readonly name: string;
  /** SHA-256 of the expected leaf's DER, lower-case hex. */
  readonly leafSha256: string;
}

/**
 * `unreachable`: no connection, or no handshake within its time limit. `failed`: the edge answered, but not with the expected
 * certificate.
 */
export type ProbeOutcome = { kind: 'passed' } | { kind: 'failed' | 'unreachable'; error: string };

/**
 * A TLS handshake for the name with one edge. The certificate is compared, not verified: this machine need not trust its CA.
 */
export async function probeEdge(
  { address, name, leafSha256 }: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  try {
    const sha256 = await presentedLeaf(address, name, signal);
    if (sha256 === leafSha256) return { kind: 'passed' };
    return { kind: 'failed', error: `presents another certificate (${sha256})` };
  } catch (error) {
    return { kind: error instanceof UnreachableError ? 'unreachable' : 'failed', error: failureText(error) };
  }
}

class UnreachableError extends Error {}

function presentedLeaf(address: string, name: string, signal: AbortSignal): Promise<string> {
  const { hostname, port } = new URL(`tls://${address}`);
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), servername: name, rejectUnauthorized: false });
    let isConnected = false;
    socket.once('connect', () => (isConnected = true));
    const timer = setTimeout(
      () => socket.destroy(new UnreachableError(`no handshake within ${HANDSHAKE_LIMIT_MS} ms`)),
      HANDSHAKE_LIMIT_MS,
    );
    const onAbort = () => socket.destroy(new Error('the probe was aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', (error: Error) => reject(isConnected ? error : new UnreachableError(failureText(error))));
    socket.on('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      reject(new Error('the connection was closed before the handshake'));
    });
    socket.on('secureConnect', () => {
      const leaf = socket.getPeerX509Certificate();
      if (leaf === undefined) return socket.destroy(new Error('no certificate was presented'));
      resolve(createHash('sha256').update(leaf.raw).digest('hex'));
      socket.destroy();
    });
  });
}
