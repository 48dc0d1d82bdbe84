import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '@pets/dev-stack';
import { exitCodes, outcomeSchema } from '../src/outcome/outcome.js';
import { buildProgram } from '../src/program/build-program.js';

let text: string;
beforeAll(async () => {
  text = await readFile(join(repositoryRoot, 'docs/cli.md'), 'utf8');
});

/** Every leaf command with its path and its own options. */
function commandsOf(): { words: string; options: string[] }[] {
  const { stdin, stdout, stderr } = process;
  const program = buildProgram({
    streams: { stdin, stdout, stderr },
    onUsage: () => undefined,
    runner: () => async () => undefined,
  });
  const walk = (at: typeof program, words: string): ReturnType<typeof commandsOf> =>
    at.commands.length > 0
      ? visibleBelow(at).flatMap((below) => walk(below, `${words} ${below.name()}`))
      : [{ words, options: at.options.map(({ long }) => long ?? '') }];
  return walk(program, 'pets');
}

function visibleBelow(at: ReturnType<typeof buildProgram>): readonly (typeof at)[] {
  return at
    .createHelp()
    .visibleCommands(at)
    .filter((each) => at.commands.includes(each));
}

describe('docs/cli.md', () => {
  it('lists every exit code in order', () => {
    const rows = [...text.matchAll(/^\| (\d+) +\| `(\w+)` +\|/gm)].map(([, code, status]) => [status, Number(code)]);
    expect(rows).toEqual(Object.entries(exitCodes));
  });

  it('lists every member of the JSON document in order', () => {
    const table = text.slice(text.indexOf('| member'), text.indexOf('The schema is'));
    const members = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, member]) => member);
    expect(members).toEqual(Object.keys(outcomeSchema.shape));
  });

  it.each(commandsOf())('mentions $words with its options', ({ words, options }) => {
    expect(text).toContain(words);
    // The page leaves the filters of lists to --help.
    for (const option of options.filter((each) => !['--limit', '--status', '--cursor'].includes(each)))
      expect(text).toContain(option);
  });
});
