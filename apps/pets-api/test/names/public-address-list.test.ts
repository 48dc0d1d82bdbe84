/** The operator's list of public addresses: what it takes, and how it is kept. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { PublicAddresses, PublicAddressesRepository } from '../../src/names/public-addresses.js';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { adminConfig } from '../operations/operator-fixture.js';
import { plansOf } from '../query-plan.js';

let fixture: DomainFixture;
beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { PUBLIC_ADDRESSES: '185.199.108.1,2a00:1450::1' });
});
afterAll(() => fixture.close());

const list = () => fixture.api.service(PublicAddresses);
async function admin(line: string): Promise<object> {
  const result = await runAdminCommand(line.split(' '), fixture.api.db, adminConfig);
  await list().refresh();
  return result;
}

describe('the list', () => {
  it('takes public addresses only, and shared ones with --force', async () => {
    for (const address of [
      '10.1.2.3',
      '127.0.0.1',
      '169.254.0.9',
      '100.64.0.1',
      '198.51.100.7',
      '224.0.0.5',
      'fe80::1',
    ])
      await expect(admin(`addresses add --address ${address} --force`)).rejects.toThrow('is not a public address');
    await expect(admin('addresses add --address edge.example.com')).rejects.toThrow('is not an IP address');
    await expect(admin('addresses add --address 104.16.1.1')).rejects.toThrow('pass --force');
    expect(await admin('addresses add --address 104.16.1.1 --force')).toMatchObject({ changed: true });
    expect(await admin('addresses remove --address 104.16.1.1')).toMatchObject({ domains: 0 });
    await expect(admin('addresses retire --address 104.16.1.1')).rejects.toThrow('is not listed');
  });

  it('offers a retiring address again when it is added again', async () => {
    await admin('addresses add --address 185.199.109.3');
    await admin('addresses retire --address 185.199.109.3');
    expect(list().offered).not.toContain('185.199.109.3');
    expect(await admin('addresses add --address 185.199.109.3')).toMatchObject({ retiringSince: null, changed: true });
    expect(list().offered).toContain('185.199.109.3');
    await admin('addresses remove --address 185.199.109.3');
  });

  it('keeps its rows when the setting says something else, and has at most 64', async () => {
    const replica = await fixture.api.startReplica({ PUBLIC_ADDRESSES: '185.199.110.1' });
    expect(replica.service(PublicAddresses).offered).toEqual(list().offered);
    const room = 64 - list().listed.length;
    for (let nth = 1; nth <= room; nth += 1) await admin(`addresses add --address 185.199.111.${nth}`);
    await expect(admin('addresses add --address 185.199.112.1')).rejects.toThrow('no more addresses');
    for (let nth = 1; nth <= room; nth += 1) await admin(`addresses remove --address 185.199.111.${nth}`);
  });

  it('counts the domains of an address by the index', async () => {
    const { db } = fixture.api;
    await fixture.add(fixture.freshName());
    await sql`insert into domain_claims (organization_id, name, target_token, ownership_token)
      select d.organization_id, 'many-' || n || '.com', 'many-' || n, 'many-' || n
      from generate_series(1, 20000) n, (select * from domains limit 1) d`.execute(db);
    await sql`insert into domains (organization_id, project_id, name, unicode_name, apex_name, generation_began_at,
        requested_at, matched_addresses)
      select d.organization_id, d.project_id, 'many-' || n || '.com', 'x', 'x', now(), now(),
        array[('185.199.112.' || n % 200)::inet]
      from generate_series(1, 20000) n, (select * from domains limit 1) d`.execute(db);
    await sql`analyze domains`.execute(db);
    const repository = new PublicAddressesRepository(db);
    expect(await repository.countDomains('185.199.112.7')).toBe(100);
    const [scans] = await plansOf(db, (tx) => repository.countDomains('185.199.112.7', tx));
    expect(JSON.stringify(scans)).toContain('domains_by_matched_address');
  });
});
