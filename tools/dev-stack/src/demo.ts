/**
 * `npm run demo`: the complete scenario, unattended, in a project of its own. Uses the stack that runs on this DATA_DIR, or
 * starts one for the time of the demo. Each step prints its result; the first one that fails ends the demo with exit code 1.
 */
import { readFile } from 'node:fs/promises';
import type { Domain, Project } from '@pets/contracts';
import { loadConfigOrExit } from '@pets/platform';
import { createScenarioClient, type ScenarioClient } from './scenario/scenario-client.js';
import { frontApplication, previewSite } from './scenario/contents.js';
import { DEV_EDGE_ADDRESS, openDevRecords } from './scenario/dev-records.js';
import { runScenario } from './scenario/scenario.js';
import { findRunningStack, type DevFile } from './supervisor/dev-file.js';
import { createProject, deployPage } from './supervisor/seed.js';
import { settingsSchema, type Settings } from './supervisor/settings.js';
import { runStartCommand } from './stack.js';

const PROJECT_NAME = 'Demo';

const say = (line: string) => void process.stdout.write(`${line}\n`);
const settings = loadConfigOrExit(settingsSchema);

try {
  const running = await findRunningStack(settings.DATA_DIR);
  if (running !== null) say(`using the stack at ${running.apiUrl}`);
  const own = running === null ? await startOwn() : null;
  try {
    const dev = running ?? own?.dev;
    if (dev === undefined) throw new Error('there is no stack');
    const client = createScenarioClient(dev, await readFile(dev.caCertificatePath, 'utf8'));
    const records = openDevRecords(dev);
    const projectId = await openDemoProject(client, dev);
    const scenario = { client, records, edgeAddress: DEV_EDGE_ADDRESS, projectId, say };
    await runScenario(scenario);
    say('\n10 The next version: a single-page application on a protected channel');
    await previewSite(scenario, dev);
    say('\n11 An application in the place of files');
    await frontApplication(scenario, await platformHostOf(client, projectId));
    say('\nEvery step succeeded.');
  } finally {
    await own?.stop();
  }
} catch (error) {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** The project of all demos on this stack, deployed and without the domains of a demo that was interrupted. */
async function openDemoProject(client: ScenarioClient, { apiUrl, apiKey }: DevFile): Promise<string> {
  const { body: projects } = await client.api<Project[]>('GET', '/v1/projects');
  const known = projects.find(({ name }) => name === PROJECT_NAME);
  const projectId = known?.id ?? (await createProject(apiUrl, apiKey, PROJECT_NAME, 'demo'));
  const path = `/v1/projects/${projectId}/domains`;
  const { body: domains } = await client.api<Domain[]>('GET', path);
  for (const { id } of domains) await client.api('DELETE', `${path}/${id}`);
  await deployPage(apiUrl, { apiKey, projectId });
  return projectId;
}

async function platformHostOf(client: ScenarioClient, projectId: string): Promise<string> {
  const { body } = await client.api<Project>('GET', `/v1/projects/${projectId}`);
  return new URL(body.platformUrl).hostname;
}

async function startOwn() {
  say('starting the stack …');
  return runStartCommand({ dataDir: settings.DATA_DIR, env: environmentOf(settings) });
}

/** The settings as they were given: the stack reads them itself, ports included. */
function environmentOf(given: Settings): Record<string, string> {
  const entries = Object.entries(given).filter(
    ([name, value]) => value !== undefined && name !== 'npm_lifecycle_event',
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)]),
  );
}
