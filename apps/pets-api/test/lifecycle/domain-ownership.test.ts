import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain } from '@pets/contracts';
import { createLogger } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { addVerified, untilIssues } from '../domains/domain-steps.js';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import {
  attemptOf,
  matchingFindings,
  orderOf,
  proofOnlyFindings,
  provenFindings,
  signRequest,
} from '../scripted-worker.js';

let fixture: DomainFixture;
/** Errors that the API logged, including failed events. */
const errors: unknown[] = [];

beforeAll(async () => {
  const error = (...entry: unknown[]) => void errors.push(entry);
  fixture = await startDomainFixture(Object.assign(createLogger('pets-api-test', 'silent'), { error }));
  await fixture.api.startReplica();
});
afterAll(() => fixture.close());

const proofOf = ({ ownership }: Domain) => ownership.record?.value ?? '';
const verified = (owner: Tenant, name: string) => addVerified(fixture, owner, name);

async function routeOf(host: string): Promise<{ projectId: string; version: bigint; certificateId: string | null }> {
  const { rows } = await sql<{ projectId: string; version: bigint; certificateId: string | null }>`
    select project_id as "projectId", version, route->>'certificateId' as "certificateId"
    from edge_routes where host = ${host}`.execute(fixture.api.db);
  if (rows[0] === undefined) throw new Error(`no route of ${host}`);
  return rows[0];
}

describe('a name that another organization has', () => {
  it('moves to whoever shows the record and the proof in one check', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const name = fixture.freshName();
    const theirs = await verified(former, name);
    await fixture.issue(theirs.id, name);
    await fixture.worker.nextJob('probe-edge', theirs.id);

    const ours = await next.add(name);
    expect(ours.ownership).toMatchObject({ required: true, state: 'pending' });
    await fixture.check(ours.id, (expected) => provenFindings(expected, proofOf(ours)));
    await next.untilState(ours.id, 'verified');
    expect((await next.get(ours.id)).ownership.state).toBe('proven');
    expect(await former.get(theirs.id)).toMatchObject({ state: 'removed', pendingEdges: 0 });
    expect((await former.events(theirs.id)).at(-1)).toMatchObject({
      type: 'owner.lost',
      to: 'removed',
      detail: expect.stringContaining('another organization proved that it owns the name'),
      actor: { kind: 'system', id: null, display: null },
    });
    expect((await next.events(ours.id)).at(-1)?.detail).toContain('moved the name here');
    // Nothing of the former owner's is served: neither files nor certificate.
    expect(await routeOf(name)).toMatchObject({ projectId: next.projectId, certificateId: null });
  });

  it('changes hands in one version of the feed, with all that hung on it', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const [name, alias] = [fixture.freshName(), fixture.freshName()];
    const theirs = await verified(former, name);
    const other = await verified(former, alias);
    for (const { id, name: host } of [theirs, other]) {
      await fixture.issue(id, host);
      await fixture.worker.nextJob('probe-edge', id);
    }
    const config = `/v1/projects/${former.projectId}/domain-config`;
    const body = { domains: { primary: name, redirects: [{ from: alias, to: name, status: 301 }] } };
    await fixture.api.request('PUT', config, { key: former.key, body });

    const ours = await next.add(name);
    await fixture.check(ours.id, (expected) => provenFindings(expected, proofOf(ours)));
    await former.untilState(theirs.id, 'removed');
    const [moved, freed] = [await routeOf(name), await routeOf(alias)];
    expect([moved.projectId, freed.projectId]).toEqual([next.projectId, former.projectId]);
    expect(freed.version).toBe(moved.version);
    expect((await fixture.api.request('GET', config, { key: former.key })).body).toEqual({
      domains: { redirects: [] },
    });
    const { rows } = await sql<{ version: bigint }>`
      select removed_version as version from domains where id = ${theirs.id}`.execute(fixture.api.db);
    expect(rows[0]?.version).toBe(moved.version);
  });

  it('does not move without the proof, and says how to get it', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const name = fixture.freshName();
    const theirs = await verified(former, name);
    const ours = await next.add(name);
    await fixture.check(ours.id, matchingFindings);
    await untilIssues(next, ours.id, ['ownership_txt_missing', 'claimed_elsewhere']);
    expect((await next.get(ours.id)).issues[1]?.remediation).toContain(`_platform-challenge.${name}`);
    expect((await former.get(theirs.id)).state).toBe('verified');
  });

  it('does not move by a proof that an earlier check has found', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const name = fixture.freshName();
    const theirs = await verified(former, name);
    const ours = await next.add(name);
    await fixture.check(ours.id, (expected) => proofOnlyFindings(expected, proofOf(ours)));
    await untilIssues(next, ours.id, ['no_record']);
    expect((await next.get(ours.id)).ownership.state).toBe('proven');
    await fixture.check(ours.id, matchingFindings);
    await untilIssues(next, ours.id, ['ownership_txt_missing', 'claimed_elsewhere']);
    expect((await next.get(ours.id)).ownership.state).toBe('pending');
    expect((await former.get(theirs.id)).state).toBe('verified');
  });

  it('does not come back by a certificate that arrives after it has moved', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const name = fixture.freshName();
    const theirs = await verified(former, name);
    const late = await fixture.worker.nextJob('issue-certificate', theirs.id);
    const ours = await next.add(name);
    await fixture.check(ours.id, (expected) => provenFindings(expected, proofOf(ours)));
    await former.untilState(theirs.id, 'removed');
    const chainPem = await signRequest(late.csrPem, name);
    await fixture.api.messaging.events.emit('certificate.issued', { ...orderOf(late), chainPem });
    await fixture.issue(ours.id, name);
    await fixture.worker.nextJob('probe-edge', ours.id);
    expect((await former.get(theirs.id)).certificate).toBeNull();
    expect((await next.get(ours.id)).certificate?.state).toBe('issued');
  });
});

