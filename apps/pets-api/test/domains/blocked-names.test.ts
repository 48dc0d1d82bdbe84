import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain } from '@pets/contracts';
import { sql } from 'kysely';
import { BlockedNamesRepository } from '../../src/names/blocked-names.repository.js';
import type { DomainFixture, Tenant } from '../domain-fixture.js';
import { shareOperatorFixture, type OperatorFixture } from '../operations/operator-fixture.js';

let fixture: OperatorFixture;
let domainFixture: DomainFixture;
beforeAll(async () => {
  fixture = await shareOperatorFixture();
  ({ domainFixture } = fixture);
});
afterAll(() => fixture.close());

const admin: OperatorFixture['admin'] = (line) => fixture.admin(line);
const add = (owner: Tenant, body: object) =>
  fixture.ask<Domain>(owner, 'POST', `/v1/projects/${owner.projectId}/domains`, body);
const refused = { status: 403, body: { code: 'name_blocked', message: expect.stringContaining('phishing') } };

describe('a blocked name', () => {
  it('cannot be added, nor as the twin of another, until it is unblocked', async () => {
    const owner = await domainFixture.tenant();
    expect(await admin('names block --name WWW.Bank-login.com. --reason phishing --by ann')).toMatchObject({
      blocked: 'www.bank-login.com',
      changed: true,
      domains: 0,
      pendingEdges: 0,
    });
    expect(await add(owner, { name: 'www.bank-login.com' })).toMatchObject(refused);
    expect(await add(owner, { name: 'bank-login.com', pair: true })).toMatchObject(refused);
    expect((await add(owner, { name: 'bank-login.com' })).status).toBe(201);
    expect((await add(owner, { name: 'a.www.bank-login.com' })).status).toBe(201);
    expect(await admin('names list')).toMatchObject({
      blockedNames: [{ name: 'www.bank-login.com', includesSubdomains: false, reason: 'phishing', by: 'ann' }],
    });
    expect(await admin('names unblock --name www.bank-login.com')).toMatchObject({ changed: true });
    expect((await add(owner, { name: 'www.bank-login.com' })).status).toBe(201);
    expect(await admin('names unblock --name www.bank-login.com')).toMatchObject({ changed: false });
  });

  it('blocks the names below it where that is asked for, in any spelling', async () => {
    const owner = await domainFixture.tenant();
    await admin('names block --name bücher-betrug.com --with-subdomains --reason phishing');
    for (const name of ['bücher-betrug.com', 'BÜCHER-betrug.com', 'a.b.xn--bcher-betrug-dlb.com'])
      expect(await add(owner, { name })).toMatchObject({ status: 403 });
    expect((await add(owner, { name: 'n-xn--bcher-betrug-dlb.com' })).status).not.toBe(403);
  });

  it('is suspended where it was added, by every organization, and served again once unblocked', async () => {
    const { owner, id, name, organizationId } = await fixture.servedTenant();
    const other = await domainFixture.tenant();
    const waiting = await other.add(name);
    const below = await other.add(`a.${name}`);
    const beside = await other.add(`x${name}`);
    expect(await admin(`names block --name ${name} --with-subdomains --reason phishing`)).toMatchObject({ domains: 3 });
    expect(await fixture.routeOf(name)).toMatchObject({ serve: { kind: 'suspended' } });
    expect((await owner.get(id)).suspensions).toMatchObject([{ cause: 'blocked_name', scope: 'domain' }]);
    expect((await other.get(waiting.id)).suspensions).toHaveLength(1);
    expect((await other.get(below.id)).suspensions).toHaveLength(1);
    expect((await other.get(beside.id)).suspensions).toEqual([]);

    await admin(`domain suspend --domain ${name} --organization ${organizationId} --reason fraud`);
    await admin(`names unblock --name ${name}`);
    expect((await other.get(below.id)).suspensions).toEqual([]);
    expect((await owner.get(id)).suspensions).toMatchObject([{ cause: 'operator' }]);
    await admin(`domain resume --domain ${name} --organization ${organizationId}`);
    expect(await fixture.routeOf(name)).toMatchObject({ serve: { kind: 'site' } });
  });

  it('stays suspended while a name above it is blocked', async () => {
    const owner = await domainFixture.tenant();
    const { id, name } = await owner.add('a.twice.com');
    await admin('names block --name twice.com --with-subdomains --reason phishing');
    await admin(`names block --name ${name} --reason phishing`);
    await admin(`names unblock --name ${name}`);
    expect((await owner.get(id)).suspensions).toHaveLength(1);
    await admin('names unblock --name twice.com');
    expect((await owner.get(id)).suspensions).toEqual([]);
  });

  it('can be removed by its owner, and not be added again', async () => {
    const owner = await domainFixture.tenant();
    const { id, name } = await owner.add('leaving.com');
    await admin(`names block --name ${name} --reason phishing`);
    expect((await owner.remove(id)).status).toBe(204);
    expect(await add(owner, { name })).toMatchObject(refused);
  });

  it('is suspended also when it is added at that moment', async () => {
    const owners = await Promise.all(Array.from({ length: 6 }, () => domainFixture.tenant()));
    const adding = owners.map((owner) => add(owner, { name: 'race.com' }));
    await admin('names block --name race.com --reason phishing');
    for (const [index, { status, body }] of (await Promise.all(adding)).entries())
      if (status === 201) expect((await owners[index]?.get(body.id))?.suspensions).toHaveLength(1);
  });
});

it.each([
  ['no host name', 'names block --name no_host --reason x', '--name is not a host name'],
  ['a wildcard', 'names block --name *.example.com --reason x', '--name is not a host name'],
  ['no reason', 'names block --name example.com', '--reason is missing'],
])('%s is refused', (_name, line, message) => expect(admin(line)).rejects.toThrow(message));

it('finds the names below one by an index, however many claims there are', async () => {
  await sql`
    insert into domain_claims (organization_id, name, target_token, ownership_token)
    select o.id, 'n' || n || '.bulk.com', 't' || n, 'o' || n
    from (select id from organizations limit 1) o, generate_series(1, 20000) n`.execute(domainFixture.api.db);
  await sql`analyze domain_claims`.execute(domainFixture.api.db);
  const repository = new BlockedNamesRepository(domainFixture.api.db);
  expect(await repository.listDomains('n7.bulk.com', true)).toEqual([]);
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select from domain_claims c where c.name = 'n7.bulk.com' or reverse(c.name) like ${'moc.klub.7n.%'}`.execute(
    domainFixture.api.db,
  );
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('Seq Scan');
});
