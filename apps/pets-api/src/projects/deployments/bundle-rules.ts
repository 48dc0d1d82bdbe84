import { isUtf8 } from 'node:buffer';
import {
  compileRules,
  HEADERS_FILE,
  REDIRECTS_FILE,
  ruleFiles,
  ruleLimits,
  type ListedFile,
  type RuleProblem,
} from '@pets/sites';
import { invalidBundle } from './refused-archives.js';

/** Problems that a refusal names. */
const NAMED_PROBLEMS = 10;

/** The files of a bundle that visitors get, and what its other files say about the answers. */
export interface PublishedFiles<File> {
  readonly files: readonly File[];
  /** For `encodeSiteIndex`; undefined for a site without rules. */
  readonly rules: Buffer | undefined;
}

/** The content of a file; null while it is not there yet. */
type ReadFile<File> = (file: File) => Promise<Buffer | null>;

/**
 * Reads `_redirects` and `_headers` of a bundle.
 * @param all the files of the bundle
 * @throws RequestError `invalid_bundle`, with the lines that cannot be applied
 */
export async function readBundleRules<File extends ListedFile>(
  all: readonly File[],
  read: ReadFile<File>,
): Promise<PublishedFiles<File>> {
  const files = all.filter(({ path }) => !ruleFiles.has(path));
  for (const name of ruleFiles)
    if (files.some(({ path }) => path.startsWith(`${name}/`)))
      throw invalidBundle(`${name} is a folder; it must be a file.`);
  const paths = new Set(files.map(({ path }) => path));
  const [redirects, headers] = await Promise.all([
    readText(all, REDIRECTS_FILE, read),
    readText(all, HEADERS_FILE, read),
  ]);
  const compiled = compileRules({ redirects, headers }, paths);
  if ('problems' in compiled) throw invalidBundle(describe(compiled.problems));
  return { files, rules: compiled.encoded };
}

async function readText<File extends ListedFile>(
  files: readonly File[],
  name: string,
  read: ReadFile<File>,
): Promise<string> {
  const file = files.find(({ path }) => path === name);
  if (file === undefined) return '';
  if (file.bytes > ruleLimits.bytes) throw invalidBundle(`${name} is larger than ${ruleLimits.bytes} bytes.`);
  const content = await read(file);
  if (content === null) return '';
  if (!isUtf8(content)) throw invalidBundle(`${name} is not text in UTF-8.`);
  return new TextDecoder().decode(content);
}

function describe(problems: readonly RuleProblem[]): string {
  const named = problems.slice(0, NAMED_PROBLEMS).map(({ file, line, problem }) => {
    return line === 0 ? `${file}: ${problem}` : `${file}, line ${line}: ${problem}`;
  });
  return `${named.join('; ')}${problems.length > NAMED_PROBLEMS ? '; and more' : ''}.`;
}
