import { waitUntil } from '@pets/dev-stack';
import { finish, remove, servedByAll, type Outcome, type Removal, type Scene } from './scene.js';

const DATABASE_LIMIT_MS = 30_000;
const ACCEPTED = [200, 202, 204];

/**
 * The database fails over to a standby that lacks the last versions of the feed. The edges have applied them, and the new
 * primary uses their numbers again: for the removal of a site that the standby has.
 */
export async function failover(scene: Scene): Promise<Outcome> {
  const { fixture, crowd } = scene;
  const site = await scene.spare();
  await fixture.database.keepStandby();
  await fixture.api.untilReady();
  const lost = await waitUntil(() => scene.spare(), { timeoutMs: DATABASE_LIMIT_MS, message: 'the database' });
  await fixture.database.failOver();
  const since = Date.now();
  const removal = await waitUntil(() => accepted(scene, site), { timeoutMs: DATABASE_LIMIT_MS });
  const { seen, recoveredMs } = await finish(removal);
  const before = fixture.edges.map((_place, edge) => crowd.bytesOf(lost, edge));
  const unserved = await servedByAll(scene);
  const servedLost = fixture.edges.flatMap((_place, edge) =>
    crowd.bytesOf(lost, edge) > (before[edge] ?? 0) ? [`edge ${edge} serves a site that the database lost`] : [],
  );
  return {
    seen: [...seen, ...servedLost, ...removal.servedSince()],
    unserved,
    recoveredMs: recoveredMs === 'never' ? recoveredMs : Date.now() - since,
  };
}

/** The API may not have connected to the new primary yet. */
async function accepted(scene: Scene, site: Parameters<typeof remove>[1]): Promise<Removal | undefined> {
  const removal = await remove(scene, site, ACCEPTED);
  return removal.seen.length === 0 ? removal : undefined;
}
