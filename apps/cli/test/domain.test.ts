import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { domainSchema, setupLinkSchema, type Domain } from '@pets/contracts';
import { openDevRecords, type DevRecords } from '@pets/dev-stack';
import type { SharedTestStack } from '@pets/lab';
import { isInstalled, waitUntil } from '@pets/testing';
import { z } from 'zod';
import { openPetsStack, type PetsStack } from './pets-stack.js';
import type { Pets } from './run-pets.js';
import { startProxyWithoutStreams } from './api-proxy.js';

jest.setTimeout(180_000);

const SITE = 'docs.managed.com';
let started: PetsStack | undefined;
let stack: SharedTestStack;
let records: DevRecords;
let pets: Pets;

/** In order: each test continues from the state of the previous one. */
beforeAll(async () => {
  const opened = await openPetsStack();
  started = opened;
  ({ stack, pets } = opened);
  records = openDevRecords(stack.dev);
});
afterAll(() => started?.stop());

/** The result of a command on one domain. */
function domainOf(result: unknown): Domain {
  return domainSchema.parse(result);
}

describe('a domain managed with the command line', () => {
  it('is added, and the record to create is shown', async () => {
    const { code, stdout } = await pets.run(['domains', 'add', SITE]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^docs\.managed\.com\n {2}TYPE +NAME +VALUE +TTL +FOR\n {2}CNAME +docs +\w+\.cname\.\S+ +3600 +routing\n {2}CNAME +_acme-challenge\.docs +\w+\.acme\.\S+ +3600 +delegation \(optional\)\n$/,
    );
  });

  it('is not added twice', async () => {
    const { code, outcome } = await pets.json(['domains', 'add', SITE]);
    expect(code).toBe(4);
    expect(outcome.status).toBe('refused');
    expect(outcome.reason).toBe('domain_exists');
  });

  it('gets a link for whoever has access to its DNS, which can be ended', async () => {
    const { code, stdout, stderr } = await pets.run(['domains', 'setup-link', 'create', SITE, '--days', '2']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('It ends after 2 days.')]);
    const link = new URL(stdout.trim());
    expect([link.pathname, link.hash.length]).toEqual(['/setup', 44]);
    const links = z
      .array(setupLinkSchema)
      .parse((await pets.json(['domains', 'setup-link', 'list', SITE])).outcome.result);
    expect(links).toHaveLength(1);
    const ended = await pets.json(['domains', 'setup-link', 'end', SITE, links[0]?.id ?? '']);
    expect(ended.outcome).toMatchObject({ status: 'done', reason: 'ended' });
    expect((await pets.json(['domains', 'setup-link', 'list', SITE])).outcome.result).toEqual([]);
    const leadsBack = ['domains', 'setup-link', 'create', SITE, '--return-url', 'https://app.example/domains'];
    const refused = await pets.json(leadsBack);
    expect(refused.code).not.toBe(0);
    expect(JSON.stringify(refused.outcome)).toContain('returnOrigins');
    const { stdout: page } = await pets.run([
      'setup-page',
      'set',
      '--name',
      'Acme',
      '--return-origin',
      'https://app.example',
    ]);
    expect(page).toMatch(/name +Acme\n.*color +none\n.*return origins +https:\/\/app\.example/s);
    expect((await pets.json(leadsBack)).code).toBe(0);
    const emptied = await pets.json(['setup-page', 'set', '--name', '', '--return-origin', '']);
    expect(emptied.outcome.result).toEqual({
      name: null,
      color: null,
      supportAddress: null,
      returnOrigins: [],
      logo: null,
    });
    expect((await pets.json(['setup-page', 'show'])).outcome.result).toEqual(emptied.outcome.result);
  });

  it('is not verified without its record, and the next command is shown', async () => {
    const { code, outcome } = await pets.json(['domains', 'verify', SITE]);
    expect(code).toBe(3);
    expect(outcome.status).toBe('not_yet');
    expect(outcome.reason).toBe('no_record');
    expect(outcome.next[0]).toEqual({ command: `pets domains verify ${SITE}`, when: 'after you create the records' });
    expect(outcome.issues[0]).toMatchObject({ code: 'no_record' });
  });

  it('is reported as refused while a record conflicts', async () => {
    await records.put({ name: SITE, type: 'A', data: '192.0.2.9' });
    const { code, outcome } = await pets.json(['domains', 'verify', SITE]);
    await records.remove(SITE);
    expect(code).toBe(4);
    expect(outcome.status).toBe('refused');
    expect(outcome.reason).toBe('conflicting_a');
  });

  (isInstalled('script') ? it : it.skip)('shows a wrong record on one screen, and its value once', async () => {
    const { outcome } = await pets.json(['domains', 'show', SITE]);
    const value = domainOf(outcome.result).records[0]?.value ?? '';
    expect(value).toMatch(/^[a-z2-7]{20}\.cname\./);
    await records.put({ name: SITE, type: 'CNAME', data: `${value}.${SITE}.` });
    const lines = await pets.onTerminal(['domains', 'verify', SITE], 80);
    await records.remove(SITE);
    expect(lines.join('\n')).toContain('wrong CNAME value');
    // The command and the next prompt are on the screen too.
    expect(lines.length).toBeLessThanOrEqual(22);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.join('\n').split(value)).toHaveLength(2);
  });

  (isInstalled('script') ? it : it.skip)('shows on a terminal when it was and will be checked', async () => {
    const lines = await pets.onTerminal(['domains', 'wait', SITE, '--timeout', '3s'], 80);
    expect(lines.join('\n')).toMatch(/next check in \d+ s|checking/);
    expect(lines.join('\n')).toMatch(/^ {2}DNS checked (?:now|\d+ s ago), next check (?:now|in \d+ s)$/m);
    expect(lines.join('\n')).not.toMatch(/T\d\d:\d\d:\d\d/);
  });

  it('is not waited for longer than the timeout', async () => {
    const began = performance.now();
    const { code, outcome } = await pets.json(['domains', 'wait', SITE, '--timeout', '1s']);
    expect(code).toBe(3);
    expect(outcome.status).toBe('not_yet');
    expect(outcome.reason).toBe('timeout');
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('is waited for until it is live', async () => {
    const { outcome } = await pets.json(['domains', 'show', SITE]);
    const [record] = domainOf(outcome.result).records;
    const waiting = pets.json(['domains', 'wait', SITE, '--timeout', '60s']);
    await records.put({ name: SITE, type: 'CNAME', data: `${record?.value}.` });
    const { code, stderr, outcome: waited } = await waiting;
    expect(code).toBe(0);
    expect(waited.reason).toBe('live');
    expect(domainOf(waited.result).state).toBe('live');
    expect(stderr).toMatch(/^ +\d+\.\d s {2}live$/m);
  });

  it('is verified, listed and shown when it is live', async () => {
    expect(await pets.json(['domains', 'verify', SITE])).toMatchObject({ code: 0, outcome: { reason: 'live' } });
    expect((await pets.run(['domains', 'list'])).stdout).toMatch(/^docs\.managed\.com +live +\d{4}-\S+$/m);
    expect((await pets.run(['domains', 'show', SITE])).stdout).toMatch(
      /^Automatic certificate \(visitors get it\)\n {2}state +issued\n {2}names +docs\.managed\.com\n {2}issuer +Pets Development Intermediate$/m,
    );
  });

  it('has a history of what happened and who caused it', async () => {
    const { stdout } = await pets.run(['domains', 'history', SITE]);
    expect(stdout).toMatch(/^TIME +EVENT +STATE +BY +DETAIL\n\S+Z +owner\.added +awaiting_dns +pets_\S+ /);
    expect(stdout).toMatch(/ verified → live +system /);
  });

  it('is not verified again while it has its certificate', async () => {
    const { code, outcome } = await pets.json(['domains', 'reverify', SITE]);
    expect([code, outcome.status]).toEqual([3, 'not_yet']);
    expect(outcome.reason).toBe('reverify_too_early');
  });

  it('at an apex needs an ALIAS and a TXT record', async () => {
    const name = 'apex-example.org';
    const { stdout } = await pets.run(['domains', 'add', name]);
    expect(stdout).toMatch(
      /^ {2}ALIAS +@ +\w+\.cname\.\S+ +3600 +routing\n {2}TXT +_platform-challenge +\S+ +3600 +ownership$/m,
    );
    const { outcome } = await pets.json(['domains', 'verify', name]);
    expect(outcome.status).toBe('not_yet');
    expect(outcome.issues.map(({ code }) => code)).toEqual(['no_record', 'ownership_txt_missing']);
    const token = domainOf((await pets.json(['domains', 'show', name])).outcome.result).ownership.record?.value ?? '';
    const waiting = pets.json(['domains', 'wait', name, '--timeout', '60s']);
    await records.put({ name, type: 'A', data: '127.0.0.1' });
    await records.put({ name: `_platform-challenge.${name}`, type: 'TXT', data: token });
    expect((await waiting).outcome).toMatchObject({ reason: 'live', result: { ownership: { state: 'proven' } } });
  });

  it('is prepared while its name points elsewhere, and then live after the switch', async () => {
    const name = 'docs.prepared.com';
    await records.put({ name, type: 'A', data: '192.0.2.9' });
    const preparing = pets.json(['domains', 'prepare', name, '--timeout', '60s']);
    const shown = async () => (await pets.json(['domains', 'show', name])).outcome;
    let domain: Domain | undefined;
    await waitUntil(async () => {
      const { status, result } = await shown();
      if (status === 'done') domain = domainOf(result);
      return domain !== undefined;
    });
    const delegation = domain?.records.find(({ purpose }) => purpose === 'delegation');
    await records.put({ name: `_acme-challenge.${name}`, type: 'CNAME', data: `${delegation?.value}.` });
    const { code, stderr, outcome } = await preparing;
    expect([code, outcome.status, outcome.reason]).toEqual([0, 'done', 'ready']);
    expect(stderr).toContain(`${delegation?.value}`);
    expect(await pets.json(['domains', 'prepare', name])).toMatchObject({ code: 0, outcome: { reason: 'ready' } });
    expect((await pets.run(['domains', 'show', name])).stdout).toMatch(
      /^ {2}ready: You can switch the DNS record now/m,
    );

    await records.remove(name);
    await records.put({ name, type: 'CNAME', data: `${domain?.records[0]?.value}.` });
    expect(await pets.json(['domains', 'wait', name, '--timeout', '60s'])).toMatchObject({
      outcome: { reason: 'live' },
    });
  });

  it('goes live without an event stream', async () => {
    const proxy = await startProxyWithoutStreams(stack.dev.apiUrl);
    const name = 'guide.example.com';
    const { outcome } = await pets.json(['domains', 'add', name]);
    const { domain } = outcome.result as { domain: Domain }; // as the command is documented
    const proxied = pets.with({ PETS_API_URL: proxy.url });
    const waiting = proxied.json(['domains', 'wait', name, '--timeout', '60s']);
    await waitUntil(() => proxy.requestedChecks >= 1, { message: 'the command to ask for a check' });
    // Only now: the schedule could find it before the command has started.
    await records.put({ name, type: 'CNAME', data: `${domain.records[0]?.value}.` });
    const waited = await waiting;
    expect(waited.code).toBe(0);
    expect(waited.outcome.reason).toBe('live');
    expect(proxy.refusedStreams).toBe(1);
    proxy.close();
  });

  it('is not removed without a confirmation', async () => {
    const { code, outcome } = await pets.json(['domains', 'remove', SITE]);
    expect(code).toBe(2);
    expect(outcome.reason).toBe('confirmation_missing');
  });

  it('is reported as pending while an edge may still serve it', async () => {
    const edge = stack.pidOf('edge');
    process.kill(edge, 'SIGSTOP');
    try {
      const { code, outcome } = await pets.json(['domains', 'remove', SITE, '--yes', '--timeout', '1s']);
      expect(code).toBe(3);
      expect(outcome.status).toBe('not_yet');
      expect(outcome.reason).toBe('edges_pending');
      expect(domainOf(outcome.result)).toMatchObject({ state: 'removed', pendingEdges: 1 });
    } finally {
      process.kill(edge, 'SIGCONT');
    }
    const { code, outcome } = await pets.json(['domains', 'remove', SITE, '--yes']);
    expect(code).toBe(0);
    expect(outcome.reason).toBe('removed');
  });

  it('is added together with its www or apex counterpart', async () => {
    const { code, outcome } = await pets.json(['domains', 'add', 'example.org', '--pair']);
    expect(code).toBe(0);
    expect(outcome.result).toMatchObject({ domain: { name: 'example.org' }, twin: { name: 'www.example.org' } });
  });

  it('is refused on a free plan, and unauthorized with an invalid key', async () => {
    const { freeApiKey, freeProjectId } = stack.dev;
    const free = pets.with({ PETS_API_KEY: freeApiKey, PETS_PROJECT: freeProjectId });
    expect(await free.json(['domains', 'add', 'docs.example.net'])).toMatchObject({
      code: 4,
      outcome: { reason: 'plan_required' },
    });
    const stranger = pets.with({ PETS_API_KEY: 'pets_test_mistyped' });
    expect(await stranger.json(['domains', 'list'])).toMatchObject({ code: 5, outcome: { reason: 'invalid_api_key' } });
  });
});
