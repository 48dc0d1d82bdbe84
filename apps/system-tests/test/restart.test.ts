import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createStoryClient, openDevRecords, type StoryClient } from '@pets/dev-stack';
import { startStack, type RunningStack } from '@pets/testing';
import { addDomain, goLive, SITE } from './story.js';

jest.setTimeout(180_000);

const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
let dataDir: string;
let stack: RunningStack;
let client: StoryClient;

async function start(): Promise<void> {
  stack = await startStack({ dataDir, env });
  client = createStoryClient(stack.dev, await readFile(stack.dev.caCertificatePath, 'utf8'));
}

describe('a restart of the whole stack', () => {
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'pets-system-'));
    await start();
  });
  afterAll(async () => {
    await stack?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('keeps animals to the last digit, keys, and a live domain that is served at once', async () => {
    const { apiKey, projectId } = stack.dev;
    await client.api('POST', '/v1/pets', { name: 'Rex', categoryId: 1 });
    const exact = await fetch(`${stack.dev.apiUrl}/v1/pets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: '{"name":"Exact","categoryId":9007199254740993}',
      signal: AbortSignal.timeout(10_000),
    });
    expect(exact.status).toBe(201);
    const records = openDevRecords(stack.dev);
    const setting = {
      client,
      projectId,
      createRecord: (name: string, target: string) => records.put({ name, type: 'CNAME', data: `${target}.` }),
    };
    await goLive(setting, SITE, await addDomain(setting, SITE));

    await stack.stop();
    expect((await stack.exited).code).toBe(0);
    await start();

    expect(stack.dev).toMatchObject({ apiKey, projectId });
    expect((await client.api('GET', '/v1/pets')).text).toContain('"categoryId":9007199254740993');
    expect((await client.visit(SITE)).status).toBe(200);
  });
});
