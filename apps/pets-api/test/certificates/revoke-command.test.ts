import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { shareOperatorFixture, type OperatorFixture } from '../operations/operator-fixture.js';

let fixture: OperatorFixture;
beforeAll(async () => {
  fixture = await shareOperatorFixture();
});
afterAll(() => fixture.close());

const admin: OperatorFixture['admin'] = (line) => fixture.admin(line);
const certificateOf = async (domainId: string) => {
  const { rows } = await sql<{ id: string }>`select id from certificates where domain_id = ${domainId}`.execute(
    fixture.domainFixture.api.db,
  );
  return rows[0]?.id ?? '';
};

describe('admin certificate revoke', () => {
  it('has the certificate of a domain revoked by the worker, and another one ordered', async () => {
    const { owner, id, name } = await fixture.servedTenant();
    const certificateId = await certificateOf(id);
    expect(await admin(`certificate revoke --domain ${name} --reason key_compromise --by ann`)).toEqual({
      reason: 'key_compromise',
      requested: [{ certificateId, name }],
    });
    expect(await fixture.domainFixture.worker.nextRevocation(id)).toMatchObject({
      certificateId,
      reason: 'key_compromise',
    });
    await fixture.domainFixture.worker.nextJob('issue-certificate', id);
    const events = (await fixture.ask<AuditEvent[]>(owner, 'GET', '/v1/audit-events')).body;
    expect(events[0]).toMatchObject({
      type: 'certificate.revocation_requested',
      actor: { kind: 'operator', display: 'ann' },
      subject: { kind: 'certificate', id: certificateId },
      detail: { name, reason: 'key_compromise' },
    });
    expect(await admin(`certificate revoke --certificate ${certificateId}`)).toMatchObject({ requested: [] });
  });

  it('orders no other one while the domain is suspended', async () => {
    const { id, name } = await fixture.servedTenant();
    await admin(`domain suspend --domain ${name} --reason phishing`);
    await admin(`certificate revoke --certificate ${await certificateOf(id)}`);
    await fixture.domainFixture.worker.nextRevocation(id);
    // A claim counts an attempt, until the dispatcher sees that the domain is suspended and holds the row.
    const heldAttempts = async () => {
      const { rows } = await sql<{ attempt: number }>`
        select attempt from domain_work where domain_id = ${id} and kind = 'issuance' and held_due_at is not null`.execute(
        fixture.domainFixture.api.db,
      );
      return rows.map(({ attempt }) => attempt);
    };
    const isHeld = async () => (await heldAttempts()).length === 1;
    await waitUntil(isHeld, { timeoutMs: 15_000, message: 'the order to be held' });
    expect(await heldAttempts()).toEqual([1]);
  });

  it.each([
    ['neither', 'certificate revoke', 'pass either --certificate or --domain'],
    ['both', 'certificate revoke --domain a.com --certificate x', 'pass either --certificate or --domain'],
    [
      'one there is not',
      'certificate revoke --certificate 00000000-0000-4000-8000-000000000000',
      'there is no valid certificate',
    ],
    ['a name there is not', 'certificate revoke --domain nobody.example', 'there is no domain nobody.example'],
    ['a reason there is not', 'certificate revoke --domain a.com --reason boredom', '--reason must be one of'],
  ])('refuses %s', (_name, line, message) => expect(admin(line)).rejects.toThrow(message));
});
