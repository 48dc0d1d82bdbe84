/**
 * `npm run demo`: the whole story, unattended. Uses the stack that runs on this DATA_DIR, or starts one for the time of
 * the story. Each step prints what it saw; the first one that does not hold ends the demo with exit code 1.
 */
import { readFile } from 'node:fs/promises';
import { loadConfigOrExit } from '@pets/platform';
import { createStoryClient } from './story/story-client.js';
import { openDevRecords } from './story/dev-records.js';
import { tellStory } from './story/story.js';
import { readDevFile, type DevFile } from './supervisor/dev-file.js';
import { settingsSchema, type Settings } from './supervisor/settings.js';
import { startStack } from './stack.js';

/** Where the edge of a development stack listens. */
const EDGE_ADDRESS = '127.0.0.1';

const say = (line: string) => void process.stdout.write(`${line}\n`);
const settings = loadConfigOrExit(settingsSchema);

try {
  const running = await findRunning(settings);
  const own = running === null ? await startOwn() : null;
  try {
    const dev = running ?? own?.dev;
    if (dev === undefined) throw new Error('there is no stack');
    const client = createStoryClient(dev, await readFile(dev.caCertificatePath, 'utf8'));
    const records = openDevRecords(dev);
    await tellStory({ client, records, edgeAddress: EDGE_ADDRESS, projectId: dev.projectId, say });
    say('\nThe whole story held.');
  } finally {
    await own?.stop();
  }
} catch (error) {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** The stack that is up on this DATA_DIR, if there is one. */
async function findRunning({ DATA_DIR }: Settings): Promise<DevFile | null> {
  const dev = await readDevFile(DATA_DIR).catch(() => null);
  if (dev === null) return null;
  const response = await fetch(`${dev.apiUrl}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
  await response?.body?.cancel();
  if (response?.ok) say(`using the stack at ${dev.apiUrl}`);
  return response?.ok ? dev : null;
}

async function startOwn() {
  say('starting the stack …');
  return startStack({ dataDir: settings.DATA_DIR, env: environmentOf(settings) });
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
