/**
 * `npm run dns NAME [PURPOSE]`: creates the records that a domain of the running stack needs in its development DNS server,
 * as the domain's owner would at a DNS provider; with a purpose, such as `delegation`, only those records. With a set-up that
 * real zones have, such as `flattened`, `lame` or `rotating`, it makes that one. Without either, it repairs them.
 *
 * `npm run dns platform rotating ADDRESSES`: lets the addresses of the platform rotate; `npm run dns platform` ends it.
 */
import type { Domain } from '@pets/contracts';
import { loadConfigOrExit } from '@pets/platform';
import {
  brokenSetups,
  createRecords,
  DEV_EDGE_ADDRESS,
  openDevRecords,
  repair,
  rotate,
  type DevRecords,
} from './scenario/dev-records.js';
import { createScenarioClient } from './scenario/scenario-client.js';
import { readDevFile, type DevFile } from './supervisor/dev-file.js';
import { settingsSchema } from './supervisor/settings.js';

const { DATA_DIR } = loadConfigOrExit(settingsSchema);
const [, , name, purpose, ...more] = process.argv;

const ROTATING = 'rotating';
const PLATFORM = 'platform';

try {
  if (name === undefined) throw new Error('Which domain? Run npm run dns docs.example.com.');
  const dev = await readDevFile(DATA_DIR).catch((cause: unknown) => {
    throw new Error(`No stack runs on ${DATA_DIR}. Run npm start first.`, { cause });
  });
  const records = openDevRecords(dev);
  const lines =
    name === PLATFORM
      ? [await changePlatform(records, dev.platformDomain, purpose)]
      : await createRecordsOf(records, await readDomain(dev, name), purpose);
  for (const line of lines) process.stdout.write(`created ${line}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function readDomain(dev: DevFile, domain: string): Promise<Domain> {
  const client = createScenarioClient(dev, '');
  const path = `/v1/projects/${dev.projectId}/domains/${encodeURIComponent(domain)}`;
  const { status, text, body } = await client.api<Domain>('GET', path);
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text}`);
  return body;
}

/** The edge has one address, so other addresses of the platform lead nowhere. */
async function changePlatform(records: DevRecords, domain: string, word: string | undefined): Promise<string> {
  if (word === ROTATING) return rotate(records, domain, more);
  if (word !== undefined)
    throw new Error(`the platform cannot be ${word}: run npm run dns platform rotating ADDRESSES`);
  await records.endRotation(domain);
  return `${domain} A ${DEV_EDGE_ADDRESS}, and all below it`;
}

async function createRecordsOf(records: DevRecords, domain: Domain, only: string | undefined): Promise<string[]> {
  if (only === ROTATING) return [await rotate(records, domain.name, more)];
  if (only !== undefined && isSetup(only)) return [await brokenSetups[only](records, domain)];
  if (only === undefined) {
    await repair(records, domain);
    return createRecords(records, domain, DEV_EDGE_ADDRESS);
  }
  const chosen = domain.records.filter((record) => record.purpose === only);
  if (chosen.length === 0) throw new Error(`${domain.name} asks for no ${only} record`);
  return createRecords(records, domain, DEV_EDGE_ADDRESS, [...new Set(chosen.map((one) => one.purpose))]);
}

function isSetup(word: string): word is keyof typeof brokenSetups {
  return Object.hasOwn(brokenSetups, word);
}
