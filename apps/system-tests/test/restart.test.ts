import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PetsClient } from '@pets/client';
import { createScenarioClient, openDevRecords, runStartCommand, type RunningStack } from '@pets/dev-stack';
import { addDomain, goLive, openPets, SITE, type Visitor } from './domain-steps.js';

jest.setTimeout(180_000);

const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
let dataDir: string;
let stack: RunningStack;
let pets: PetsClient;
let visitor: Visitor;

/** No double holds it. */
const EXACT = 9_007_199_254_740_993n;

async function start(): Promise<void> {
  stack = await runStartCommand({ dataDir, env });
  pets = openPets(stack.dev);
  visitor = createScenarioClient(stack.dev, await readFile(stack.dev.caCertificatePath, 'utf8'));
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
    const ordinary = await pets.POST('/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
    const exact = await pets.POST('/v1/pets', { body: { name: 'Exact', categoryId: EXACT } });
    expect([exact.response.status, exact.data?.categoryId]).toEqual([201, EXACT]);
    const records = openDevRecords(stack.dev);
    const setting = {
      pets,
      visitor,
      projectId,
      createRecord: (name: string, target: string) => records.put({ name, type: 'CNAME', data: `${target}.` }),
    };
    await goLive(setting, SITE, await addDomain(setting, SITE));

    await stack.stop();
    expect((await stack.exited).code).toBe(0);
    await start();

    expect(stack.dev).toMatchObject({ apiKey, projectId });
    expect((await pets.GET('/v1/pets')).data).toEqual([ordinary.data, exact.data]);
    expect((await visitor.visit(SITE)).status).toBe(200);
  });
});
