import { randomUUID } from 'node:crypto';
import { cp, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Deployment } from '@pets/contracts';
import type { SharedTestStack } from '@pets/lab';
import { repositoryRoot } from '@pets/testing/processes';
import { openPetsStack, type PetsStack } from './pets-stack.js';
import { Pets } from './run-pets.js';

jest.setTimeout(120_000);

const SAMPLE = join(repositoryRoot, 'tools/dev-stack/assets/acme-docs');
let started: PetsStack | undefined;
let folder: string;
let stack: SharedTestStack;
let pets: Pets;

beforeAll(async () => {
  const opened = await openPetsStack();
  started = opened;
  ({ folder, stack, pets } = opened);
});
afterAll(() => started?.stop());

describe('the project of a command', () => {
  /** Command without `PETS_PROJECT`. */
  const withoutProject = () => pets.with({ PETS_PROJECT: '' });

  it('is the only one of the organization by default', async () => {
    const { outcome } = await withoutProject().json(['projects', 'show']);
    expect(outcome).toMatchObject({ status: 'done', result: { id: stack.dev.projectId } });
    expect((await withoutProject().run(['domains', 'list'])).code).toBe(0);
  });

  it('has to be given where there are several, by its id or its slug', async () => {
    const { stdout } = await pets.run(['projects', 'create', 'handbook', '--name', 'The handbook']);
    expect((await pets.run(['projects', 'list', '--ids'])).stdout).toMatch(
      new RegExp(`^${stdout.trim()} +handbook +The handbook`, 'm'),
    );
    expect((await pets.run(['projects', 'list'])).stdout).not.toContain(stdout.trim());
    const refused = await withoutProject().json(['domains', 'list']);
    expect(refused).toMatchObject({ code: 2, outcome: { reason: 'project_missing' } });
    expect(refused.outcome.message).toContain(`${stack.slug}, handbook`);
    for (const project of ['handbook', stdout.trim()]) {
      const { outcome } = await pets.json(['projects', 'show', '--project', project]);
      expect(outcome.result).toMatchObject({ slug: 'handbook' });
    }
    expect(await pets.json(['domains', 'list', '--project', 'hand'])).toMatchObject({
      code: 4,
      outcome: { reason: 'not_found' },
    });
  });

  it('can be changed', async () => {
    const update = ['projects', 'update', '--project', 'handbook'];
    const { outcome } = await pets.json([...update, '--name', 'Guide', '--hsts', '31536000', '--hsts-subdomains']);
    const hsts = { maxAge: 31_536_000, includeSubDomains: true, preload: false };
    expect(outcome.result).toMatchObject({ name: 'Guide', hsts, trailingSlash: 'auto' });
    expect((await pets.run([...update, '--trailing-slash', 'never'])).stdout).toMatch(/^trailing slash +never$/m);
    expect((await pets.run([...update, '--no-hsts'])).stdout).toMatch(/^HSTS +not sent$/m);
    expect(await pets.json(update)).toMatchObject({ code: 2, outcome: { reason: 'nothing_to_change' } });
  });
});

describe('whoami', () => {
  it('shows the organization, the key with its scopes, and the project', async () => {
    const { code, stdout } = await pets.run(['whoami']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^organization +\S/m);
    expect(stdout).toMatch(/^key +pets_\S+…\S{4} ".+", from PETS_API_KEY$/m);
    expect(stdout).toMatch(/^scopes +all$/m);
    expect(stdout).toMatch(new RegExp(`^project +${stack.slug}$`, 'm'));
    expect((await pets.run(['whoami', '--ids'])).stdout).toContain(`${stack.slug} (${stack.dev.projectId})`);
    expect(stdout).not.toContain(stack.dev.apiKey);
  });

  it('needs a key that the API knows', async () => {
    const stranger = pets.with({ PETS_API_KEY: 'pets_test_mistyped' });
    expect(await stranger.json(['whoami'])).toMatchObject({ code: 5, outcome: { reason: 'invalid_api_key' } });
  });
});

