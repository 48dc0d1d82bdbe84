/** The commands of docs/guides/publish.md, as they are printed there. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Deployment } from '@pets/contracts';
import { describeWhen, isInstalled } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';
import { openPetsStack, type PetsStack } from './pets-stack.js';

jest.setTimeout(120_000);

const missing = ['tar', 'curl'].filter((program) => !isInstalled(program));

describeWhen(
  describe,
  'docs/guides/publish.md',
  missing.length === 0 ? null : `not installed: ${missing.join(', ')}`,
  () => {
    let opened: PetsStack;
    let guide: string;
    beforeAll(async () => {
      opened = await openPetsStack();
      guide = await readFile(join(repositoryRoot, 'docs/guides/publish.md'), 'utf8');
      await mkdir(join(opened.folder, 'dist'));
      await writeFile(join(opened.folder, 'dist/index.html'), 'Home');
    });
    afterAll(() => opened?.stop());

    const newest = async () => {
      const { outcome } = await opened.pets.json(['deployments', 'list']);
      return (outcome.result as Deployment[])[0];
    };

    it('deploys with the command', async () => {
      const [, command = ''] = /`pets (deploy [^`]+)`/.exec(guide) ?? [];
      expect(command).toContain('--project acme-docs');
      const words = command.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
      const args = words.map((word) => (word === './dist' ? join(opened.folder, 'dist') : word));
      const project = args.indexOf('--project');
      args.splice(project, 2); // of the guide; here it is that of the test
      expect((await opened.pets.json(args)).outcome).toMatchObject({ status: 'done' });
      expect(await newest()).toMatchObject({ files: 1, message: 'New prices', active: true });
    });

    it('deploys from CI', async () => {
      const [, step = ''] = /- run: \|\n((?: {4}.*\n)+)/.exec(guide) ?? [];
      const { apiUrl, apiKey, projectId } = opened.stack.dev;
      const env = {
        ...{ PATH: process.env['PATH'] ?? '', PETS_API_URL: apiUrl, PETS_API_KEY: apiKey },
        ...{ PETS_PROJECT_ID: projectId, GITHUB_SHA: 'c0ffee' },
      };
      await promisify(execFile)('bash', ['-e', '-c', step], { cwd: opened.folder, env });
      expect(await newest()).toMatchObject({ files: 1, message: 'c0ffee', active: true });
    });
  },
);
