/** The commands of docs/guides/publish.md, as they are printed there. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Deployment } from '@pets/contracts';
import { describeWhen, isInstalled } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';
import { outcomeSchema } from '../src/outcome/outcome.js';
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

    /** Runs a step of CI, with the command that this repository builds. */
    const runStep = async (nth: number, env: Readonly<Record<string, string>>) => {
      const steps = [...guide.matchAll(/- run: \|\n((?: {4}.*\n)+)/g)];
      const bin = join(opened.folder, 'bin');
      await mkdir(bin, { recursive: true });
      const program = join(repositoryRoot, 'apps/cli/bin/pets.mjs');
      await writeFile(join(bin, 'pets'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
      const { apiUrl, apiKey, projectId } = opened.stack.dev;
      const access = {
        PETS_API_URL: apiUrl,
        PETS_API_KEY: apiKey,
        PETS_PROJECT: projectId,
        PETS_PROJECT_ID: projectId,
      };
      const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
      const options = { cwd: opened.folder, env: { HOME: opened.folder, PATH, ...access, ...env } };
      return promisify(execFile)('bash', ['-e', '-c', steps[nth]?.[1] ?? 'false'], options);
    };

    it('deploys from CI with the command', async () => {
      const { stdout } = await runStep(0, { GITHUB_SHA: 'c0ffee00', GITHUB_REF_NAME: 'main' });
      const { result, status } = outcomeSchema.parse(JSON.parse(stdout));
      expect({ status, result }).toMatchObject({ status: 'done', result: { sent: { files: 0 } } });
      const source = { branch: 'main', commit: 'c0ffee00', url: null };
      expect(await newest()).toMatchObject({ files: 1, source, active: true });
    });

    it('deploys from CI with an archive', async () => {
      await runStep(1, { GITHUB_SHA: 'c0ffee01' });
      expect(await newest()).toMatchObject({ files: 1, source: { commit: 'c0ffee01' }, active: true });
    });
  },
);