describe('open', () => {
  it('prints the URL of the site, and of the page in the dashboard', async () => {
    await pets.run(['domains', 'add', 'open.example.com']);
    const site = await pets.run(['open']);
    expect(site.stdout).toContain(`https://${stack.slug}.`);
    expect((await pets.run(['open', 'open.example.com'])).stdout).toBe('https://open.example.com\n');
    const { stdout } = await pets.run(['open', 'open.example.com', '--dashboard']);
    const page = await fetch(stdout.trim(), { headers: { accept: 'text/html' } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="root">')]);
  });
});

describe('the configuration of a project', () => {
  it('has a primary domain and redirects, which commands change one by one', async () => {
    for (const name of ['shop.example.com', 'b\u00fccher.example.com']) await pets.run(['domains', 'add', name]);
    const set = await pets.run(['domains', 'config', 'set', '--primary', 'shop.example.com', '--platform-redirect']);
    expect(set.stdout).toMatch(/^primary +shop\.example\.com\nplatform host +redirects/);
    const add = ['redirects', 'add', 'b\u00fccher.example.com', 'shop.example.com'];
    expect((await pets.json(add)).outcome.status).toBe('done');
    expect((await pets.json([...add, '--status', '308'])).outcome.status).toBe('done');
    expect((await pets.json(['redirects', 'list'])).outcome.result).toEqual([
      { from: 'xn--bcher-kva.example.com', to: 'shop.example.com', status: 308 },
    ]);
    expect((await pets.run(['domains', 'config', 'show'])).stdout).toMatch(
      /^primary +shop.*\n.*\n\nRedirects\n {2}FROM.*\n {2}xn--bcher-kva\.example\.com +shop/m,
    );
    const reversed = await pets.json(['redirects', 'add', 'shop.example.com', 'b\u00fccher.example.com']);
    expect(reversed).toMatchObject({ code: 4, outcome: { reason: 'redirect_cycle' } });
    expect((await pets.json(['redirects', 'remove', 'b\u00fccher.example.com'])).outcome.reason).toBe('removed');
    expect(await pets.json(['redirects', 'remove', 'b\u00fccher.example.com'])).toMatchObject({
      code: 4,
      outcome: { reason: 'not_found' },
    });
    const none = await pets.json(['domains', 'config', 'set', '--no-primary', '--no-platform-redirect']);
    expect(none.outcome.result).toMatchObject({ domains: { redirects: [] }, platformRedirect: false });
  });
});

describe('projects and deployments', () => {
  it('deploy a folder, and activate an earlier deployment', async () => {
    const { outcome: before } = await pets.json(['deployments', 'list']);
    const { stdout, code } = await pets.run(['deploy', SAMPLE]);
    expect(code).toBe(0);
    expect(stdout).toContain(`https://${stack.slug}.`);
    const [first] = before.result as { id: string }[]; // the seeded deployment
    const activated = await pets.json(['deployments', 'activate', first?.id ?? '']);
    expect(activated.outcome).toMatchObject({ reason: 'activated', result: { id: first?.id, active: true } });
  });

  it('delete an earlier deployment, which cannot be activated again', async () => {
    const { outcome: published } = await pets.json(['deploy', SAMPLE]);
    await pets.json(['deploy', SAMPLE]);
    const { id } = (published.result as { deployment: { id: string } }).deployment;
    expect((await pets.json(['deployments', 'delete', id])).outcome).toMatchObject({ reason: 'deleted' });
    expect((await pets.json(['deployments', 'activate', id])).outcome).toMatchObject({
      reason: 'deployment_collected',
    });
    expect((await pets.run(['deployments', 'list'])).stdout).toMatch(new RegExp(`${id} +collected`));
  });

  it('send only what the project lacks, and say what changed', async () => {
    const site = join(folder, 'site');
    await cp(SAMPLE, site, { recursive: true });
    const page = `<h1>${randomUUID()}</h1>`;
    await writeFile(join(site, 'new.html'), page);
    await writeFile(join(site, 'copy.html'), page);
    const first = await pets.run(['deploy', site, '--wait', '--message', 'One']);
    expect(first.stderr).toMatch(/sending \d+ of \d+ files/);
    await writeFile(join(site, 'new.html'), randomUUID());
    await rm(join(site, 'copy.html'));
    const { code, outcome } = await pets.json(['deploy', site, '--wait', '--source', 'none']);
    expect(code).toBe(0);
    const { deployment, sent } = outcome.result as { deployment: Deployment; sent: { files: number; bytes: number } };
    expect(sent.files).toBe(1);
    expect(sent.bytes).toBeLessThan(deployment.bytes);
    const { stdout, stderr } = await pets.run(['deployments', 'changes', deployment.id]);
    expect(stdout).toBe('~ new.html\n- copy.html\n');
    expect(stderr).toContain('0 added, 1 changed, 1 removed');
  });

  it('are shown with what built them', async () => {
    const build = { GITHUB_SHA: '4f1c2d9e4f1c2d9e', GITHUB_REF_NAME: 'new-prices' };
    await pets.with(build).run(['deploy', SAMPLE]);
    expect((await pets.run(['deployments', 'list'])).stdout).toMatch(/new-prices 4f1c2d9e/);
  });

  it('pack the same files into the same content', async () => {
    const hashes = new Set<string>();
    for (let i = 0; i < 2; i += 1) {
      const { outcome } = await pets.json(['deploy', SAMPLE]);
      hashes.add((outcome.result as { deployment: { contentHash: string } }).deployment.contentHash);
    }
    expect(hashes.size).toBe(1);
  });
});

describe('API keys', () => {
  it('are created with scopes, and revoked', async () => {
    const { stdout } = await pets.run(['keys', 'create', 'ci', '--scope', 'pets:read']);
    const holder = pets.with({ PETS_API_KEY: stdout.trim() });
    expect((await holder.run(['pets', 'list'])).code).toBe(0);
    expect(await holder.json(['projects', 'list'])).toMatchObject({ code: 5, outcome: { reason: 'forbidden' } });
    const { outcome } = await pets.json(['keys', 'list']);
    const id = (outcome.result as { id: string; name: string }[]).find(({ name }) => name === 'ci')?.id ?? '';
    expect((await pets.run(['keys', 'revoke', id])).code).toBe(0);
  });

  it('are saved by login, readable only by the owner and used only for that API', async () => {
    const { apiUrl, apiKey, projectId } = stack.dev;
    const stranger = new Pets({ HOME: join(folder, 'home') });
    const login = ['login', '--api-url', apiUrl, '--project', projectId];
    expect((await stranger.run(login, { stdin: 'pets_test_mistyped\n' })).code).toBe(5);
    const { code, stdout, stderr } = await stranger.run(login, { stdin: `${apiKey}\n` });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(apiKey);
    expect((await stat(join(folder, 'home/.config/pets/config.json'))).mode & 0o777).toBe(0o600);
    expect((await stranger.run(['domains', 'list'])).code).toBe(0);
    expect((await stranger.run(['domains', 'list', '--api-url', 'http://127.0.0.1:1'])).stderr).toContain('No API key');
    expect((await stranger.run(['logout'])).code).toBe(0);
    expect((await stranger.run(['domains', 'list'])).code).toBe(2);
  });
});
