/**
 * `npm run dns NAME [PURPOSE]`: creates the records that a domain of the running stack needs in its development DNS server,
 * as the domain's owner would at a DNS provider; with a purpose, such as `delegation`, only those records. With a set-up that
 * real zones have (`flattened`, `shadowed`, `dnssec-broken`), it makes that one. Without either, DNSSEC is repaired as well.
 */
import type { Domain } from '@pets/contracts';
import { loadConfigOrExit } from '@pets/platform';
import { brokenSetups, createRecords, DEV_EDGE_ADDRESS, openDevRecords } from './scenario/dev-records.js';
import { createScenarioClient } from './scenario/scenario-client.js';
import { readDevFile } from './supervisor/dev-file.js';
import { settingsSchema } from './supervisor/settings.js';

const { DATA_DIR } = loadConfigOrExit(settingsSchema);
const [, , name, purpose] = process.argv;

try {
  if (name === undefined) throw new Error('Which domain? Run npm run dns docs.example.com.');
  for (const line of await createRecordsOf(name, purpose)) process.stdout.write(`created ${line}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function createRecordsOf(domain: string, only: string | undefined): Promise<string[]> {
  const dev = await readDevFile(DATA_DIR).catch((cause: unknown) => {
    throw new Error(`No stack runs on ${DATA_DIR}. Run npm start first.`, { cause });
  });
  const client = createScenarioClient(dev, '');
  const path = `/v1/projects/${dev.projectId}/domains/${encodeURIComponent(domain)}`;
  const { status, text, body } = await client.api<Domain>('GET', path);
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text}`);
  const chosen = body.records.filter((record) => record.purpose === only);
  const records = openDevRecords(dev);
  if (only !== undefined && isSetup(only)) return [await brokenSetups[only](records, body)];
  if (only === undefined) {
    await records.fixDnssec(body.apexName);
    return createRecords(records, body, DEV_EDGE_ADDRESS);
  }
  if (chosen.length === 0) throw new Error(`${domain} asks for no ${only} record`);
  return createRecords(records, body, DEV_EDGE_ADDRESS, [...new Set(chosen.map((one) => one.purpose))]);
}

function isSetup(word: string): word is keyof typeof brokenSetups {
  return Object.hasOwn(brokenSetups, word);
}
