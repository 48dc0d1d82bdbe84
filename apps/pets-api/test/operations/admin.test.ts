import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scopes } from '@pets/contracts';
import { openDatabase, Pipeline, type Database } from '@pets/persistence';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { hashKey } from '../../src/access/api-keys/key-format.js';
import { PrincipalsQuery } from '../../src/access/api-keys/authenticator.js';
import { startMigratedPostgres, type MigratedPostgres } from '../migrated-postgres.js';

const config = { ENVIRONMENT: 'production' } as const;
const missing = '00000000-0000-4000-8000-000000000000';
let postgres: MigratedPostgres;
let db: Database;
let pipeline: Pipeline;

beforeAll(async () => {
  postgres = await startMigratedPostgres();
  const options = { ...postgres.address, onConnectionError: () => undefined };
  db = openDatabase(options);
  pipeline = new Pipeline({ ...options, connections: 1 });
});
afterAll(async () => {
  await pipeline.close();
  await db.destroy();
  await postgres.stop();
});

const run = (line: string) => runAdminCommand(line.split(' '), db, config);
const principalOf = (key: string, now = new Date()) => new PrincipalsQuery(db, pipeline).ofKey(hashKey(key), now);
const createOrganization = async () =>
  (await run('organization create --name Acme --plan free')) as { organizationId: string };

