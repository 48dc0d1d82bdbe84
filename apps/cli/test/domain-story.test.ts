import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { domainSchema, type Domain } from '@pets/contracts';
import { openDevRecords, repositoryRoot, type DevRecords } from '@pets/dev-stack';
import { startStack, type RunningStack } from '@pets/testing';
import { Pets } from './run-pets.js';
import { tapWithoutStreams } from './tap.js';

jest.setTimeout(180_000);

const SITE = 'docs.example.com';
const SAMPLE = join(repositoryRoot, 'tools/dev-stack/assets/acme-docs');
let folder: string;
let stack: RunningStack;
let records: DevRecords;
let pets: Pets;

/** In order: each goes on where the one before ended. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-cli-'));
  const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
  stack = await startStack({ dataDir: join(folder, 'stack'), env: inherited });
  records = openDevRecords(stack.dev);
  const { apiUrl, apiKey, projectId } = stack.dev;
  pets = new Pets({ HOME: folder, PETS_API_URL: apiUrl, PETS_API_KEY: apiKey, PETS_PROJECT: projectId });
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What the commands on one domain have for a result. */
function domainOf(result: unknown): Domain {
  return domainSchema.parse(result);
}

describe('a domain, by commands alone', () => {
  it('is added, with the record to create as a table', async () => {
    const { code, stdout } = await pets.run(['domains', 'add', SITE]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^docs\.example\.com\n {2}TYPE +NAME +VALUE +TTL +FOR\n {2}CNAME +docs +\w+\.cname\.\S+ +3600 +routing\n$/,
    );
  });

  it('is not added twice', async () => {
    const { code, outcome } = await pets.json(['domains', 'add', SITE]);
    expect([code, outcome.status, outcome.reason]).toEqual([4, 'refused', 'domain_exists']);
  });

  it('is not verified yet without its record, and the next command is told', async () => {
    const { code, outcome } = await pets.json(['domains', 'verify', SITE]);
    expect([code, outcome.status, outcome.reason]).toEqual([3, 'not_yet', 'no_record']);
    expect(outcome.next[0]).toEqual({ command: `pets domains verify ${SITE}`, when: 'after you create the records' });
    expect(outcome.issues[0]).toMatchObject({ code: 'no_record' });
  });

  it('is refused while a record stands in the way', async () => {
    await records.put({ name: SITE, type: 'A', data: '192.0.2.9' });
    const { code, outcome } = await pets.json(['domains', 'verify', SITE]);
    expect([code, outcome.status, outcome.reason]).toEqual([4, 'refused', 'conflicting_a']);
    await records.remove(SITE);
  });

  it('is waited for no longer than asked', async () => {
    const began = performance.now();
    const { code, outcome } = await pets.json(['domains', 'wait', SITE, '--timeout', '1s']);
    expect([code, outcome.status, outcome.reason]).toEqual([3, 'not_yet', 'timeout']);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('is waited for until it is live, while its record is made', async () => {
    const { outcome } = await pets.json(['domains', 'show', SITE]);
    const [record] = domainOf(outcome.result).records;
    const waiting = pets.json(['domains', 'wait', SITE, '--timeout', '60s']);
    await records.put({ name: SITE, type: 'CNAME', data: `${record?.value}.` });
    const { code, stderr, outcome: waited } = await waiting;
    expect([code, waited.reason, domainOf(waited.result).state]).toEqual([0, 'live', 'live']);
    expect(stderr).toMatch(/^ +\d+\.\d s {2}live$/m);
  });

  it('is verified at once where it is live, listed and shown', async () => {
    expect(await pets.json(['domains', 'verify', SITE])).toMatchObject({ code: 0, outcome: { reason: 'live' } });
    expect((await pets.run(['domains', 'list'])).stdout).toMatch(/^docs\.example\.com +live +\d{4}-\S+$/m);
    expect((await pets.run(['domains', 'show', SITE])).stdout).toContain('Pets Development Intermediate');
  });

  it('that is an apex has two records to create, and is waited for while both are made', async () => {
    const name = 'an-apex-story.org';
    const { stdout } = await pets.run(['domains', 'add', name]);
    expect(stdout).toMatch(
      /^ {2}ALIAS +@ +\w+\.cname\.\S+ +3600 +routing\n {2}TXT +_platform-challenge +\S+ +3600 +ownership$/m,
    );
    const { outcome } = await pets.json(['domains', 'verify', name]);
    expect([outcome.status, outcome.issues.map(({ code }) => code)]).toEqual([
      'not_yet',
      ['no_record', 'ownership_txt_missing'],
    ]);
    const token = domainOf((await pets.json(['domains', 'show', name])).outcome.result).ownership.record?.value ?? '';
    const waiting = pets.json(['domains', 'wait', name, '--timeout', '60s']);
    await records.put({ name, type: 'A', data: '127.0.0.1' });
    await records.put({ name: `_platform-challenge.${name}`, type: 'TXT', data: token });
    expect((await waiting).outcome).toMatchObject({ reason: 'live', result: { ownership: { state: 'proven' } } });
  });

  it('goes live just as well where no event stream can be had', async () => {
    const through = await tapWithoutStreams(stack.dev.apiUrl);
    const name = 'guide.example.com';
    const { outcome } = await pets.json(['domains', 'add', name]);
    const { domain } = outcome.result as { domain: Domain }; // as the command is documented
    await records.put({ name, type: 'CNAME', data: `${domain.records[0]?.value}.` });
    const tapped = pets.with({ PETS_API_URL: through.url });
    const waited = await tapped.json(['domains', 'wait', name, '--timeout', '60s']);
    expect([waited.code, waited.outcome.reason]).toEqual([0, 'live']);
    expect(through.refusedStreams).toBe(1);
    through.close();
  });

  it('is not removed unless that is confirmed', async () => {
    const { code, outcome } = await pets.json(['domains', 'remove', SITE]);
    expect([code, outcome.reason]).toEqual([2, 'confirmation_missing']);
  });

  it('is not called removed while an edge may still serve it', async () => {
    const edge = processOf('apps/edge/dist/main.js');
    process.kill(edge, 'SIGSTOP');
    try {
      const { code, outcome } = await pets.json(['domains', 'remove', SITE, '--yes', '--timeout', '1s']);
      expect([code, outcome.status, outcome.reason]).toEqual([3, 'not_yet', 'edges_pending']);
      expect(domainOf(outcome.result)).toMatchObject({ state: 'removed', pendingEdges: 1 });
    } finally {
      process.kill(edge, 'SIGCONT');
    }
    const { code, outcome } = await pets.json(['domains', 'remove', SITE, '--yes']);
    expect([code, outcome.reason]).toEqual([0, 'removed']);
  });

  it('is added with its twin', async () => {
    const { code, outcome } = await pets.json(['domains', 'add', 'example.org', '--pair']);
    expect(code).toBe(0);
    expect(outcome.result).toMatchObject({ domain: { name: 'example.org' }, twin: { name: 'www.example.org' } });
  });

  it('cannot be had on a free plan, which is told from a bad key', async () => {
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

describe('the store', () => {
  it('shows identifiers with all their digits', async () => {
    const added = await pets.run(['pets', 'add', 'Rex', '--category', '9223372036854775807']);
    expect(added.code).toBe(0);
    expect((await pets.run(['pets', 'list'])).stdout).toMatch(/^\d+ +Rex +9223372036854775807 +available$/m);
    expect((await pets.run(['pets', 'list', '--json'])).stdout).toContain('"categoryId":9223372036854775807,');
    expect((await pets.run(['orders', 'add', added.stdout.trim()])).code).toBe(0);
    expect((await pets.run(['orders', 'list', '--status', 'placed'])).stdout).toMatch(/^\d+ +\d+ +1 +placed/m);
  });

  it('is read page by page by the commands that are told next', async () => {
    await pets.run(['pets', 'add', 'Tom', '--category', '1']);
    const { outcome } = await pets.json(['pets', 'list', '--limit', '1']);
    const [next] = outcome.next;
    expect(next?.command).toMatch(/^pets pets list --limit 1 --cursor \S+$/);
    const rest = await pets.json((next?.command ?? '').split(' ').slice(1));
    expect(rest.outcome).toMatchObject({ result: [{ name: 'Tom' }], next: [] });
  });
});

describe('projects and deployments', () => {
  it('publishes a folder, and an earlier one again', async () => {
    const { outcome: before } = await pets.json(['deployments', 'list']);
    const { stdout, code } = await pets.run(['deploy', SAMPLE]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^https:\/\/acme-docs\./)]);
    const [first] = before.result as { id: string }[]; // the seeded deployment
    const activated = await pets.json(['deployments', 'activate', first?.id ?? '']);
    expect(activated.outcome).toMatchObject({ reason: 'activated', result: { id: first?.id, active: true } });
  });

  it('deletes an earlier one, which cannot be served again', async () => {
    const { outcome: published } = await pets.json(['deploy', SAMPLE]);
    await pets.json(['deploy', SAMPLE]);
    const { id } = (published.result as { deployment: { id: string } }).deployment;
    expect((await pets.json(['deployments', 'delete', id])).outcome).toMatchObject({ reason: 'deleted' });
    expect((await pets.json(['deployments', 'activate', id])).outcome).toMatchObject({
      reason: 'deployment_collected',
    });
    expect((await pets.run(['deployments', 'list'])).stdout).toMatch(new RegExp(`${id} +collected`));
  });

  it('packs the same files into the same content', async () => {
    const hashes = new Set<string>();
    for (let i = 0; i < 2; i += 1) {
      const { outcome } = await pets.json(['deploy', SAMPLE]);
      hashes.add((outcome.result as { deployment: { contentHash: string } }).deployment.contentHash);
    }
    expect(hashes.size).toBe(1);
  });

  it('creates a project and finds it in the list', async () => {
    const { stdout } = await pets.run(['projects', 'create', 'handbook', '--name', 'The handbook']);
    expect((await pets.run(['projects', 'list'])).stdout).toContain(`${stdout.trim()}  handbook   The handbook`);
  });
});

describe('keys', () => {
  it('are shown once, work, and end when they are revoked', async () => {
    const { stdout } = await pets.run(['keys', 'create', 'ci', '--scope', 'pets:read']);
    const holder = pets.with({ PETS_API_KEY: stdout.trim() });
    expect((await holder.run(['pets', 'list'])).code).toBe(0);
    expect(await holder.json(['projects', 'list'])).toMatchObject({ code: 5, outcome: { reason: 'forbidden' } });
    const { outcome } = await pets.json(['keys', 'list']);
    const id = (outcome.result as { id: string; name: string }[]).find(({ name }) => name === 'ci')?.id ?? '';
    expect((await pets.run(['keys', 'revoke', id])).code).toBe(0);
  });

  it('are kept by login, for the owner alone and for that API alone', async () => {
    const { apiUrl, apiKey, projectId } = stack.dev;
    const stranger = new Pets({ HOME: join(folder, 'home') });
    const login = ['login', '--api-url', apiUrl, '--project', projectId];
    expect((await stranger.run(login, { stdin: 'pets_test_mistyped\n' })).code).toBe(5);
    const { code, stdout, stderr } = await stranger.run(login, { stdin: `${apiKey}\n` });
    expect([code, (stdout + stderr).includes(apiKey)]).toEqual([0, false]);
    expect((await stat(join(folder, 'home/.config/pets/config.json'))).mode & 0o777).toBe(0o600);
    expect((await stranger.run(['domains', 'list'])).code).toBe(0);
    expect((await stranger.run(['domains', 'list', '--api-url', 'http://127.0.0.1:1'])).stderr).toContain('No API key');
    expect((await stranger.run(['logout'])).code).toBe(0);
    expect((await stranger.run(['domains', 'list'])).code).toBe(2);
  });
});

/** The process of the stack that runs a program, by its command line and its folder. */
function processOf(program: string): number {
  const pid = readdirSync('/proc').find((name) => {
    if (!/^\d+$/.test(name)) return false;
    const read = (file: string) => {
      try {
        return readFileSync(`/proc/${name}/${file}`, 'utf8');
      } catch {
        return ''; // it has just ended
      }
    };
    return read('cmdline').includes(program) && read('environ').includes(folder);
  });
  if (pid === undefined) throw new Error(`${program} does not run`);
  return Number(pid);
}
