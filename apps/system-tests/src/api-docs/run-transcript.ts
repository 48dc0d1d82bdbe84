import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ApiFixture } from './api-fixture.js';

/** Commands that are run as they are shown, and what they were answered. */
export interface Transcript {
  /** State beforehand, where the commands do not say it themselves. */
  readonly given?: string;
  /** One or more `curl -i`, in Bash; the variables of the fixture are set. */
  readonly commands: readonly string[];
  /** Headers to show although every answer has them. */
  readonly shown?: readonly string[];
  /** Creates the state that the transcript requires. */
  readonly arrange?: (fixture: ApiFixture) => Promise<Arrangement>;
}

export interface Arrangement {
  /** Instead of the fixture's. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Ends what was arranged. */
  readonly release?: () => Promise<void>;
}

/** The longest one waits 10 seconds for the API to give up. */
const COMMAND_LIMIT_MS = 30_000;

/** Headers that every answer has, or that only say how the bytes came: they would hide the others. */
const unshownHeaders = new Set([
  'x-request-id',
  'x-content-type-options',
  'cache-control',
  'ratelimit-policy',
  'ratelimit',
  'content-length',
  'date',
  'keep-alive',
]);

const run = promisify(execFile);

/** Runs a transcript. @returns Markdown */
export async function runTranscript(
  fixture: ApiFixture,
  { given, commands, arrange, shown = [] }: Transcript,
): Promise<string> {
  const { variables, release } = (await arrange?.(fixture)) ?? {};
  try {
    const exchanges: string[] = [];
    for (const command of commands) {
      const answer = await runInBash(command, { ...fixture.variables, ...variables });
      exchanges.push(answer === '' ? `$ ${command}` : `$ ${command}\n${present(answer, shown)}\n`);
    }
    return [...(given === undefined ? [] : [given]), `\`\`\`console\n${exchanges.join('\n').trimEnd()}\n\`\`\``].join(
      '\n\n',
    );
  } finally {
    await release?.();
  }
}

/** Runs a command without proxies: the API is on this machine. */
async function runInBash(command: string, variables: Readonly<Record<string, string>>): Promise<string> {
  const settings = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  const script = ["export no_proxy='*'", ...settings, command].join('\n');
  const { stdout } = await run('bash', ['-c', script], { timeout: COMMAND_LIMIT_MS });
  return stdout;
}

function present(answer: string, shown: readonly string[]): string {
  const [, head, body = ''] = /^(HTTP\/[^]*?)\r\n\r\n([^]*)$/.exec(answer) ?? [];
  if (head === undefined) throw new Error(`this is no answer of HTTP: ${JSON.stringify(answer)}`);
  const [status = '', ...headers] = head.split('\r\n');
  return [status.trim(), ...headers.filter((line) => isShown(line, shown)), '', body].join('\n').trim();
}

function isShown(header: string, shown: readonly string[]): boolean {
  const name = header.slice(0, header.indexOf(':')).toLowerCase();
  if (name === 'connection') return header.endsWith('close');
  return shown.includes(name) || !unshownHeaders.has(name);
}
