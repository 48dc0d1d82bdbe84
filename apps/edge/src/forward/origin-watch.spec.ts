import { describe, expect, it } from '@jest/globals';
import { MAX_REPORTED_HEALTH, originRow, type EdgeOrigin, type EdgeRoute } from '@pets/contracts/edge-feed';
import { OriginError } from './origin-error.js';
import { OriginWatch } from './origin-watch.js';

function originOf(organizationId = 'organization'): EdgeOrigin {
  return {
    ...{ kind: 'origin', organizationId, projectId: 'project', url: 'https://app.example' },
    ...{ timeouts: { connect: 5, answer: 60, idle: 300 }, maxConnections: 100, test: 0 },
  };
}

/** A watch whose time and attempts a test decides: every origin is known, and fails while it is in `failing`. */
class Fixture {
  nowMs = 0;
  readonly failing = new Set<string>();
  /** Times of attempts, in seconds. */
  readonly attempts: number[] = [];
  readonly #byOrigin = new Map<EdgeOrigin, string>();
  readonly watch = new OriginWatch({
    find: (id) => {
      const origin = originOf(id);
      this.#byOrigin.set(origin, id);
      return origin;
    },
    tryConnection: (origin) => {
      this.attempts.push(this.nowMs / 1_000);
      const isFailing = this.failing.has(this.#byOrigin.get(origin) ?? '');
      return isFailing ? Promise.reject(new OriginError('connection', 'refused')) : Promise.resolve();
    },
    now: () => this.nowMs,
  });

  /** Moves the time on, in steps of half a second. @returns what was reported, with its time */
  async pass(seconds: number): Promise<readonly (readonly [seconds: number, origin: string, code: string | null])[]> {
    const reports: [number, string, string | null][] = [];
    for (const endMs = this.nowMs + seconds * 1_000; this.nowMs < endMs; this.nowMs += 500) {
      this.watch.tick();
      await new Promise(setImmediate);
      for (const { origin, failure } of this.watch.report())
        reports.push([this.nowMs / 1_000, origin, failure?.code ?? null]);
    }
    return reports;
  }
}

const batch = (id: string, route: EdgeRoute | null) => ({
  ...({ kind: 'batch', epoch: 'e', protocol: 1, after: 1, version: 2 } as const),
  ...{ thumbprint: null, platformCertificate: null, entries: [{ host: originRow(id), version: 2, route }] },
});

describe('an origin that a serving process suspects', () => {
  it('is tried at once, then at intervals that grow to 30 s, and reported each minute', async () => {
    const fixture = new Fixture();
    fixture.failing.add('a');
    fixture.watch.suspect('a', true);
    const reports = await fixture.pass(130);
    expect(fixture.attempts).toEqual([0, 5, 15, 35, 65, 95, 125]);
    expect(reports).toEqual([0, 60, 120].map((seconds) => [seconds, 'a', 'connection']));
    expect(fixture.watch.failing).toBe(1);
  });

  it('is not reported, and forgotten, when a connection can be opened', async () => {
    const fixture = new Fixture();
    fixture.watch.suspect('a', true);
    expect(await fixture.pass(60)).toEqual([]);
    expect(fixture.attempts).toEqual([0]);
  });

  it('is tried soon after a serving process has opened a connection', async () => {
    const fixture = new Fixture();
    fixture.failing.add('a');
    fixture.watch.suspect('a', true);
    await fixture.pass(40);
    fixture.failing.clear();
    fixture.watch.suspect('a', false);
    expect(await fixture.pass(30)).toEqual([[40, 'a', null]]);
    expect(fixture.attempts).toEqual([0, 5, 15, 35, 40, 45]);
    expect(fixture.watch.failing).toBe(0);
  });

  it('is reported every ten seconds at most, however often it changes', async () => {
    const fixture = new Fixture();
    const times: number[] = [];
    for (let seconds = 0; seconds < 120; seconds += 2) {
      if (seconds % 4 === 0) fixture.failing.add('a');
      else fixture.failing.clear();
      fixture.watch.suspect('a', seconds % 4 === 0);
      times.push(...(await fixture.pass(2)).map(([at]) => at));
    }
    expect(times.length).toBeGreaterThan(4);
    times.slice(1).forEach((at, index) => expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(10));
  });
});

describe('an origin that the API asks about', () => {
  it('is tried and reported, until it asks no more', async () => {
    const fixture = new Fixture();
    fixture.watch.asked(['a']);
    expect(await fixture.pass(10)).toEqual([[0, 'a', null]]);
    fixture.watch.asked([]);
    await fixture.pass(1);
    const { length } = fixture.attempts;
    await fixture.pass(60);
    expect(fixture.attempts).toHaveLength(length);
    fixture.watch.asked(['a']);
    expect(await fixture.pass(1)).toEqual([[71, 'a', null]]);
  });

  it('stays watched while it fails, also when the API asks no more', async () => {
    const fixture = new Fixture();
    fixture.failing.add('a');
    fixture.watch.asked(['a']);
    await fixture.pass(10);
    fixture.watch.asked([]);
    await fixture.pass(60);
    fixture.failing.clear();
    expect(await fixture.pass(31)).toEqual([[expect.any(Number), 'a', null]]);
  });
});

it('begins again with an origin that has changed, and forgets one that was removed', async () => {
  const fixture = new Fixture();
  for (const id of ['a', 'b']) fixture.failing.add(id);
  for (const id of ['a', 'b']) fixture.watch.suspect(id, true);
  await fixture.pass(20);
  fixture.failing.clear();
  fixture.watch.applied(batch('a', { answersChallenges: false, serve: originOf(), certificateId: null }));
  fixture.watch.applied(batch('b', null));
  expect(await fixture.pass(60)).toEqual([[20, 'a', null]]);
});

it('reports a bounded number at a time, and the others next', async () => {
  const fixture = new Fixture();
  const ids = Array.from({ length: 2 * MAX_REPORTED_HEALTH + 1 }, (_, index) => `origin-${index}`);
  for (const id of ids) fixture.failing.add(id);
  for (const id of ids) fixture.watch.suspect(id, true);
  const reports = await fixture.pass(5);
  const perReport = Map.groupBy(reports, ([at]) => at);
  for (const together of perReport.values()) expect(together.length).toBeLessThanOrEqual(MAX_REPORTED_HEALTH);
  expect(new Set(reports.map(([, id]) => id)).size).toBe(ids.length);
  expect(reports).toHaveLength(ids.length);
});
