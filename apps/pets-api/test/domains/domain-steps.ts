import type { Domain } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import type { DomainFixture, Tenant } from '../domain-fixture.js';
import { matchingFindings } from '../scripted-worker.js';

/** A domain of a tenant's that has been verified. */
export async function addVerified(fixture: DomainFixture, owner: Tenant, name: string): Promise<Domain> {
  const { id } = await owner.add(name);
  await fixture.check(id, matchingFindings);
  await owner.untilState(id, 'verified');
  return owner.get(id);
}

export async function untilIssues(owner: Tenant, id: string, expected: string[]): Promise<void> {
  const isSo = async () => JSON.stringify(issueCodesOf(await owner.get(id))) === JSON.stringify(expected);
  await waitUntil(isSo, { timeoutMs: 15_000, message: expected.join() });
}

export function issueCodesOf({ issues }: Domain): string[] {
  return issues.map(({ code }) => code);
}
