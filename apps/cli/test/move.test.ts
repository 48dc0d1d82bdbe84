import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { domainSchema } from '@pets/contracts';
import { repositoryRoot } from '@pets/testing/processes';
import { openPetsStack, type PetsStack } from './pets-stack.js';
import type { Pets } from './run-pets.js';

jest.setTimeout(120_000);

const SITE = 'moved.example.com';
const SAMPLE = join(repositoryRoot, 'tools/dev-stack/assets/acme-docs');
let started: PetsStack | undefined;
let stack: PetsStack['stack'];
let pets: Pets;

beforeAll(async () => {
  started = await openPetsStack();
  ({ stack, pets } = started);
});
afterAll(() => started?.stop());

it('moves a domain to another project and back, with the redirects that refer to it if wanted', async () => {
  await pets.run(['domains', 'add', SITE]);
  const { stdout } = await pets.run(['projects', 'create', 'moved-to']);
  const there = pets.with({ PETS_PROJECT: stdout.trim() });
  expect((await pets.json(['domains', 'move', SITE, '--to', 'moved-to'])).outcome.reason).toBe('deployment_required');
  await there.run(['deploy', SAMPLE]);
  expect(await pets.json(['domains', 'move', SITE, '--to', 'nowhere'])).toMatchObject({
    code: 4,
    outcome: { reason: 'not_found', message: 'There is no project with the ID or slug nowhere.' },
  });
  const { code, outcome } = await pets.json(['domains', 'move', SITE, '--to', 'moved-to']);
  expect([code, outcome.reason, outcome.message]).toEqual([0, 'moved', `Moved ${SITE} to the project moved-to.`]);
  expect(domainSchema.parse(outcome.result).projectId).toBe(stdout.trim());

  await there.json(['domains', 'add', 'example.com', '--pair']);
  const back = ['--to', stack.dev.projectId];
  const refused = await there.json(['domains', 'move', 'example.com', ...back]);
  expect([refused.code, refused.outcome.reason]).toEqual([4, 'conflict']);
  expect(refused.outcome.message).toContain('www.example.com redirects to example.com (301)');
  for (const name of ['example.com', SITE])
    expect((await there.json(['domains', 'move', name, ...back, '--with-redirects'])).outcome.reason).toBe('moved');
  expect((await there.json(['domains', 'list'])).outcome.result).toEqual([]);
  expect((await pets.json(['domains', 'show', 'www.example.com'])).code).toBe(0);
});
