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
 * A TLS handshake for the name with one edge. The certificate is compared, not verified: this machine need not trust its CA.
 * @returns null when the edge presents the expected certificate, else the difference
 */
export async function probeEdge(
  { address, name, leafSha256 }: ProbeTarget,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const sha256 = await presentedLeaf(address, name, signal);
    return sha256 === leafSha256 ? null : `presents another certificate (${sha256})`;
  } catch (error) {
    return failureText(error);
  }
}

function presentedLeaf(address: string, name: string, signal: AbortSignal): Promise<string> {
  const { hostname, port } = new URL(`tls://${address}`);
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), servername: name, rejectUnauthorized: false });
    const fail = (reason: string) => socket.destroy(new Error(reason));
    const timer = setTimeout(() => fail(`no handshake within ${HANDSHAKE_LIMIT_MS} ms`), HANDSHAKE_LIMIT_MS);
    const onAbort = () => fail('the probe was aborted');
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      reject(new Error('the connection was closed before the handshake'));
    });
    socket.on('secureConnect', () => {
      const leaf = socket.getPeerX509Certificate();
      if (leaf === undefined) return fail('no certificate was presented');
      resolve(createHash('sha256').update(leaf.raw).digest('hex'));
      socket.destroy();
    });
  });
}
