import type { Domain, EdgeRoute, ExpectedDns, RequiredRecord } from '@pets/contracts';
import { sql } from 'kysely';
import { type DomainFixture, type Tenant } from '../domain-fixture.js';
import { withoutSince } from '../edge/feed-steps.js';
import { attemptOf, matchingFindings, orderOf, signRequest, withDelegation } from '../scripted-worker.js';

let count = 0;

/** A name below which no other test has a wildcard. */
export const freshBase = () => `w${process.pid}-${++count}.wild-example.com`;

/** DNS with the routing record and the delegation. */
export const pointing = (expected: ExpectedDns) => withDelegation(matchingFindings(expected), expected);

export const recordOf = ({ records }: Domain, purpose: string): RequiredRecord | undefined =>
  records.find((record) => record.purpose === purpose);

/** The published route of a host, suspended or not, and its project, without the time of its content; null without one. */
export async function routeOf(
  { api }: DomainFixture,
  host: string,
): Promise<(EdgeRoute & { readonly projectId: string }) | null> {
  const { rows } = await sql<{ projectId: string; route: EdgeRoute | null }>`
    select project_id as "projectId", route from edge_routes
    where host = ${host}`.execute(api.db);
  const [row] = rows;
  return row?.route ? { ...withoutSince(row.route), projectId: row.projectId } : null;
}

/** Lets the certificate that is asked for be issued, and the probe succeed. */
export async function certify({ api, worker }: DomainFixture, id: string, name: string): Promise<void> {
  const job = await worker.nextJob('issue-certificate', id);
  const chainPem = await signRequest(job.csrPem, name);
  await api.messaging.events.emit('certificate.issued', { ...orderOf(job), chainPem });
  const probe = await worker.nextJob('probe-edge', id);
  await api.messaging.events.emit('certificate.served', { ...attemptOf(probe), leafSha256: probe.leafSha256 });
}

export async function addLive(fixture: DomainFixture, owner: Tenant, name: string, find = pointing): Promise<Domain> {
  const { id } = await owner.add(name);
  await fixture.check(id, find);
  await certify(fixture, id, name);
  await owner.untilState(id, 'live');
  return owner.get(id);
}
