import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '@pets/testing/processes';
import { exitCodes, outcomeSchema } from '../src/outcome/outcome.js';
import { buildProgram } from '../src/program/run.js';

let text: string;
beforeAll(async () => {
  text = await readFile(join(repositoryRoot, 'docs/cli.md'), 'utf8');
});

/** The commands, which do nothing. */
function parser(): ReturnType<typeof buildProgram> {
  const { stdin, stdout, stderr } = process;
  return buildProgram({
    streams: { stdin, stdout, stderr },
    onUsage: () => undefined,
    runner: () => async () => undefined,
  });
}

/** Every leaf command with its path and its own options. */
function commandsOf(): { words: string; options: string[] }[] {
  const program = parser();
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

describe('--help', () => {
  const texts = helpTexts();

  it.each(texts)('of $words has one or two examples of it', ({ words, examples }) => {
    expect([1, 2]).toContain(examples.length);
    for (const each of examples) expect(each).toContain(words);
  });

  it.each(texts.flatMap(({ examples }) => examples))('has an example that parses: %s', async (example) => {
    const [command = ''] = /pets [^)>]+/.exec(example) ?? [];
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    await expect(parser().parseAsync(words.slice(1), { from: 'user' })).resolves.toBeDefined();
  });
});

/** Every command and group, with the examples of its help. */
function helpTexts(): { words: string; examples: string[] }[] {
  const walk = (at: ReturnType<typeof parser>, words: string): ReturnType<typeof helpTexts> => [
    { words, examples: examplesIn(at) },
    ...visibleBelow(at).flatMap((below) => walk(below, `${words} ${below.name()}`)),
  ];
  return walk(parser(), 'pets');
}

function examplesIn(at: ReturnType<typeof parser>): string[] {
  let help = '';
  at.configureOutput({ writeOut: (part) => void (help += part) });
  at.outputHelp();
  const [, examples = ''] = help.split('\nExamples:\n');
  return examples.split('\n').flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []));
}
