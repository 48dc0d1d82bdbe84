/** Set-ups of `npm run dns` on a complete stack: what the owner of the domain sees, and that the command repairs them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';
import { addDomain, at, getDomain, type DomainFixture } from './domain-steps.js';

export interface BrokenSetupsFixture {
  readonly domains: DomainFixture;
  readonly dataDir: string;
}

/** @param fixture called in a test, when the stack runs */
export function describeBrokenSetups(fixture: () => BrokenSetupsFixture): void {
  const read = (name: string) => getDomain(fixture().domains, name);
  const codesOf = async (name: string): Promise<readonly string[]> => (await read(name)).issues.map(({ code }) => code);

  const verify = (name: string) => {
    const { domains } = fixture();
    return domains.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(domains, name));
  };
  /** `npm run dns`, and a click on "check now". */
  const dns = async (name: string, ...words: string[]) => {
    const program = ['tools/dev-stack/dist/create-records.js', name, ...words];
    const env = { PATH: process.env['PATH'], DATA_DIR: fixture().dataDir };
    const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: repositoryRoot, env });
    if (name !== 'platform') await verify(name);
    return stdout;
  };
  const untilLive = (name: string) =>
    waitUntil(async () => (await read(name)).state === 'live', { timeoutMs: 60_000, message: `${name} to go live` });
  const untilIssue = (name: string, code: string) =>
    waitUntil(async () => (await codesOf(name)).includes(code), { timeoutMs: 30_000, message: `${name}: ${code}` });
  const observedAt = async (name: string) =>
    (await read(name)).dns.observed.filter((record) => record.name === name).map(({ value }) => value);

  describe('a zone with a second server', () => {
    it('that is lame does not prevent that the domain goes live', async () => {
      const name = 'docs.lame.com';
      await addDomain(fixture().domains, name);
      expect(await dns(name, 'lame')).toContain('refuses questions about it');
      await untilLive(name);
      const { dns: checked, issues } = await read(name);
      expect([checked.nameServers, issues]).toEqual([['ns1.dev-dns.test', 'ns2.dev-dns.test'], []]);
    });

    it('that is stale is named as still spreading, and the domain goes live after the repair', async () => {
      const name = 'docs.stale.com';
      await addDomain(fixture().domains, name);
      await dns(name, 'stale');
      await untilIssue(name, 'propagating');
      expect((await read(name)).state).toBe('awaiting_dns');
      await dns(name);
      await untilLive(name);
      expect(await codesOf(name)).toEqual([]);
    });
  });

  describe('addresses that rotate', () => {
    it('at a name are seen one after the other, until its CNAME is there again', async () => {
      const name = 'docs.rotating.com';
      const others = ['203.0.113.7', '203.0.113.8'];
      await addDomain(fixture().domains, name);
      await dns(name, 'rotating', ...others);
      for (const address of others) {
        const isSeen = async () => {
          await verify(name);
          return (await observedAt(name)).includes(address);
        };
        await waitUntil(isSeen, { timeoutMs: 30_000, message: `${address} to be observed` });
      }
      await dns(name);
      await untilLive(name);
    });

    it('at the platform do not matter to a name with the CNAME, and a flattened one shows some of them', async () => {
      const [linked, flat] = ['docs.linked.com', 'docs.flat.com'];
      const ours = Array.from({ length: 8 }, (_, index) => `203.0.113.${index + 1}`);
      for (const name of [linked, flat]) await addDomain(fixture().domains, name);
      await dns('platform', 'rotating', '2', 'of', ...ours);
      try {
        await dns(linked, 'delegation');
        await dns(linked);
        await untilLive(linked);
        await dns(flat, 'flattened');
        await waitUntil(async () => (await observedAt(flat)).length > 0, { timeoutMs: 30_000, message: 'addresses' });
        const seen = await observedAt(flat);
        expect([seen.length, seen.every((value) => ours.includes(value))]).toEqual([2, true]);
      } finally {
        await dns('platform');
      }
      await dns(flat);
      await untilLive(flat);
    });
  });
}
