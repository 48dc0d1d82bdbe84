/**
 * The generated parts of docs/api.md: transcripts of `curl` against a running pets-api. A test runs them again and compares,
 * so that the page shows the real answers.
 */
import { join } from 'node:path';
import { errorDescriptions, errorStatus, type ErrorCode } from '@pets/contracts';
import { repositoryRoot } from '@pets/dev-stack';
import type { ApiFixture } from './api-fixture.js';
import { errorTranscripts } from './error-transcripts.js';
import { guideTranscripts } from './guide-transcripts.js';
import { runTranscript } from './run-transcript.js';

export const API_DOCS_PATH = join(repositoryRoot, 'docs/api.md');

/** Each code with its answer, in the order of the list. The last ones stop the fixture's database. */
const codes = Object.keys(errorStatus) as ErrorCode[]; // the keys of a constant

/** The content of every region, by name. The fixture cannot be used afterwards. */
export async function makeRegions(fixture: ApiFixture): Promise<ReadonlyMap<string, string>> {
  const regions = new Map<string, string>();
  for (const [name, transcript] of Object.entries(guideTranscripts)) {
    regions.set(name, await runTranscript(fixture, transcript));
  }
  const errors: string[] = [];
  for (const code of codes) {
    const heading = `### \`${code}\` (${errorStatus[code]})`;
    const transcript = await runTranscript(fixture, errorTranscripts[code]);
    if (!transcript.includes(`"code":"${code}"`)) throw new Error(`this is not ${code}:\n${transcript}`);
    errors.push(heading, errorDescriptions[code].meaning, transcript);
  }
  return regions.set('errors', errors.join('\n\n'));
}

/** The codes that a document has a heading for, in its order. */
export function documentedCodes(text: string): string[] {
  return [...text.matchAll(/^### `(\w+)` \(\d+\)$/gm)].map(([, code = '']) => code);
}
