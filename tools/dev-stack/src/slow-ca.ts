/**
 * `npm run ca finalize=70 validate=5 retryAfter=10`: makes the development CA of the running stack slow, in seconds; what is
 * left out is 0, and nothing at all shows how it is. An order in `processing` is how many CAs work all the time.
 */
import { loadConfigOrExit } from '@pets/platform';
import { readDevFile } from './supervisor/dev-file.js';
import { settingsSchema } from './supervisor/settings.js';

const { DATA_DIR } = loadConfigOrExit(settingsSchema);
const words = process.argv.slice(2);

try {
  process.stdout.write(`${await controlCa(words)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function controlCa(given: readonly string[]): Promise<string> {
  const dev = await readDevFile(DATA_DIR).catch((cause: unknown) => {
    throw new Error(`No stack runs on ${DATA_DIR}. Run npm start first.`, { cause });
  });
  if (dev.caControlUrl === null) throw new Error('The stack uses a CA of yours, which cannot be controlled.');
  const delays = given.map((word) => {
    const [name = '', value = ''] = word.split('=');
    return [name, value === '' ? Number.NaN : Number(value)] as const;
  });
  const body = JSON.stringify(Object.fromEntries(delays));
  const response = await fetch(
    `${dev.caControlUrl}/delays`,
    given.length === 0 ? {} : { method: 'PUT', headers: { 'content-type': 'application/json' }, body },
  );
  const answer = (await response.json()) as { readonly detail?: string };
  if (response.ok) return JSON.stringify(answer);
  throw new Error(`${answer.detail ?? 'refused'}\nUse npm run ca finalize=70 validate=5 retryAfter=10.`);
}
