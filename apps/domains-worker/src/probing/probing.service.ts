import { Injectable } from '@nestjs/common';
import type { DomainJobs } from '@pets/contracts';
import { EventSender } from '../events/event-sender.js';
import { probeEdge } from './probe-edge.js';

/** Checks by handshakes with all edges that a certificate is served, instead of relying on their reports. */
@Injectable()
export class ProbingService {
  constructor(private readonly events: EventSender) {}

  async probe(job: DomainJobs['probe-edge'], signal: AbortSignal): Promise<void> {
    const { domainId, generation, attempt, name, edges, leafSha256 } = job;
    const results = await Promise.all(
      edges.map(async ({ edgeId, address }) => ({
        edgeId,
        error: await probeEdge({ address, name, leafSha256 }, signal),
      })),
    );
    const failures = results.flatMap(({ edgeId, error }) => (error === null ? [] : [{ edgeId, error }]));
    const event = { domainId, generation, attempt };
    // Without any edge the certificate is not served.
    if (edges.length > 0 && failures.length === 0)
      return this.events.send('certificate.served', { ...event, leafSha256 }, signal);
    await this.events.send('certificate.not_served', { ...event, seen: failures }, signal);
  }
}
