import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { REPOSITORY } from '../src/repository.js';

const LIMIT_MS = 120_000;
const bin = join(REPOSITORY, 'node_modules/.bin');

/** The two ways of AGENTS.md to run one test file from the root. */
it.each([
  ['jest', ['libs/domains/src/failure-text.spec.ts'], 'failure-text.spec.ts'],
  ['nx', ['test', '@pets/domains', '--testFile=issue-catalog'], 'issue-catalog.spec.ts'],
])(
  '%s runs the file that was asked for, and no other',
  async (program, args, file) => {
    const env = {
      HOME: process.env['HOME'],
      PATH: [bin, process.env['PATH']].join(delimiter),
      NX_DAEMON: 'false',
      NX_TUI: 'false',
    };
    const { stdout, stderr } = await promisify(execFile)(join(bin, program), args, {
      cwd: REPOSITORY,
      env,
      timeout: LIMIT_MS,
    });
    const output = stripVTControlCharacters(stdout + stderr);
    const passed = output
      .split('\n')
      .filter((line) => line.trim().startsWith('PASS '))
      .map((line) => line.split(/[\s/]/).find((word) => word.endsWith('.ts')));
    expect(passed).toEqual([file]);
    expect(output).toContain('Test Suites: 1 passed, 1 total');
  },
  LIMIT_MS,
);
