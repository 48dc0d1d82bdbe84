import { describe, expect, it } from '@jest/globals';
import {
  evaluateHealth,
  initialHealth,
  type HealthOutcome,
  type OriginHealth,
  type OriginVotes,
} from './evaluate-health.js';

const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1_000);
const votes = (failing: number, reachable = 0, edges = failing + reachable): OriginVotes => ({
  failing,
  reachable,
  edges,
});

/** Evaluates at several times, in seconds, with what edges say from then on. */
function run(...steps: readonly (readonly [seconds: number, votes: OriginVotes])[]): HealthOutcome & {
  readonly events: readonly (readonly [seconds: number, event: string])[];
} {
  const events: [number, string][] = [];
  let outcome: HealthOutcome = { health: initialHealth, event: null, isWatched: false };
  for (const [seconds, said] of steps) {
    outcome = evaluateHealth(outcome.health, said, at(seconds));
    if (outcome.event !== null) events.push([seconds, outcome.event]);
  }
  return { ...outcome, events };
}

describe('an origin', () => {
  it('fails when a majority has said so for 30 s, with one event', () => {
    const early = run([0, votes(1)], [29.9, votes(1)]);
    expect(early).toMatchObject({ health: { state: 'reachable' }, events: [], isWatched: true });
    const failing = run([0, votes(1)], [30, votes(1)], [35, votes(1)], [3_600, votes(1)]);
    expect(failing.health).toMatchObject({ state: 'failing', since: at(0), oppositeSince: null, announcedAt: at(30) });
    expect(failing.events).toEqual([[30, 'origin.failing']]);
  });

  it('is restored when a majority has said so for 30 s, with one event', () => {
    const steps = [
      [0, votes(1)],
      [30, votes(1)],
      [60, votes(0, 1)],
    ] as const;
    expect(run(...steps, [89.9, votes(0, 1)])).toMatchObject({ health: { state: 'failing' }, isWatched: true });
    const restored = run(...steps, [90, votes(0, 1)], [95, votes(0, 1)]);
    expect(restored.health).toMatchObject({ state: 'reachable', since: at(60), announced: 'reachable' });
    expect(restored).toMatchObject({
      events: [
        [30, 'origin.failing'],
        [90, 'origin.restored'],
      ],
      isWatched: false,
    });
  });

  it('keeps its state when the majority has not lasted', () => {
    const interrupted = run([0, votes(1)], [20, votes(0, 1)], [21, votes(1)], [50, votes(1)]);
    expect(interrupted.health).toMatchObject({ state: 'reachable', oppositeSince: at(21) });
  });

  it.each<[name: string, votes: OriginVotes, state: string]>([
    ['one of one', votes(1), 'failing'],
    ['one of two', votes(1, 1), 'reachable'],
    ['two of three', votes(2, 1), 'failing'],
    ['two of four', votes(2, 2), 'reachable'],
    ['one, before the other edge has an opinion', votes(1, 0, 2), 'reachable'],
    ['two of three, where one has no opinion', votes(2, 0, 3), 'failing'],
    ['one of three, where two have no opinion', votes(1, 0, 3), 'reachable'],
    ['nobody', votes(0, 0, 3), 'reachable'],
  ])('fails by the majority of edges with an opinion: %s', (_name, said, state) => {
    expect(run([0, said], [30, said]).health.state).toBe(state);
  });

  it.each<[name: string, votes: OriginVotes, state: string]>([
    ['one of two', votes(1, 1), 'failing'],
    ['two of three', votes(1, 2), 'reachable'],
    ['no opinion is left', votes(0, 0, 2), 'failing'],
    ['no edge is left', votes(0, 0, 0), 'failing'],
  ])('is restored by a majority alone: %s', (_name, said, state) => {
    expect(run([0, votes(3)], [30, votes(3)], [100, said], [130, said]).health.state).toBe(state);
  });

  it('is watched while it fails or an edge says so', () => {
    expect(run([0, votes(1, 5)]).isWatched).toBe(true);
    expect(run([0, votes(3)], [30, votes(3)], [40, votes(0, 0, 3)]).isWatched).toBe(true);
    expect(run([0, votes(1)], [5, votes(0, 1)]).isWatched).toBe(false);
  });
});

describe('an origin that flaps', () => {
  const failed = votes(1);
  const fine = votes(0, 1);

  it('sends at most a pair of events in ten minutes, while its state stays right', () => {
    const events: [number, string][] = [];
    let health: OriginHealth = initialHealth;
    // Two minutes each, for an hour.
    for (let seconds = 0; seconds < 3_600; seconds += 5) {
      const said = Math.floor(seconds / 120) % 2 === 0 ? failed : fine;
      const outcome = evaluateHealth(health, said, at(seconds));
      health = outcome.health;
      if (outcome.event !== null) events.push([seconds, outcome.event]);
      if (seconds % 120 >= 30) expect(health.state).toBe(said === failed ? 'failing' : 'reachable');
    }
    expect(events.length).toBeGreaterThan(4);
    events.forEach(([, event], index) => expect(event).toBe(index % 2 === 0 ? 'origin.failing' : 'origin.restored'));
    for (const [from] of events)
      expect(events.filter(([seconds]) => seconds >= from && seconds < from + 600).length).toBeLessThanOrEqual(2);
  });

  it('tells a failure that lasts at the end of the pause', () => {
    const { events } = run(
      ...([
        [0, failed],
        [30, failed],
        [60, fine],
        [90, fine],
        [100, failed],
        [130, failed],
      ] as const),
      ...([
        [689, failed],
        [690, failed],
      ] as const),
    );
    expect(events).toEqual([
      [30, 'origin.failing'],
      [90, 'origin.restored'],
      [690, 'origin.failing'],
    ]);
  });

  it('sends nothing about a failure that has ended within the pause', () => {
    const { events, health } = run(
      ...([
        [0, failed],
        [30, failed],
        [60, fine],
        [90, fine],
        [100, failed],
        [130, failed],
      ] as const),
      ...([
        [200, fine],
        [230, fine],
        [900, fine],
      ] as const),
    );
    expect(events).toHaveLength(2);
    expect(health.state).toBe('reachable');
  });
});
