/** The commands of docs/guides/move-a-live-site.md, as they are printed there, with what the owner does at the DNS provider. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openDevRecords, type DevRecords } from '@pets/dev-stack';
import { startTestStack, type TestStack } from '@pets/lab';
import { describeWhen, isInstalled, waitUntil } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';
import { getDomain, openPets } from './domain-steps.js';

jest.setTimeout(180_000);

const NAME = 'docs.example.com';
const COMMAND_LIMIT_MS = 120_000;
const PAGE = '<h1>Moved</h1>';
const missing = ['npm', 'curl'].filter((program) => !isInstalled(program));

describeWhen(
  describe,
  'docs/guides/move-a-live-site.md',
  missing.length === 0 ? null : `not installed: ${missing.join(', ')}`,
  () => {
    let folder: string;
    let stack: TestStack;
    let records: DevRecords;
    let commands: readonly string[];

    beforeAll(async () => {
      const guide = await readFile(join(repositoryRoot, 'docs/guides/move-a-live-site.md'), 'utf8');
      commands = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
      folder = await mkdtemp(join(tmpdir(), 'pets-guide-'));
      for (const name of ['package.json', 'node_modules', 'apps', 'tools'])
        await symlink(join(repositoryRoot, name), join(folder, name));
      await mkdir(join(folder, 'site'));
      await writeFile(join(folder, 'site/index.html'), PAGE);
      stack = await startTestStack({
        dataDir: join(folder, '.data'),
        env: { PATH: process.env['PATH'] ?? '', HOME: folder },
      });
      records = openDevRecords(stack.dev);
    });
    afterAll(async () => {
      await stack?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const pointTo = (name: string, target: string) => records.put({ name, type: 'CNAME', data: `${target}.` });

    /** Runs the block with this number in the guide. @returns what it printed */
    const run = async (index: number): Promise<string> => {
      const { apiUrl, apiKey, projectId, edgeHttpsUrl, caCertificatePath } = stack.dev;
      const env = {
        ...{ PATH: process.env['PATH'] ?? '', HOME: folder, CURL_CA_BUNDLE: caCertificatePath },
        ...{ PETS_API_URL: apiUrl, PETS_API_KEY: apiKey, PETS_PROJECT: projectId },
      };
      const command = (commands[index] ?? 'false').replace('<edge>:443', new URL(edgeHttpsUrl).host);
      const options = { cwd: folder, env, timeout: COMMAND_LIMIT_MS };
      return (await promisify(execFile)('bash', ['-ec', command], options)).stdout;
    };

    it('its commands move a site here and away again', async () => {
      const owner = { pets: openPets(stack.dev), projectId: stack.dev.projectId };
      const find = async (purpose: string) =>
        (await getDomain(owner, NAME)).records.find((record) => record.purpose === purpose)?.value ?? '';
      expect(commands).toHaveLength(5);
      await pointTo(NAME, 'sites.old-platform.com');

      await run(0);
      const preparing = run(1);
      const delegation = await waitUntil(() => find('delegation'), { timeoutMs: COMMAND_LIMIT_MS });
      await pointTo(`_acme-challenge.${NAME}`, delegation);
      await preparing;
      expect(await getDomain(owner, NAME)).toMatchObject({ state: 'awaiting_dns', readiness: { state: 'ready' } });
      expect(await run(2)).toBe(PAGE);

      await pointTo(NAME, await find('routing'));
      await run(3);
      expect((await getDomain(owner, NAME)).state).toBe('live');

      await pointTo(NAME, 'sites.new-platform.com');
      expect(await run(2)).toBe(PAGE);
      await run(4);
      await expect(run(2)).rejects.toThrow('curl');
    });
  },
);
