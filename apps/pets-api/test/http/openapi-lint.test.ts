import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const path = join(import.meta.dirname, '../../../../docs/openapi.json');
const redoclyFolder = dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json'));

it('Redocly finds no problem in the description with its recommended rules', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(redoclyFolder, 'bin/cli.js'), 'lint', '--extends=recommended', '--format=json', path],
    {
      env: { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      timeout: 25_000,
    },
  );
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
});

it('Spectral finds no problem in the description with its recommended rules', async () => {
  const linter = new spectral.Spectral();
  // The library’s own rules are not of its own type of rules.
  linter.setRuleset({ extends: [[rulesets.oas as unknown as RulesetDefinition, 'recommended']] });
  expect(await linter.run(await readFile(path, 'utf8'))).toEqual([]);
});
