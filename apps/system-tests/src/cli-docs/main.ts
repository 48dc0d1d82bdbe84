import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createPetsClient } from '@pets/client';
import { openDevRecords, type DevFile } from '@pets/dev-stack';
import { startTestStack } from '@pets/lab';
import { freePort } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';
import { fillRegions } from '../api-docs/regions.js';

/** One command as the document shows it, and the steps before it. */
interface Step {
  /** Told in the document above the command. */
  readonly given?: string;
  readonly arrange?: () => Promise<void>;
  /** In Bash, where `pets` is the command. */
  readonly command: string;
  readonly exitCode: number;
}

interface TranscriptOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Values of this run, with the texts that replace them in the document. */
  readonly replacements: readonly (readonly [text: string, shown: string])[];
}

const COMMAND_LIMIT_MS = 90_000;
const PROGRAM = join(repositoryRoot, 'apps/cli/bin/pets.mjs');

/**
 * Runs the steps in order, and shows of each what a terminal would, results and progress as they came.
 * @returns Markdown
 * @throws Error where a command ended otherwise than the document says
 */
async function runCliTranscript(steps: readonly Step[], options: TranscriptOptions): Promise<string> {
  const blocks: string[] = [];
  for (const { given, arrange, command, exitCode } of steps) {
    await arrange?.();
    const ran = await runInBash(command, options.env);
    if (ran.exitCode !== exitCode)
      throw new Error(`${command} ended with ${ran.exitCode}, not ${exitCode}:\n${ran.output}`);
    const typed = `$ ${command}\n${ran.output.trimEnd()}\n$ echo $?\n${exitCode}`;
    const shown = options.replacements.reduce((rest, [from, to]) => rest.replaceAll(from, to), typed);
    blocks.push(...(given === undefined ? [] : [given]), `\`\`\`console\n${shown}\n\`\`\``);
  }
  return blocks.join('\n\n');
}

function runInBash(command: string, env: TranscriptOptions['env']): Promise<{ exitCode: number; output: string }> {
  const script = `pets() { "${process.execPath}" "${PROGRAM}" "$@"; }\nset -o pipefail\nexec 2>&1\n${command}`;
  return new Promise((resolve, reject) => {
    const child = execFile('bash', ['-c', script], { env, timeout: COMMAND_LIMIT_MS }, (error, stdout) => {
      if (error !== null && typeof error.code !== 'number')
        reject(new Error(`${command} could not be run`, { cause: error }));
      else resolve({ exitCode: Number(error?.code ?? 0), output: stdout });
    });
    child.stdin?.end();
  });
}

/**
 * `npm run cli-docs`: runs the commands of a domain's life on a stack of its own, and writes the output of the terminal into
 * docs/cli.md. A step that ends with another exit code than it declares ends the program.
 */
const CLI_DOCS_PATH = join(repositoryRoot, 'docs/cli.md');
const SITE = 'docs.example.com';
const LIST = 'name,external_id,metadata.tier\nshop.example.com,customer-1,gold\n*.com,customer-2,\n';
const text = await readFile(CLI_DOCS_PATH, 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'pets-cli-docs-'));
const dnsPort = String(await freePort());
const env = { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'), HOME: homedir(), DEV_DNS_PORT: dnsPort };
const stack = await startTestStack({ dataDir: join(folder, 'stack'), env });
try {
  const home = join(folder, 'home');
  await mkdir(join(home, 'site'), { recursive: true });
  await writeFile(join(home, 'site/index.html'), '<h1>Acme</h1>\n');
  const list = join(home, 'domains.csv');
  const { apiUrl, apiKey, projectId, edgeHttpsUrl } = stack.dev;
  const story = await runCliTranscript(stepsOf(stack.dev, list), {
    env: {
      PATH: env.PATH,
      HOME: home,
      API: apiUrl,
      KEY: apiKey,
      PROJECT: projectId,
      SITE: join(home, 'site'),
      LIST: list,
    },
    replacements: [
      [`:${new URL(edgeHttpsUrl).port}`, ''],
      [apiUrl, 'https://api.pets.example'],
      [`127.0.0.1:${dnsPort}`, '127.0.0.1:8053'],
      [home, '/home/ada'],
    ],
  });
  await writeFile(CLI_DOCS_PATH, fillRegions(text, new Map([['story', story]])));
} finally {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
}

function stepsOf(dev: DevFile, list: string): readonly Step[] {
  const records = openDevRecords(dev);
  return [
    { command: 'printf %s "$KEY" | pets login --api-url "$API" --project "$PROJECT"', exitCode: 0 },
    { command: 'pets whoami', exitCode: 0 },
    { command: 'pets deploy "$SITE"', exitCode: 0 },
    { command: `pets domains add ${SITE}`, exitCode: 0 },
    { command: `pets domains add ${SITE} --json`, exitCode: 4 },
    {
      given: 'An A record of an earlier host is still there:',
      arrange: () => records.put({ name: SITE, type: 'A', data: '192.0.2.9' }),
      command: `pets domains verify ${SITE}`,
      exitCode: 4,
    },
    {
      given: 'The records are fixed, and the command waits until the check has seen them:',
      arrange: async () => {
        const target = await targetOf(dev);
        await records.remove(SITE);
        await records.put({ name: SITE, type: 'CNAME', data: `${target}.` });
      },
      command: `pets domains wait ${SITE} --timeout 1m`,
      exitCode: 0,
    },
    { command: 'pets domains list', exitCode: 0 },
    { command: `pets domains history ${SITE}`, exitCode: 0 },
    {
      given: 'Check DNS from this machine; `--resolver` is the development DNS server of `npm start`:',
      command: `pets domains doctor ${SITE} --resolver 127.0.0.1:${dnsPort}`,
      exitCode: 0,
    },
    { command: `pets domains remove ${SITE} --yes`, exitCode: 0 },
    {
      given: 'Many domains come from a file. A line that is refused does not prevent the others:',
      arrange: () => writeFile(list, LIST),
      command: 'cat "$LIST"',
      exitCode: 0,
    },
    { command: 'pets domains import "$LIST"', exitCode: 4 },
    {
      given: 'The report has the records to create, and why a line was refused:',
      command: 'cat "$LIST.report.csv"',
      exitCode: 0,
    },
  ];
}

/** Returns the target that the record has to point to. */
async function targetOf({ apiUrl, apiKey, projectId }: DevFile): Promise<string> {
  const client = createPetsClient({ baseUrl: apiUrl, apiKey });
  const params = { path: { projectId, domain: SITE } };
  const { data } = await client.GET('/v1/projects/{projectId}/domains/{domain}', { params });
  const target = data?.records[0]?.value;
  if (target === undefined) throw new Error(`${SITE} has no record to create`);
  return target;
}
