import type { OriginHealthState } from '@pets/contracts';

/** How long a majority of the edges has to say the same before it is the state of an origin. */
const CONFIRMED_MS = 30_000;
/** An event of a failure follows the last event of its origin after this time: so there is at most one pair within it. */
const EVENT_PAUSE_MS = 10 * 60_000;

/** Opinions of edges about one origin. */
export interface OriginVotes {
  /** Edges in contact that can open no connection to it. */
  readonly failing: number;
  /** Edges in contact that can. */
  readonly reachable: number;
  /** All edges in contact, with those that have no opinion yet. */
  readonly edges: number;
}

export interface OriginHealth {
  readonly state: OriginHealthState;
  /** Time at which a majority began to say so; null: it has never changed. */
  readonly since: Date | null;
  /** Time since which a majority says the opposite; null while none does. */
  readonly oppositeSince: Date | null;
  /** State in the last event. */
  readonly announced: OriginHealthState;
  readonly announcedAt: Date | null;
}

export const initialHealth: OriginHealth = {
  state: 'reachable',
  since: null,
  oppositeSince: null,
  announced: 'reachable',
  announcedAt: null,
};

export interface HealthOutcome {
  readonly health: OriginHealth;
  /** Event to send with the change. */
  readonly event: 'origin.failing' | 'origin.restored' | null;
  /** Whether edges are asked further: until none in contact says that it fails. */
  readonly isWatched: boolean;
}

/** Decides what the opinions of edges say about an origin, and whether its owner is to be told. */
export function evaluateHealth(before: OriginHealth, votes: OriginVotes, now: Date): HealthOutcome {
  const confirmed = confirm(before, majorityOf(votes), now);
  const { state } = confirmed;
  const isAnnounced = state !== before.announced && mayAnnounce(state, before.announcedAt, now);
  return {
    health: isAnnounced ? { ...confirmed, announced: state, announcedAt: now } : confirmed,
    event: isAnnounced ? (state === 'failing' ? 'origin.failing' : 'origin.restored') : null,
    isWatched: state === 'failing' || votes.failing > 0,
  };
}

/**
 * The opinion of more than half of the edges that have one. All edges in contact are asked, so nothing is decided before more than
 * half of them have answered: an edge that lost its own network would otherwise decide alone.
 */
function majorityOf({ failing, reachable, edges }: OriginVotes): OriginHealthState | null {
  const opinions = failing + reachable;
  if (2 * opinions <= edges) return null;
  if (2 * failing > opinions) return 'failing';
  return 2 * reachable > opinions ? 'reachable' : null;
}

function confirm(before: OriginHealth, majority: OriginHealthState | null, now: Date): OriginHealth {
  if (majority === null || majority === before.state) return { ...before, oppositeSince: null };
  const oppositeSince = before.oppositeSince ?? now;
  if (now.getTime() - oppositeSince.getTime() < CONFIRMED_MS) return { ...before, oppositeSince };
  return { ...before, state: majority, since: oppositeSince, oppositeSince: null };
}

/** The end of a failure that was announced is told at once; a failure waits for the end of the pause. */
function mayAnnounce(state: OriginHealthState, announcedAt: Date | null, now: Date): boolean {
  return state === 'reachable' || announcedAt === null || now.getTime() - announcedAt.getTime() >= EVENT_PAUSE_MS;
}