describe('a name that another organization once had', () => {
  it('needs the proof, and the former owner gets it back with theirs', async () => {
    const [former, next] = [await fixture.tenant(), await fixture.tenant()];
    const name = fixture.freshName();
    await former.remove((await verified(former, name)).id);
    const ours = await next.add(name);
    await fixture.check(ours.id, matchingFindings);
    await untilIssues(next, ours.id, ['ownership_txt_missing']);
    await fixture.check(ours.id, (expected) => provenFindings(expected, proofOf(ours)));
    await next.untilState(ours.id, 'verified');

    const again = await former.add(name);
    await fixture.check(again.id, (expected) => provenFindings(expected, proofOf(again)));
    await former.untilState(again.id, 'verified');
    expect((await next.get(ours.id)).state).toBe('removed');
  });

  it('is its former owner’s again at once, with the same records, when nobody else had it', async () => {
    const owner = await fixture.tenant();
    const name = fixture.freshName();
    const first = await verified(owner, name);
    await owner.remove(first.id);
    const second = await owner.add(name);
    expect(second.records).toEqual(first.records);
    expect(second.ownership.required).toBe(false);
    await fixture.check(second.id, matchingFindings);
    await owner.untilState(second.id, 'verified');
  });

  it('needs no proof as long as nobody else had it verified, unless it is an apex', async () => {
    const [one, two] = [await fixture.tenant(), await fixture.tenant()];
    const [name, apex] = [fixture.freshName(), 'acme-ownership.com'];
    for (const each of [name, apex]) await one.add(each);
    expect((await two.add(name)).ownership.required).toBe(false);
    expect((await two.add(apex)).ownership).toMatchObject({
      required: true,
      record: { type: 'TXT', name: '_platform-challenge' },
    });
  });
});

