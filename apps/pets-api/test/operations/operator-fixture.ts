import type { EdgeRoute } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import type { Clock } from '../../src/platform/clock.js';
import { shareDomainFixture, startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { servedRoutes, withoutSince } from '../edge/feed-steps.js';
import type { ApiResponse } from '../harness.js';
import { matchingFindings } from '../scripted-worker.js';

export const adminConfig = {
  ENVIRONMENT: 'development',
  PLATFORM_DOMAIN: 'pets.localhost',
  EDGE_MAX_STALENESS: 60,
  REVERIFY_AFTER: 1800,
  PLAN_GRACE_DAYS: 14,
  PREPARE_MAX_DAYS: 90,
} as const;

/** A domain that has a certificate, and whose it is. */
export interface ServedDomain {
  readonly owner: Tenant;
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
}

export interface OperatorFixture {
  readonly domainFixture: DomainFixture;
  /** Runs an administrator's command, split at spaces; waits for no edge. */
  admin(line: string): Promise<Record<string, unknown>>;
  /** The route of a host that edges receive, without the time of its content. */
  routeOf(host: string): Promise<EdgeRoute | undefined>;
  servedTenant(): Promise<ServedDomain>;
  organizationOf(owner: Tenant): Promise<string>;
  ask<Body>(owner: { readonly key: string }, method: string, path: string, body?: unknown): Promise<ApiResponse<Body>>;
  close(): Promise<void>;
}

/** An operator with an API of its own. */
export async function startOperatorFixture(clock?: Clock): Promise<OperatorFixture> {
  return operatorFixtureOf(await startDomainFixture(undefined, {}, clock));
}

/** An operator of the API that the test files of this process share. */
export async function shareOperatorFixture(): Promise<OperatorFixture> {
  return operatorFixtureOf(await shareDomainFixture());
}

function operatorFixtureOf(domainFixture: DomainFixture): OperatorFixture {
  const { api } = domainFixture;
  const organizationOf = async ({ projectId }: Tenant) =>
    (
      await api.db
        .selectFrom('projects')
        .select('organization_id as id')
        .where('id', '=', projectId)
        .executeTakeFirstOrThrow()
    ).id;
  return {
    domainFixture,
    admin: (line) => {
      const words = line.split(' ');
      const waits = words[1] === 'suspend' || words[1] === 'resume' || words[1] === 'block' || words[1] === 'unblock';
      const args = [...words, ...(waits ? ['--wait-seconds', '0'] : [])];
      return runAdminCommand(args, api.db, adminConfig) as Promise<Record<string, unknown>>;
    },
    routeOf: async (host) => {
      const route = (await servedRoutes(api)).get(host);
      return route && withoutSince(route);
    },
    servedTenant: async () => {
      const owner = await domainFixture.tenant();
      const { id, name } = await owner.add(domainFixture.freshName());
      await domainFixture.check(id, matchingFindings);
      await domainFixture.issue(id, name);
      const hasCertificate = async () => (await owner.get(id)).certificate?.state === 'issued';
      await waitUntil(hasCertificate, { timeoutMs: 15_000, message: 'the certificate' });
      return { owner, id, name, organizationId: await organizationOf(owner) };
    },
    organizationOf,
    ask: (owner, method, path, body) =>
      api.request(method, path, { key: owner.key, ...(body !== undefined && { body }) }),
    close: () => domainFixture.close(),
  };
}
