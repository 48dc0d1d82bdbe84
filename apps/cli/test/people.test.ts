import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { CreatedApiKey, Invitation, Person, SignInTarget } from '@pets/contracts';
import { freePort, signInAtProvider, startIdentityProvider, type IdentityProvider } from '@pets/testing';
import { startPetsStack, type PetsStack } from './pets-stack.js';
import type { Pets } from './run-pets.js';

jest.setTimeout(120_000);

let origin: string;
let callback: string;
let provider: IdentityProvider | undefined;
let started: PetsStack | undefined;
let pets: Pets;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  callback = `${origin}/dashboard/sign-in/callback`;
  provider = await startIdentityProvider(callback);
  provider.setAccount('ada', { name: 'Ada Lovelace', email: 'ada@example.com' });
  provider.setAccount('bo', { name: 'Bo', email: 'bo@example.com' });
  started = await startPetsStack({ ...provider.settings, PETS_API_PORT: String(port) });
  ({ pets } = started);
});
afterAll(async () => {
  await started?.stop();
  await provider?.stop();
});

/** Opens the link of an invitation and signs in, as a browser does. @returns the cookies of the session */
async function accept(url: string, account: string): Promise<string> {
  const invitation = new URL(url).hash.slice(1);
  const begun = await fetch(`${origin}/dashboard/sign-in/oidc`, {
    method: 'POST',
    headers: { origin, 'x-csrf': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ returnTo: '/dashboard/', invitation }),
  });
  const { location } = (await begun.json()) as SignInTarget;
  const target = await signInAtProvider(new URL(location), account, callback);
  const answer = await fetch(target, { headers: { cookie: cookiesOf(begun) }, redirect: 'manual' });
  return cookiesOf(answer);
}

function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
}

const listPeople = async () => (await pets.json(['people', 'list'])).outcome.result as Person[];
const listInvitations = async () => (await pets.json(['invitations', 'list'])).outcome.result as Invitation[];

describe('an invitation', () => {
  it('is created as a link, the only text on standard output, and accepted', async () => {
    const { code, stdout, stderr } = await pets.run(['invitations', 'create', 'Ada', '--role', 'admin']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^http:\/\/\S+\/dashboard\/invitation#\S+\n$/)]);
    expect(stderr).toContain('Invited Ada as admin. The link works once, for seven days.');
    expect((await pets.run(['invitations', 'list'])).stdout).toMatch(/^ID +FOR +ROLE +EXPIRES\n\S+ +Ada +admin +\S+$/m);
    await accept(stdout.trim(), 'ada');
    expect(await listInvitations()).toEqual([]);
    expect((await pets.run(['people', 'list'])).stdout).toMatch(/^\S+ +Ada Lovelace +ada@example\.com +admin +\S+$/m);
  });

  it('gives the role viewer by default, and stops working when it is deleted', async () => {
    const { outcome } = await pets.json(['invitations', 'create', 'Bo']);
    const { id, url, role } = outcome.result as Invitation & { url: string };
    expect([role, outcome.next[0]?.command]).toEqual(['viewer', `pets invitations delete ${id}`]);
    expect((await pets.run(['invitations', 'delete', id])).code).toBe(0);
    expect(await pets.json(['invitations', 'delete', id])).toMatchObject({ code: 4, outcome: { reason: 'not_found' } });
    expect(await accept(url, 'bo')).not.toContain('__Host-session=');
    expect((await listPeople()).map(({ name }) => name)).not.toContain('Bo');
  });

  it('has a role that exists', async () => {
    expect(await pets.run(['invitations', 'create', 'Bo', '--role', 'root'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a person', () => {
  it('gets another role, and is removed with their sessions', async () => {
    const { stdout } = await pets.run(['invitations', 'create', 'Bo', '--role', 'developer']);
    const cookie = await accept(stdout.trim(), 'bo');
    const id = (await listPeople()).find(({ name }) => name === 'Bo')?.id ?? '';
    const changed = await pets.run(['people', 'role', id, 'viewer']);
    expect([changed.code, changed.stderr]).toEqual([0, expect.stringContaining('Bo is viewer now.')]);
    expect((await listPeople()).find((each) => each.id === id)?.role).toBe('viewer');

    const read = () => fetch(`${origin}/v1/projects`, { headers: { origin, cookie, 'x-csrf': '1' } });
    expect((await read()).status).toBe(200);
    expect((await pets.run(['people', 'remove', id])).code).toBe(0);
    expect((await read()).status).toBe(401);
    expect((await listPeople()).map((each) => each.id)).not.toContain(id);
    expect(await pets.json(['people', 'remove', id])).toMatchObject({ code: 4, outcome: { reason: 'not_found' } });
  });

  it('who made keys is removed with a decision about them', async () => {
    const { stdout } = await pets.run(['invitations', 'create', 'Bo', '--role', 'admin']);
    const cookie = await accept(stdout.trim(), 'bo');
    const id = (await listPeople()).find(({ name }) => name === 'Bo')?.id ?? '';
    const headers = { origin, cookie, 'x-csrf': '1', 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Import', scopes: ['keys:write', 'pets:read'] });
    const made = await fetch(`${origin}/v1/api-keys`, { method: 'POST', headers, body });
    const key = (await made.json()) as CreatedApiKey;
    expect((await pets.run(['keys', 'list'])).stdout).toMatch(new RegExp(`^${key.id} .* Bo +keys:write`, 'm'));
    const refused = await pets.json(['people', 'remove', id]);
    expect(refused).toMatchObject({ code: 4, outcome: { reason: 'keys_undecided' } });
    expect(refused.outcome.message).toContain(`“Import” (${key.display}, id ${key.id})`);
    expect(refused.outcome.next.map(({ command }) => command)).toEqual([
      `pets people remove ${id} --keys revoke`,
      `pets people remove ${id} --keys keep`,
    ]);
    const changed = await pets.run(['people', 'role', id, 'viewer']);
    expect(changed.stderr).toContain('Bo is viewer now. 1 API key with more scopes revoked: Import');
    expect((await pets.run(['people', 'remove', id, '--keys', 'revoke'])).code).toBe(0);
  });

  it('who is the last owner stays one, and the command says why', async () => {
    const [ada] = await listPeople();
    const id = ada?.id ?? '';
    expect((await pets.run(['people', 'role', id, 'owner'])).code).toBe(0);
    for (const args of [
      ['role', id, 'viewer'],
      ['remove', id],
    ])
      expect(await pets.json(['people', ...args])).toMatchObject({ code: 4, outcome: { reason: 'conflict' } });
    expect((await listPeople()).map(({ role }) => role)).toEqual(['owner']);
  });

  it('is not changed with a key that lacks the scope', async () => {
    const { stdout } = await pets.run(['keys', 'create', 'reader', '--scope', 'people:read']);
    const reader = pets.with({ PETS_API_KEY: stdout.trim() });
    expect((await reader.json(['people', 'list'])).code).toBe(0);
    const [ada] = await listPeople();
    for (const args of [
      ['people', 'remove', ada?.id ?? ''],
      ['invitations', 'create', 'Eve'],
    ])
      expect(await reader.json(args)).toMatchObject({ code: 5, outcome: { reason: 'forbidden' } });
  });
});
