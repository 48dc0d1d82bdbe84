import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { MoveDomainService } from '../../src/domains/moves/move-domain.service.js';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { moveSteps } from './move-steps.js';
import { attemptOf, matchingFindings } from '../scripted-worker.js';

let fixture: DomainFixture;
let steps: ReturnType<typeof moveSteps>;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  steps = moveSteps(fixture);
});
afterAll(() => fixture.close());

const workOf = async (id: string) =>
  (await sql`select * from domain_work where domain_id = ${id} order by kind`.execute(fixture.api.db)).rows;

describe('a live domain that moves', () => {
  it('keeps id, record, certificate and schedule, and its route changes in one version', async () => {
    const before = await steps.issued();
    const target = await steps.createTarget();
    const [route, version, work] = [
      await steps.routeOf(before.name),
      await steps.newestVersion(),
      await workOf(before.id),
    ];
    const moved = await steps.move<Domain>(before.name, target);
    expect(moved.status).toBe(200);
    expect(moved.body).toMatchObject({
      ...{ id: before.id, projectId: target, state: 'live', records: before.records, liveAt: before.liveAt },
      ...{ certificate: before.certificate, createdAt: before.createdAt, issues: [] },
    });
    expect(await steps.routeOf(before.name)).toEqual({ ...route, projectId: target, version: version + 1n });
    expect(await steps.newestVersion()).toBe(version + 1n);
    expect(await workOf(before.id)).toEqual(work);
    expect((await steps.ask('GET', `${fixture.path()}/${before.id}`)).status).toBe(404);
    expect((await steps.ask('GET', `${fixture.path(target)}/${before.name}`)).body).toMatchObject({ id: before.id });
  });

  it('is counted in the other project only', async () => {
    const { id } = await steps.issued();
    const target = await steps.createTarget();
    const before = await steps.countsOf(fixture.projectId);
    await steps.move(id, target);
    expect(await steps.countsOf(fixture.projectId)).toEqual({ ...before, live: before.live - 1 });
    expect(await steps.countsOf(target)).toEqual({ awaiting_dns: 0, verified: 0, live: 1 });
  });

  it('keeps its history in order, although the numbers of the other project were lower', async () => {
    const { id, name } = await steps.issued();
    const target = await steps.createTarget();
    await steps.move(id, target);
    await steps.ask('DELETE', `${fixture.path(target)}/${id}`);
    const lines = await steps.linesOf(`${fixture.path(target)}/${id}`);
    expect(lines.map(({ type, to }) => `${type} → ${to}`)).toEqual([
      'owner.added → awaiting_dns',
      'dns.checked → verified',
      'certificate.issued → verified',
      'certificate.served → live',
      'owner.moved → live',
      'owner.moved → live',
      'owner.removed → removed',
    ]);
    expect(lines.map(({ detail }) => detail).slice(4, 6)).toEqual([
      expect.stringMatching(/^moved to the project p-\d+-\w+$/),
      expect.stringMatching(/^moved here from the project p-\d+-\w+$/),
    ]);
    expect(lines[4]?.actor.kind).toBe('api_key');
    const ofSource = (await steps.linesOf(`/v1/projects/${fixture.projectId}`)).filter(
      ({ domainId }) => domainId === id,
    );
    expect(ofSource.at(-1)?.detail).toMatch(/^moved to/);
    const ofTarget = await steps.linesOf(`/v1/projects/${target}`);
    expect(ofTarget.map(({ type }) => type)).toEqual(['owner.moved', 'owner.removed']);
    expect((await steps.ask<Domain>('GET', `${fixture.path(target)}/${name}`)).body.state).toBe('removed');
  });

  it('can come back', async () => {
    const { id } = await steps.issued();
    const target = await steps.createTarget();
    await steps.move(id, target);
    expect((await steps.move<Domain>(id, fixture.projectId, {}, target)).body).toMatchObject({ state: 'live' });
    const numbers = (await steps.linesOf(`${fixture.path()}/${id}`)).map(({ number }) => number);
    expect(numbers).toHaveLength(8);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('changes nothing when it moves to its own project', async () => {
    const { id, name } = await steps.issued();
    const [route, lines] = [await steps.routeOf(name), await steps.linesOf(`${fixture.path()}/${id}`)];
    expect(await steps.move(id, fixture.projectId)).toMatchObject({ status: 200, body: { id } });
    expect([await steps.routeOf(name), await steps.linesOf(`${fixture.path()}/${id}`)]).toEqual([route, lines]);
  });

  it('is audited, and reported once to each endpoint of either project', async () => {
    const { id, name } = await steps.issued();
    const target = await steps.createTarget();
    const other = await steps.createTarget();
    const listen = async (projectId?: string) => {
      const body = { url: 'https://hooks.example.com/', eventTypes: ['domain.moved'], projectId };
      return (await steps.ask<{ id: string }>('POST', '/v1/webhook-endpoints', body)).body.id;
    };
    const endpoints = [await listen(), await listen(fixture.projectId), await listen(target)];
    await listen(other);
    await steps.move(id, target);
    const { rows } = await sql<{ endpoint: string; body: string }>`
      select endpoint_id as endpoint, body from webhook_deliveries where subject_id = ${id}`.execute(fixture.api.db);
    expect(rows.map(({ endpoint }) => endpoint).toSorted()).toEqual(endpoints.toSorted());
    for (const { body } of rows)
      expect(JSON.parse(body)).toMatchObject({ type: 'domain.moved', data: { id, projectId: target } });
    const events = await steps.ask<object[]>('GET', '/v1/audit-events?limit=20');
    expect(events.body).toContainEqual(
      expect.objectContaining({
        type: 'domain.moved',
        subject: { kind: 'domain', id, display: name },
        detail: { name, projectId: target, fromProjectId: fixture.projectId, fromProject: expect.any(String) },
      }),
    );
  });
});

describe('work that is under way while a domain moves', () => {
  it('is applied in the other project: a check, a certificate, a probe', async () => {
    const target = await steps.createTarget();
    const { id, name } = await fixture.add(fixture.freshName());
    const check = await fixture.worker.nextJob('verify-dns', id);
    expect(await steps.move(id, target)).toMatchObject({ status: 200, body: { state: 'awaiting_dns' } });
    const findings = matchingFindings(check.expected);
    await fixture.api.messaging.events.emit('dns.checked', { ...attemptOf(check), findings });
    const issue = await fixture.worker.nextJob('issue-certificate', id);
    await steps.move(id, fixture.projectId, {}, target);
    await fixture.sign(issue, name);
    const probe = await fixture.worker.nextJob('probe-edge', id);
    await steps.move(id, target);
    const { leafSha256 } = probe;
    await fixture.api.messaging.events.emit('certificate.served', { ...attemptOf(probe), leafSha256 });
    const read = () => steps.ask<Domain>('GET', `${fixture.path(target)}/${id}`);
    await waitUntil(async () => (await read()).body.state === 'live', { timeoutMs: 15_000, message: 'live' });
    expect(await steps.routeOf(name)).toMatchObject({ projectId: target });
    const { rows } = await sql`select from certificates where domain_id = ${id}`.execute(fixture.api.db);
    expect(rows).toHaveLength(1);
  });

  it('is applied once, although the result has waited for the lock of the former project', async () => {
    const target = await steps.createTarget();
    const { id } = await fixture.add(fixture.freshName());
    const check = await fixture.worker.nextJob('verify-dns', id);
    const moves = fixture.api.service(MoveDomainService);
    const principal = await principalOf();
    await fixture.api.db.transaction().execute(async (tx) => {
      const request = { projectId: target, redirects: 'refuse' } as const;
      await moves.move(tx, principal, { projectId: fixture.projectId, domain: id }, request);
      const findings = matchingFindings(check.expected);
      await fixture.api.messaging.events.emit('dns.checked', { ...attemptOf(check), findings });
      await untilBlocked();
    });
    await fixture.worker.nextJob('issue-certificate', id);
    expect((await steps.ask<Domain>('GET', `${fixture.path(target)}/${id}`)).body.state).toBe('verified');
    expect(await steps.countsOf(target)).toEqual({ awaiting_dns: 0, verified: 1, live: 0 });

    async function principalOf() {
      const row = await fixture.api.db
        .selectFrom('api_keys')
        .innerJoin('projects', 'projects.organization_id', 'api_keys.organization_id')
        .select(['api_keys.id as apiKeyId', 'api_keys.organization_id as organizationId'])
        .where('projects.id', '=', fixture.projectId)
        .executeTakeFirstOrThrow();
      return row as Parameters<MoveDomainService['move']>[1];
    }
  });

  it('leaves a request to the former project without effect', async () => {
    const { id } = await fixture.verified();
    const target = await steps.createTarget();
    let answers: Promise<readonly number[]> | undefined;
    await fixture.api.db.transaction().execute(async (tx) => {
      await sql`select from projects where id = ${fixture.projectId} for update`.execute(tx);
      const path = `${fixture.path()}/${id}`;
      answers = Promise.all(
        [
          steps.ask('DELETE', path),
          steps.ask('POST', `${path}/verify`),
          steps.ask('PATCH', path, { externalId: 'x' }),
        ].map(async (answer) => (await answer).status),
      );
      // The others wait in the queue of the project, without a connection.
      await untilBlocked(1);
      await sql`update domains set project_id = ${target} where id = ${id}`.execute(tx);
    });
    expect(await answers).toEqual([404, 404, 404]);
    expect((await steps.ask<Domain>('GET', `${fixture.path(target)}/${id}`)).body).toMatchObject({
      state: 'verified',
      externalId: null,
    });
  });

  it('and moves in opposite directions do not block each other', async () => {
    const target = await steps.createTarget();
    const here = await Promise.all([1, 2, 3, 4].map(() => fixture.add(fixture.freshName())));
    const there = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const { id } = await fixture.add(fixture.freshName());
        await steps.move(id, target);
        return id;
      }),
    );
    const answers = await Promise.all([
      ...here.map(({ id }) => steps.move(id, target)),
      ...there.map((id) => steps.move(id, fixture.projectId, {}, target)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await steps.countsOf(target)).awaiting_dns).toBe(4);
  });

  async function untilBlocked(count = 1): Promise<void> {
    const isBlocked = async () => {
      const { rows } = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
        fixture.api.db,
      );
      return rows.length >= count;
    };
    await waitUntil(isBlocked, { timeoutMs: 15_000, message: 'somebody to wait for the lock' });
  }
});
