import { readFile } from 'node:fs/promises';
import { compileRules, HEADERS_FILE, REDIRECTS_FILE, ruleFiles, ruleLimits, type RuleProblem } from '@pets/sites';
import { invalidBundle } from './refused-archives.js';
import type { UnpackedFile } from './unpack-bundle.js';

/** Problems that a refusal names. */
const NAMED_PROBLEMS = 10;

/** The files of a bundle that visitors get, and what its other files say about the answers. */
export interface PublishedFiles {
  readonly files: readonly UnpackedFile[];
  /** For `encodeSiteIndex`; undefined for a site without rules. */
  readonly rules: Buffer | undefined;
}

/**
 * Reads `_redirects` and `_headers` of an unpacked bundle.
 * @throws RequestError `invalid_bundle`, with the lines that cannot be applied
 */
export async function readBundleRules(unpacked: readonly UnpackedFile[]): Promise<PublishedFiles> {
  const files = unpacked.filter(({ path }) => !ruleFiles.has(path));
  for (const name of ruleFiles)
    if (files.some(({ path }) => path.startsWith(`${name}/`)))
      throw invalidBundle(`${name} is a folder; it must be a file.`);
  const paths = new Set(files.map(({ path }) => path));
  const [redirects, headers] = await Promise.all([
    readText(unpacked, REDIRECTS_FILE),
    readText(unpacked, HEADERS_FILE),
  ]);
  const compiled = compileRules({ redirects, headers }, paths);
  if ('problems' in compiled) throw invalidBundle(describe(compiled.problems));
  return { files, rules: compiled.encoded };
}

async function readText(files: readonly UnpackedFile[], name: string): Promise<string> {
  const file = files.find(({ path }) => path === name);
  if (file === undefined) return '';
  if (file.bytes > ruleLimits.bytes) throw invalidBundle(`${name} is larger than ${ruleLimits.bytes} bytes.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file.unpackedAt));
  } catch (error) {
    if (error instanceof TypeError) throw invalidBundle(`${name} is not text in UTF-8.`);
    throw error;
  }
}

function describe(problems: readonly RuleProblem[]): string {
  const named = problems.slice(0, NAMED_PROBLEMS).map(({ file, line, problem }) => {
    return line === 0 ? `${file}: ${problem}` : `${file}, line ${line}: ${problem}`;
  });
  return `${named.join('; ')}${problems.length > NAMED_PROBLEMS ? '; and more' : ''}.`;
}
