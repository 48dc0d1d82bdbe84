import type { EdgeRoute } from '@pets/contracts';
import { createLogger } from '@pets/platform';
import { ClusterIdentity, FeedPagesRepository, type FeedPage } from '../../src/edge/sessions/feed-pages.repository.js';
import { openSession } from '../access/session-client.js';
import type { TestApi } from '../harness.js';

/** More than any test publishes. */
const LIMIT = 100_000;

/** The feed as sessions read it: its head, and the hosts that changed after a version. */
export function readFeed({ db }: Pick<TestApi, 'db'>, after = 0): Promise<FeedPage> {
  const cluster = new ClusterIdentity(db, createLogger('test', 'silent'));
  return new FeedPagesRepository(db, cluster).page({ version: after + 1, host: '' }, LIMIT);
}

/** A route without the time since which its host has its content, to compare it with one of before or after. */
export function withoutSince(route: EdgeRoute): EdgeRoute {
  const { serve } = route;
  return serve?.kind === 'site' ? { ...route, serve: { ...serve, since: undefined } } : route;
}

/** The routes of all served hosts. */
export async function servedRoutes(api: Pick<TestApi, 'db'>): Promise<ReadonlyMap<string, EdgeRoute>> {
  const { entries } = await readFeed(api);
  return new Map(entries.flatMap(({ host, route }) => (route === null ? [] : [[host, route]])));
}

/** An edge registers, has applied a version, and is lost. By default it has applied everything. */
export async function acknowledge(
  api: Pick<TestApi, 'db'>,
  apiUrl: string,
  edgeId: string,
  applied: { readonly version?: number; readonly epoch?: string } = {},
): Promise<void> {
  const { head } = await readFeed(api);
  const { version = head.version, epoch = head.epoch } = applied;
  const session = await openSession(apiUrl, { edgeId, epoch, after: version });
  session.ack(version);
  await session.next('contact');
  session.close();
}
