import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { EndedRoutesRepository } from '../../src/edge/snapshots/snapshots.sweeper.js';
import { readFeed } from './feed-steps.js';
import { openSession } from '../access/session-client.js';
import { siteRoute, SnapshotFixture } from './snapshot-fixture.js';

let fixture: SnapshotFixture;

beforeAll(async () => {
  fixture = await SnapshotFixture.start();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.clear());

describe('an ended route', () => {
  const ended = async () => {
    const rows = await fixture.api.db.selectFrom('edge_routes').select('host').where('route', 'is', null).execute();
    return rows.map(({ host }) => host);
  };
  const compact = async (applied: number) => {
    const endedRoutes = new EndedRoutesRepository(fixture.api.db);
    await endedRoutes.raiseHorizon(BigInt(applied));
    return endedRoutes.deleteBelowHorizon(100);
  };

  it('is kept while a snapshot with the route may be loaded: who loads it sees the end', async () => {
    await fixture.publish({ 'a.test': siteRoute, 'b.test': siteRoute });
    const reference = await fixture.service().current();
    const version = await fixture.publish({ 'a.test': null });
    expect(await compact(version)).toBe(0);
    expect((await fixture.load(reference)).rows.has('a.test')).toBe(true);
    const { entries } = await readFeed(fixture.api, reference.version);
    expect(entries).toEqual([{ host: 'a.test', version, route: null }]);
  });

  it('is deleted below the oldest snapshot; a reader before that gets a snapshot', async () => {
    const before = await fixture.publish({ 'a.test': siteRoute, 'b.test': siteRoute });
    const { epoch } = await fixture.feed.head();
    const open = async (edgeId: string, after: number) => {
      const session = await openSession(fixture.api.url, { edgeId, epoch, after });
      session.ack(after);
      return session;
    };
    const live = await open('edge-live', before);
    await live.next('batch');
    const removal = await fixture.publish({ 'a.test': null });
    expect(await live.next('batch', 2)).toMatchObject({ entries: [{ host: 'a.test', route: null }] });
    await fixture.service().current();
    const later = await fixture.publish({ 'b.test': null });
    expect(await live.next('batch', 3)).toMatchObject({ entries: [{ host: 'b.test', route: null }] });
    expect(await compact(later)).toBe(1);
    expect(await ended()).toEqual(['b.test']);
    expect((await fixture.feed.head()).compactedVersion).toBe(removal);
    const [early, late] = [await open('edge-early', before), await open('edge-late', removal)];
    await early.next('snapshot');
    expect(await late.next('batch')).toMatchObject({ after: removal, entries: [{ host: 'b.test', route: null }] });
    await fixture.publish({ 'c.test': siteRoute });
    expect(await live.next('batch', 4)).toMatchObject({ after: later });
    for (const session of [live, early, late]) session.close();
    await fixture.api.db.deleteFrom('edges').execute();
  });

  it('is kept until every edge that may still serve has applied its end', async () => {
    const before = await fixture.publish({ 'a.test': siteRoute });
    await fixture.publish({ 'a.test': null });
    await fixture.service().current();
    expect(await compact(before)).toBe(0);
    expect(await ended()).toEqual(['a.test']);
    expect((await fixture.feed.head()).compactedVersion).toBe(0);
  });

  it('is kept while there is no snapshot', async () => {
    const version = await fixture.publish({ 'a.test': null });
    expect(await compact(version)).toBe(0);
  });

  it('may be published again', async () => {
    await fixture.publish({ 'a.test': siteRoute });
    const version = await fixture.publish({ 'a.test': null });
    await fixture.service().current();
    expect(await compact(version)).toBe(1);
    await fixture.publish({ 'a.test': siteRoute });
    expect(await fixture.feed.routeOf('a.test')).toEqual(siteRoute);
  });
});

describe('at many rows', () => {
  it('pages and deletions read an index in its order', async () => {
    await sql`insert into edge_routes (host, project_id, version, route)
      select format('h%s.test', n), ${fixture.projectId}, n, case when n % 50 = 0 then null else ${JSON.stringify(siteRoute)}::jsonb end
      from generate_series(1, 20000) n`.execute(fixture.api.db);
    await sql`analyze edge_routes`.execute(fixture.api.db);
    const plan = async (query: ReturnType<typeof sql>) => {
      const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${query}`.execute(fixture.api.db);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    expect(
      await plan(sql`select host from edge_routes
        where host collate "C" > 'h5' and route is not null
        order by host collate "C" limit 500`),
    ).toMatch(/^Limit.*\n\s+->\s+Index (Only )?Scan using edge_routes_served/);
    expect(
      await plan(sql`select host from edge_routes
        where route is null and version <= 15000
        order by version limit 100`),
    ).toMatch(/^Limit.*\n\s+->\s+Index (Only )?Scan using edge_routes_ended/);
  });
});
