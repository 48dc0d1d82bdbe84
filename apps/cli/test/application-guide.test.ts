/** The commands of docs/guides/in-front-of-your-application.md, as they are printed there, and what visitors get. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { domainSchema, type Origin, type Project } from '@pets/contracts';
import { openDevRecords } from '@pets/dev-stack';
import { freePort, waitUntil } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';
import { openPetsStack, type PetsStack } from './pets-stack.js';
import { visitAt } from './visit-at.js';

jest.setTimeout(120_000);

let opened: PetsStack;
let guide: string;
let application: ChildProcess;
let url: string;
let port: number;
beforeAll(async () => {
  opened = await openPetsStack();
  guide = await readFile(join(repositoryRoot, 'docs/guides/in-front-of-your-application.md'), 'utf8');
  port = await freePort();
  const [, secret = '', path = ''] = /^PLATFORM_SECRET=(\S+) node (\S+) 4000$/m.exec(guide) ?? [];
  const env = { PATH: process.env['PATH'] ?? '', PLATFORM_SECRET: secret };
  application = spawn(process.execPath, [join(repositoryRoot, path), String(port)], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (application.stdout !== null) await once(application.stdout, 'data');
  const { outcome } = await opened.pets.json(['projects', 'show']);
  url = (outcome.result as Project).platformUrl;
});
afterAll(async () => {
  application?.kill();
  await opened?.stop();
});

/** Arguments of a command of the guide, with the port of this test, for its project. */
function argumentsOf(start: string): readonly string[] {
  const [, command = ''] = new RegExp(`pets (${start}[^\`\n)]*)`).exec(guide) ?? [];
  if (command === '') throw new Error(`the guide has no ${start}`);
  return command.replace('4000', String(port)).replace(' --project acme-docs', '').split(' ');
}

const visit = (path: string, headers?: Readonly<Record<string, string>>) =>
  visitAt(opened.stack.dev.edgeHttpsUrl, url + path, headers);

describe('docs/guides/in-front-of-your-application.md', () => {
  it('forwards to the application, and serves the deployment again once it is removed', async () => {
    const { pets } = opened;
    const set = await pets.json(argumentsOf('origin set http://'));
    expect(set.outcome).toMatchObject({
      status: 'done',
      reason: 'serving',
      result: { headers: ['x-platform-secret'] },
    });
    await waitUntil(async () => (await visit('/')).body.startsWith('Hello '), { message: 'the edge forwards' });
    const { hostname } = new URL(url);
    const answer = await visit('/', { 'x-forwarded-for': '203.0.113.9', 'x-pets-external-id': 'mallory' });
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect(answer.body).toBe(
      `Hello a visitor of the platform.\nYou asked for ${hostname}, from 127.0.0.1.\nMetadata: {}\n`,
    );
    expect((await visit('/nothing')).status).toBe(404);

    expect((await pets.json(argumentsOf('origin test'))).outcome.result as Origin).toMatchObject({
      test: { passed: true, status: 200, address: '127.0.0.1' },
    });
    expect((await pets.run(argumentsOf('origin show'))).stdout).toMatch(
      /^health +reachable since .*^last test +status 200$/ms,
    );

    expect((await pets.json(argumentsOf('origin remove'))).outcome.status).toBe('done');
    await waitUntil(async () => !(await visit('/')).body.startsWith('Hello '), { message: 'the deployment is served' });
  });

  it('forwards one domain to an application of its own', async () => {
    const { pets, stack } = opened;
    // Other tests of the stack may have the name of the guide.
    const name = 'docs.forwarded.com';
    const given: Readonly<Record<string, string>> = {
      'docs.example.com': name,
      'https://docs.example.net': `http://127.0.0.1:${port}`,
    };
    const command = (start: string) => argumentsOf(start).map((word) => given[word] ?? word);
    await pets.json(['domains', 'add', name]);
    const [record] = domainSchema.parse((await pets.json(['domains', 'show', name])).outcome.result).records;
    const records = openDevRecords(stack.dev);
    await records.put({ name, type: 'CNAME', data: `${record?.value}.` });
    expect((await pets.json(['domains', 'wait', name, '--timeout', '60s'])).outcome.status).toBe('done');
    const greeting = async () => {
      const { body } = await visitAt(stack.dev.edgeHttpsUrl, `https://${name}/`);
      return /^You asked for .*$/m.exec(body)?.[0];
    };
    expect(await greeting()).toBeUndefined();

    const set = await pets.json([...command('origin set https://docs'), '--header', 'x-platform-secret=S3CRET']);
    expect(set.outcome).toMatchObject({ status: 'done', reason: 'serving' });
    expect(set.outcome.message).toContain(`Visitors of ${name}`);
    await waitUntil(async () => (await greeting()) === `You asked for ${name}, from 127.0.0.1.`, {
      message: 'the edge forwards the domain',
    });
    expect((await visit('/')).body).not.toMatch(/^Hello /);
    expect((await pets.json(['origin', 'show'])).outcome.reason).toBe('not_found');
    const shown = await pets.run(['domains', 'show', name]);
    expect(shown.stdout).toContain(`has its own application: pets origin show --domain ${name}`);
    expect((await pets.json(['origin', 'show', '--domain', name])).outcome.reason).toBe('shown');

    expect((await pets.json(command('origin remove --domain'))).outcome.status).toBe('done');
    await waitUntil(async () => (await greeting()) === undefined, { message: 'the deployment is served' });
    expect((await pets.json(['origin', 'show', '--domain', name])).outcome).toMatchObject({
      ...{ status: 'refused', reason: 'not_found' },
      message: `${name} has no application of its own: it serves what its project serves.`,
    });
    await pets.json(['domains', 'remove', name, '--yes']);
    await records.remove(name);
  });

  it('says why an application does not serve', async () => {
    const { pets } = opened;
    const silent = await pets.json(['origin', 'set', `http://127.0.0.1:${await freePort()}`]);
    expect(silent).toMatchObject({ code: 4, outcome: { reason: 'test_failed', result: { state: 'failed' } } });
    expect(silent.outcome.message).toContain('it accepts no connection');
    // Without the secret it answers 403, which is an answer.
    const refusing = await pets.json([
      'origin',
      'set',
      `http://127.0.0.1:${port}`,
      '--header',
      'x-platform-secret=other',
    ]);
    expect(refusing.outcome).toMatchObject({ status: 'done', result: { test: { status: 403 } } });
    await pets.run(['origin', 'remove']);
  });
});
