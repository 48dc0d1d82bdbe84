/** The commands of docs/guides/previews.md, as they are printed there, and what visitors get. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Channel, Deployment } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';
import { openPetsStack, type PetsStack } from './pets-stack.js';
import { visitAt } from './visit-at.js';

jest.setTimeout(120_000);

let opened: PetsStack;
let guide: string;
beforeAll(async () => {
  opened = await openPetsStack();
  guide = await readFile(join(repositoryRoot, 'docs/guides/previews.md'), 'utf8');
  await mkdir(join(opened.folder, 'dist'));
  await writeFile(join(opened.folder, 'dist/index.html'), 'Preview');
});
afterAll(() => opened?.stop());

/** Arguments of a command of the guide, with the folder and the ids of this test. */
function argumentsOf(start: string, id = ''): readonly string[] {
  const [, command] = new RegExp(`pets (${start}[^\`\n)]*)`).exec(guide) ?? [];
  if (command === undefined) throw new Error(`the guide has no ${start}`);
  const given: Readonly<Record<string, string>> = { './dist': join(opened.folder, 'dist'), ID: id };
  return command.split(' ').map((word) => given[word] ?? word);
}

const visit = (url: string, cookie?: string) =>
  visitAt(opened.stack.dev.edgeHttpsUrl, url, cookie === undefined ? {} : { cookie });

describe('docs/guides/previews.md', () => {
  it('deploys to a channel, renews and publishes it, and serves nothing of it once it is removed', async () => {
    const { pets } = opened;
    const deployed = await pets.json(argumentsOf('deploy'));
    const { url, deployment } = deployed.outcome.result as { url: string; deployment: Deployment };
    expect(url).toContain('https://pr-12--');
    expect(deployment).toMatchObject({ active: false, channels: ['pr-12'] });
    expect(await visit(url)).toMatchObject({ status: 200, headers: { 'x-robots-tag': 'noindex' }, body: 'Preview' });

    expect((await pets.json(argumentsOf('channels list'))).outcome.result).toMatchObject([{ name: 'pr-12', url }]);
    expect((await pets.run(['channels', 'show', 'pr-12'])).stdout).toContain(url);
    for (const start of ['channels set pr-12 --deployment', 'channels set pr-12(?! )']) {
      const { outcome } = await pets.json(argumentsOf(start, deployment.id));
      expect(outcome.result as Channel).toMatchObject({ name: 'pr-12', deploymentId: deployment.id });
    }
    expect((await pets.json(argumentsOf('deployments activate', deployment.id))).outcome.status).toBe('done');

    expect((await pets.json(argumentsOf('channels remove'))).outcome).toMatchObject({ reason: 'removed' });
    await expect(visit(url)).rejects.toThrow();
    expect((await pets.json(['channels', 'show', 'pr-12'])).outcome.reason).toBe('not_found');
  });

  it('protects a channel, which a link opens until all links are ended', async () => {
    const { pets } = opened;
    const deployed = await pets.json(argumentsOf('deploy ./dist --channel pr-12 --protected'));
    const { url } = deployed.outcome.result as { url: string };
    const statusOf = (cookie?: string) =>
      visit(url, cookie).then(
        ({ status }) => status,
        () => undefined,
      );
    await waitUntil(async () => (await statusOf()) === 401, { message: 'the edge serves it' });
    const link = (await pets.run(argumentsOf('channels link'))).stdout.trim();
    const sent = await visit(link);
    expect(sent).toMatchObject({ status: 303, body: '' });
    expect(new URL(sent.headers.location ?? '').href).toBe(new URL('/', url).href);
    const [cookie] = sent.headers['set-cookie']?.[0]?.split(';') ?? [];
    expect(await statusOf(cookie)).toBe(200);
    const parts = await visit(`${url}/nothing${new URL(link).search}`);
    expect(parts.headers.location).toBe(`${url}/nothing`);
    expect((await pets.run(['channels', 'show', 'pr-12'])).stdout).toMatch(/access +protected/);

    expect((await pets.json(argumentsOf('channels end-links'))).outcome).toMatchObject({ reason: 'ended' });
    expect(await statusOf(cookie)).toBe(401);
    expect((await pets.json(['channels', 'set', 'pr-12', '--public'])).outcome.result).toMatchObject({
      access: 'public',
    });
    await waitUntil(async () => (await statusOf()) === 200, { message: 'the edge serves it to everybody' });
    expect((await pets.json(['channels', 'link', 'pr-12'])).outcome.reason).toBe('conflict');
    expect((await pets.run(['channels', 'set', 'pr-12', '--public', '--protected'])).code).toBe(2);
    await pets.json(argumentsOf('channels remove'));
  });

  it('lets a domain serve a channel', async () => {
    const { pets } = opened;
    await pets.json(['deploy', join(opened.folder, 'dist'), '--channel', 'staging']);
    await pets.json(['domains', 'add', 'staging.example.com']);
    const bound = await pets.json(argumentsOf('domains update'));
    expect(bound.outcome.result).toMatchObject({ channel: 'staging' });
    expect((await pets.json(['channels', 'remove', 'staging'])).outcome.reason).toBe('conflict');
    expect((await pets.run(['domains', 'show', 'staging.example.com'])).stdout).toContain('serves the channel staging');
    const ended = await pets.json(['domains', 'update', 'staging.example.com', '--no-channel']);
    expect(ended.outcome.result).toMatchObject({ channel: null });
  });
});
