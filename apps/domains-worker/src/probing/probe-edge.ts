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
 * A real TLS handshake for the name with one edge. The certificate is compared, not trusted: whether its CA is known to
 * this machine does not matter. Null when the edge shows it, else what it did instead.
 */
export async function probeEdge(
  { address, name, leafSha256 }: ProbeTarget,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const seen = await presentedLeaf(address, name, signal);
    return seen === leafSha256 ? null : `shows another certificate (${seen})`;
  } catch (error) {
    return failureText(error);
  }
}

function presentedLeaf(address: string, name: string, signal: AbortSignal): Promise<string> {
  const { hostname, port } = new URL(`tls://${address}`);
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), servername: name, rejectUnauthorized: false });
    const giveUp = (reason: string) => socket.destroy(new Error(reason));
    const timer = setTimeout(() => giveUp(`no handshake within ${HANDSHAKE_LIMIT_MS} ms`), HANDSHAKE_LIMIT_MS);
    const onAbort = () => giveUp('the probe was given up');
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      reject(new Error('the connection was closed before the handshake'));
    });
    socket.on('secureConnect', () => {
      const leaf = socket.getPeerX509Certificate();
      if (leaf === undefined) return giveUp('no certificate was shown');
      resolve(createHash('sha256').update(leaf.raw).digest('hex'));
      socket.destroy();
    });
  });
}
