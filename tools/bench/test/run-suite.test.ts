import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runSuite } from '../src/measured/run-suite.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'pets-run-suite-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a program that reports as a suite does. */
async function runProgram(name: string, text: string, limitMinutes = 1) {
  const program = join(folder, `${name}.mjs`);
  await writeFile(program, text);
  return runSuite<number>({ program, args: [], limitMinutes });
}

describe('runSuite', () => {
  it('returns its reports and its output', async () => {
    const run = await runProgram('good', `console.log('a line'); process.send({ report: 7 }, () => process.exit(0));`);
    expect(run).toMatchObject({ reports: [7], lines: ['a line'] });
    expect(run).not.toHaveProperty('failed');
  });

  it('fails with the reason it gives, and keeps its reports', async () => {
    const text = `process.send({ report: 7 }); process.send({ failed: 'no Caddy' }, () => process.exit(1));`;
    expect(await runProgram('bad', text)).toMatchObject({ reports: [7], failed: 'no Caddy' });
  });

  it('fails when it ends without a reason', async () => {
    expect((await runProgram('mute', 'process.exit(3);')).failed).toContain('3');
  });

  it('is killed when its time is over', async () => {
    const run = await runProgram('endless', `console.log('begun'); setInterval(() => {}, 1_000);`, 1 / 30);
    expect(run).toMatchObject({ failed: expect.stringContaining('was not done after') });
  });
});
