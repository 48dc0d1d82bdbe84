import { describe, expect, it } from '@jest/globals';
import { buildProgram } from '../program/run.js';
import { complete } from './completion-commands.js';

const { stdin, stdout, stderr } = process;
const program = buildProgram({
  streams: { stdin, stdout, stderr },
  onUsage: () => undefined,
  runner: () => async () => undefined,
});

function offered(line: string): readonly string[] | 'files' {
  const completion = complete(program, line.split(' ').slice(1));
  return completion.kind === 'files' ? 'files' : completion.candidates.map(({ word }) => word).sort();
}

describe('complete', () => {
  it.each([
    ['commands', 'pets redir', ['redirects']],
    ['no hidden commands', 'pets __', []],
    ['commands of a group', 'pets domains certificate ', ['prefer', 'rm', 'set', 'show']],
    ['no commands after an argument', 'pets domains show li', []],
    ['commands after an option without a value', 'pets --json domains certificate s', ['set', 'show']],
    ['options', 'pets domains wait docs.example.com --ti', ['--timeout']],
    ['options of all commands', 'pets domains list --js', ['--json']],
    ['values of an option', 'pets domains wait --for ', ['live', 'ready', 'verified']],
    ['values after the value of another option', 'pets --project list domains wait --for l', ['live']],
    ['values of an option that takes several', 'pets keys create ci --scope pets:read pets:w', ['pets:write']],
    ['options after values', 'pets keys create ci --scope pets:read --exp', ['--expires']],
    ['values of an argument', 'pets domains certificate prefer a.example a', ['automatic']],
    ['nothing after the last argument', 'pets domains certificate prefer a.example automatic ', []],
    ['nothing where only the API knows', 'pets webhooks show ', []],
    ['nothing after an unknown command', 'pets animals ', []],
  ])('offers %s', (_name, line, expected) => expect(offered(line)).toEqual(expected));

  it.each(['pets domains certificate set a.example --cert ', 'pets deploy ', 'pets domains import '])(
    'offers files: %s',
    (line) => expect(offered(line)).toBe('files'),
  );
});