describe('many organizations after one name', () => {
  it('all may wait; of fifty that are checked at once over two replicas one gets it, and the rest get an issue', async () => {
    const name = fixture.freshName();
    const tenants = await Promise.all(Array.from({ length: 50 }, () => fixture.tenant()));
    const domains = await Promise.all(tenants.map((tenant) => tenant.add(name)));
    const jobs = await Promise.all(domains.map(({ id }) => fixture.worker.nextJob('verify-dns', id)));
    const before = errors.length;
    await Promise.all(
      jobs.map((job) =>
        fixture.api.messaging.events.emit('dns.checked', {
          ...attemptOf(job),
          findings: matchingFindings(job.expected),
        }),
      ),
    );
    const outcome = async () => {
      const { rows } = await sql<{ state: string; reported: boolean }>`
        select state, dns_issues @> '[{"code":"claimed_elsewhere"}]' as reported from domains where name = ${name}
      `.execute(fixture.api.db);
      return {
        verified: rows.filter(({ state, reported }) => state === 'verified' && !reported).length,
        waiting: rows.filter(({ state, reported }) => state === 'awaiting_dns' && reported).length,
      };
    };
    await waitUntil(async () => (await outcome()).waiting === 49, { timeoutMs: 60_000, message: 'all results' });
    expect(await outcome()).toEqual({ verified: 1, waiting: 49 });
    // That the index turned some of them away was expected: no event had to be delivered twice for it.
    expect(errors.slice(before)).toEqual([]);
  }, 150_000);

  it('end with one holder, whoever proves it at the same time, and nobody waits for ever', async () => {
    const name = fixture.freshName();
    const [holder, ...others] = await Promise.all(Array.from({ length: 8 }, () => fixture.tenant()));
    if (holder === undefined) throw new Error('nobody');
    await verified(holder, name);
    const domains = await Promise.all(others.map((tenant) => tenant.add(name)));
    const jobs = await Promise.all(
      domains.map(async (domain) => ({ domain, job: await fixture.worker.nextJob('verify-dns', domain.id) })),
    );
    await Promise.all(
      jobs.map(({ domain, job }) =>
        fixture.api.messaging.events.emit('dns.checked', {
          ...attemptOf(job),
          findings: provenFindings(job.expected, proofOf(domain)),
        }),
      ),
    );
    const untaken = async () => {
      const { rows } = await sql<{ state: string }>`
        select state from domains where name = ${name} and state = 'awaiting_dns'`.execute(fixture.api.db);
      return rows.length;
    };
    await waitUntil(async () => (await untaken()) === 0, { timeoutMs: 60_000, message: 'everybody’s turn' });
    const { rows } = await sql<{ projectId: string }>`
      select project_id as "projectId" from domains where name = ${name} and state = 'verified'`.execute(
      fixture.api.db,
    );
    expect(rows).toEqual([{ projectId: (await routeOf(name)).projectId }]);
  });
});

describe('two organizations that take names from each other', () => {
  it('at the same time both get what they prove, without waiting for each other', async () => {
    const [one, two] = [await fixture.tenant(), await fixture.tenant()];
    const moves = [one, two].flatMap((from) =>
      Array.from({ length: 4 }, () => ({ from, to: from === one ? two : one, name: fixture.freshName() })),
    );
    await Promise.all(moves.map(({ from, name }) => verified(from, name)));
    const claims = await Promise.all(
      moves.map(async ({ to, name }) => {
        const domain = await to.add(name);
        return { to, domain, job: await fixture.worker.nextJob('verify-dns', domain.id) };
      }),
    );
    const before = errors.length;
    await Promise.all(
      claims.map(({ domain, job }) =>
        fixture.api.messaging.events.emit('dns.checked', {
          ...attemptOf(job),
          findings: provenFindings(job.expected, proofOf(domain)),
        }),
      ),
    );
    await Promise.all(claims.map(({ to, domain }) => to.untilState(domain.id, 'verified')));
    expect(errors.slice(before)).toEqual([]);
  });
});