describe('the administrator', () => {
  it('creates an organization, its plan and a working key', async () => {
    const { organizationId } = await createOrganization();
    expect(await run(`plan set --organization ${organizationId} --plan pro`)).toEqual({ organizationId, plan: 'pro' });
    const { apiKey } = (await run(`key create --organization ${organizationId} --name ci`)) as { apiKey: string };
    expect(apiKey).toMatch(/^pets_live_/);
    expect(await principalOf(apiKey)).toMatchObject({ organizationId, plan: 'pro', scopes });
  });

  it('gives an organization a limit of its own, and takes it back', async () => {
    const { organizationId } = await createOrganization();
    const limitOf = async (name: string) => {
      const { limits } = (await run(`limits list --organization ${organizationId}`)) as { limits: { name: string }[] };
      return limits.find((limit) => limit.name === name);
    };
    expect(await limitOf('projects')).toEqual({ name: 'projects', value: 10, from: 'plan' });
    const line = `limits set --organization ${organizationId} --name projects --value`;
    expect(await run(`${line} 12`)).toEqual({ organizationId, name: 'projects', value: 12 });
    await run(`${line} 13`);
    expect(await limitOf('projects')).toEqual({ name: 'projects', value: 13, from: 'organization' });
    await run(`limits unset --organization ${organizationId} --name projects`);
    expect(await limitOf('projects')).toEqual({ name: 'projects', value: 10, from: 'plan' });
    expect(await limitOf('requestsPerMinute')).toEqual({
      ...{ name: 'requestsPerMinute', value: null, from: 'RATE_LIMIT_PER_MINUTE' },
    });
  });

  it('sets the limits of a plan', async () => {
    const line = 'plan limits set --plan pro --name requestsPerMinute --value 5000';
    expect(await run(line)).toEqual({ plan: 'pro', name: 'requestsPerMinute', value: 5000 });
    expect(await run('plan limits list --plan pro')).toMatchObject({
      plan: 'pro',
      limits: expect.arrayContaining([{ name: 'requestsPerMinute', value: 5000, from: 'plan' }]),
    });
    await run('plan limits unset --plan pro --name requestsPerMinute');
    expect(await run('plan limits list --plan pro')).toMatchObject({
      limits: expect.arrayContaining([{ name: 'requestsPerMinute', value: null, from: 'RATE_LIMIT_PER_MINUTE' }]),
    });
  });

  it('creates an organization and its first key together', async () => {
    const line = 'organization create --name Acme --plan pro --key-name first';
    const { organizationId, apiKey } = (await run(line)) as { organizationId: string; apiKey: string };
    expect(await principalOf(apiKey)).toMatchObject({ organizationId, plan: 'pro', scopes });
    expect(await run(`key list --organization ${organizationId}`)).toMatchObject({ keys: [{ name: 'first' }] });
  });

  it('creates a key with fewer scopes and an expiry', async () => {
    const { organizationId } = await createOrganization();
    const line = `key create --organization ${organizationId} --name ci --scopes pets:write,pets:read --expires-in-days 30`;
    const { apiKey } = (await run(line)) as { apiKey: string };
    expect(await principalOf(apiKey)).toMatchObject({ scopes: ['pets:read', 'pets:write'] });
    const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1_000);
    expect(await principalOf(apiKey, inDays(29))).not.toBeNull();
    expect(await principalOf(apiKey, inDays(31))).toBeNull();
  });

  it('lists the keys of an organization, without the keys themselves, and revokes one', async () => {
    const { organizationId } = await createOrganization();
    const { apiKey } = (await run(`key create --organization ${organizationId} --name ci`)) as { apiKey: string };
    const { keys } = (await run(`key list --organization ${organizationId}`)) as { keys: { id: string }[] };
    expect(keys).toMatchObject([{ name: 'ci', revokedAt: null }]);
    expect(JSON.stringify(keys)).not.toContain(apiKey);
    const id = keys[0]?.id ?? '';
    expect(await run(`key revoke --organization ${organizationId} --key ${id}`)).toEqual({ revoked: id });
    expect(await principalOf(apiKey)).toBeNull();
  });

  it('forgets an edge that is gone for good', async () => {
    const edge = {
      id: 'edge-gone',
      epoch: missing,
      acked_version: 3n,
      http_address: 'x',
      https_address: 'y',
      last_contact_at: new Date(),
      session_id: missing,
    };
    await db.insertInto('edges').values(edge).execute();
    expect(await run('edges list')).toMatchObject({
      edges: [{ id: 'edge-gone', ackedVersion: 3, region: null, probeFailures: 0 }],
    });
    expect(await run('edges forget --edge edge-gone')).toEqual({ forgotten: 'edge-gone' });
    expect(await run('edges list')).toEqual({ edges: [] });
  });

  it('begins a new epoch of the feed', async () => {
    const before = await db.selectFrom('edge_feed').select(['epoch', 'version']).executeTakeFirstOrThrow();
    const { epoch } = (await run('feed rotate-epoch')) as { epoch: string };
    expect(epoch).not.toBe(before.epoch);
    expect(await db.selectFrom('edge_feed').select(['epoch', 'version']).executeTakeFirst()).toEqual({
      ...before,
      epoch,
    });
  });

  it.each([
    ['nothing', '', 'usage:'],
    ['an unknown command', 'organization delete', 'usage:'],
    ['an unknown option', 'edges list --all', 'usage:\n  admin edges list'],
    ['an option of another command', 'edges list --name x', "Unknown option '--name'"],
    ['a word too much', 'edges forget --edge x y', "Unexpected argument 'y'"],
    ['a missing option', 'organization create --plan pro', '--name is missing'],
    ['a plan there is not', 'organization create --name A --plan gold', '--plan must be one of free, pro, enterprise'],
    ['what is no id', 'plan set --organization 5 --plan pro', '--organization is not an id: 5'],
    [
      'an organization there is not',
      `plan set --organization ${missing} --plan pro`,
      `there is no organization ${missing}`,
    ],
    [
      'a key for an organization there is not',
      `key create --organization ${missing} --name x`,
      `there is no organization ${missing}`,
    ],
    [
      'a scope there is not',
      `key create --organization ${missing} --name x --scopes pets:read,pets:eat`,
      '--scopes must be some of pets:read,',
    ],
    ['no scope', `key create --organization ${missing} --name x --scopes=`, '--scopes must be some of'],
    [
      'what is no number of days',
      `key create --organization ${missing} --name x --expires-in-days 0`,
      '--expires-in-days must be a whole number',
    ],
    [
      'a key there is not',
      `key revoke --organization ${missing} --key ${missing}`,
      `the organization has no key ${missing}`,
    ],
    ['an edge there is not', 'edges forget --edge nobody', 'there is no edge nobody'],
  ])('gets an error for %s', async (_name, line, message) => {
    await expect(run(line)).rejects.toThrow(message);
  });
});
