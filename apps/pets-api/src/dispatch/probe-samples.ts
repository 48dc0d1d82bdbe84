import { randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { DomainJobs } from '@pets/contracts';
import { chooseProbeEdges, type ProbeCandidate } from '@pets/domains';
import type { Clock } from '../platform/clock.js';
import type { Config } from '../platform/config.js';
import { CLOCK, CONFIG } from '../platform/providers.js';
import { EdgeProbes } from '../names/edge-ports.js';

/** A failing edge can cost the worker a handshake's time limit, so one is probed again at most this often by a replica. */
const RECHECK_MS = 1_000;

/** Bound of the random start of a replica's rotation, so that replicas do not choose the same edges. */
const MAX_ROTATION = 1_000_000;

/** The edges of a job. */
export type ProbeSample = Pick<DomainJobs['probe-edge'], 'edges' | 'spares' | 'rechecks' | 'suspects'>;

/** Chooses the edges that each probe asks, and which failing edges it asks again beside them. */
@Injectable()
export class ProbeSamples {
  private rotation = randomInt(MAX_ROTATION);
  private nextRecheckAtMs = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'PROBE_EDGES'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly probes: EdgeProbes,
  ) {}

  /** Reads the edges. @returns a function that chooses the next sample of them */
  async prepare(version: number): Promise<() => ProbeSample> {
    const candidates = await this.probes.listCandidates(version);
    return () => this.choose(candidates);
  }

  private choose(candidates: readonly ProbeCandidate[]): ProbeSample {
    this.rotation += 1;
    const options = { limit: this.config.PROBE_EDGES, rotation: this.rotation };
    const { edges, spares, suspects } = chooseProbeEdges(candidates, options);
    const rechecks = this.mayRecheck(suspects) ? suspects.slice(0, 1) : [];
    const failing = [...edges, ...spares, ...rechecks].filter(({ failures }) => failures > 0);
    return {
      edges: edges.map(targetOf),
      spares: spares.map(targetOf),
      rechecks: rechecks.map(targetOf),
      suspects: failing.map(({ edgeId }) => edgeId),
    };
  }

  private mayRecheck(suspects: readonly ProbeCandidate[]): boolean {
    const nowMs = this.clock().getTime();
    if (suspects.length === 0 || nowMs < this.nextRecheckAtMs) return false;
    this.nextRecheckAtMs = nowMs + RECHECK_MS;
    return true;
  }
}

function targetOf({ edgeId, address }: ProbeCandidate): ProbeSample['edges'][number] {
  return { edgeId, address };
}
