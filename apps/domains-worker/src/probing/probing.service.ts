import { createHash } from 'node:crypto';
import { connect } from 'node:tls';
import { Injectable } from '@nestjs/common';
import type { DomainEvents, DomainJobs } from '@pets/contracts';
import { failureText } from '@pets/domains';
import { EventSender } from '../events/event-sender.js';

type Edge = DomainJobs['probe-edge']['edges'][number];
type Probe = (edge: Edge) => Promise<ProbedEdge>;

interface ProbedEdge {
  readonly edgeId: string;
  readonly outcome: ProbeOutcome;
}

/** Checks by handshakes with a sample of the edges that a certificate is served, instead of relying on their reports. */
@Injectable()
export class ProbingService {
  constructor(private readonly events: EventSender) {}

  /** The result of the domain is sent first: edges that are probed again beside the sample delay nobody. */
  async probe(job: DomainJobs['probe-edge'], signal: AbortSignal): Promise<void> {
    const { domainId, generation, attempt, edges, spares, rechecks, suspects, leafSha256 } = job;
    const probe: Probe = async (edge) => ({
      edgeId: edge.edgeId,
      outcome: await probeEdge({ address: edge.address, name: job.name, leafSha256 }, signal),
    });
    const recheckResults = Promise.all(rechecks.map(probe));
    const unusedSpares = signal.aborted ? [] : [...spares];
    const sample = await Promise.all(edges.map((edge) => probeWithSpare(edge, unusedSpares, probe)));
    const seen = sample.flatMap((probed) => probed.slice(-1).flatMap(failureOf));
    const event = { domainId, generation, attempt };
    // Without any edge the certificate is not served.
    if (edges.length > 0 && seen.length === 0)
      await this.events.send('certificate.served', { ...event, leafSha256 }, signal);
    else await this.events.send('certificate.not_served', { ...event, seen }, signal);
    const results = [...sample.flat(), ...(await recheckResults)].map(resultOf);
    if (results.some(({ edgeId, error }) => error !== null || suspects.includes(edgeId)))
      await this.events.send('edges.probed', { domainId, results }, signal);
  }
}

/** Asks one spare if the edge cannot be reached. The last result counts. */
async function probeWithSpare(edge: Edge, unusedSpares: Edge[], probe: Probe): Promise<readonly ProbedEdge[]> {
  const first = await probe(edge);
  const spare = first.outcome.kind === 'unreachable' ? unusedSpares.shift() : undefined;
  return spare === undefined ? [first] : [first, await probe(spare)];
}

function failureOf({ edgeId, outcome }: ProbedEdge): { edgeId: string; error: string }[] {
  return outcome.kind === 'passed' ? [] : [{ edgeId, error: outcome.error }];
}

function resultOf({ edgeId, outcome }: ProbedEdge): DomainEvents['edges.probed']['results'][number] {
  return { edgeId, error: outcome.kind === 'passed' ? null : outcome.error };
}

const HANDSHAKE_LIMIT_MS = 2_000;

interface ProbeTarget {
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
type ProbeOutcome = { kind: 'passed' } | { kind: 'failed' | 'unreachable'; error: string };

/**
 * A TLS handshake for the name with one edge. The certificate is compared, not verified: this machine need not trust its CA.
 */
async function probeEdge({ address, name, leafSha256 }: ProbeTarget, signal: AbortSignal): Promise<ProbeOutcome> {
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
