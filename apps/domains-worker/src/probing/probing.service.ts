import { Injectable } from '@nestjs/common';
import type { DomainEvents, DomainJobs } from '@pets/contracts';
import { EventSender } from '../events/event-sender.js';
import { probeEdge, type ProbeOutcome } from './probe-edge.js';

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
