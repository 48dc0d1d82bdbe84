import type { ApiError, Domain, DomainConfig, DomainCounts, DomainHistoryEntry, EdgeRoute } from '@pets/contracts';
import { sql } from 'kysely';
import type { DomainFixture } from '../domain-fixture.js';
import { withoutSince } from '../edge/feed-steps.js';
import { attemptOf } from '../scripted-worker.js';

interface RouteRow {
  readonly host: string;
  readonly projectId: string;
  readonly version: bigint;
  readonly route: EdgeRoute | null;
}

/** The steps that tests of moves are made of. */
export function moveSteps(fixture: DomainFixture) {
  const { api, key } = fixture;
  const ask = <Body = ApiError>(method: string, path: string, body?: unknown) =>
    api.request<Body>(method, path, { key, body });
  const routes = async () =>
    (
      await sql<RouteRow>`select host, project_id as "projectId", version, route from edge_routes`.execute(api.db)
    ).rows.map((row) => ({ ...row, route: row.route && withoutSince(row.route) }));

  return {
    ask,
    move: <Body = ApiError>(domain: string, projectId: string, more: object = {}, from = fixture.projectId) =>
      ask<Body>('POST', `${fixture.path(from)}/${domain}/move`, { projectId, ...more }),
    /** A project that domains can move to. */
    createTarget: () => fixture.createProject(key, true),
    configOf: async (projectId: string) =>
      (await ask<DomainConfig>('GET', `/v1/projects/${projectId}/domain-config`)).body,
    setConfig: (projectId: string, config: DomainConfig) =>
      ask('PUT', `/v1/projects/${projectId}/domain-config`, config),
    countsOf: async (projectId: string) =>
      (await ask<DomainCounts>('GET', `/v1/projects/${projectId}/domain-counts`)).body.byState,
    linesOf: async (path: string) => (await ask<DomainHistoryEntry[]>('GET', `${path}/events?limit=100`)).body,
    routeOf: async (name: string) => (await routes()).find(({ host }) => host === name),
    newestVersion: async () => (await routes()).reduce((most, { version }) => (version > most ? version : most), 0n),
    /** A live domain. */
    issued: async (): Promise<Domain> => {
      const { id, name, issue } = await fixture.verified();
      await fixture.sign(issue, name);
      const probe = await fixture.worker.nextJob('probe-edge', id);
      const { leafSha256 } = probe;
      await api.messaging.events.emit('certificate.served', { ...attemptOf(probe), leafSha256 });
      await fixture.untilState(id, 'live');
      return fixture.get(id);
    },
  };
}
