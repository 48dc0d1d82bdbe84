import { Option, type Command as Program } from 'commander';
import { scopes, type Scope } from '@pets/contracts';
import { createKey, listKeys, revokeKey } from '../access/key-commands.js';
import { login, logout } from '../access/login.js';
import { readPathStep } from './arguments.js';
import type { Runner } from './runner.js';

/** `pets keys …`, `pets login` and `pets logout` */
export function addAccessCommands(program: Program, runner: Runner): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('list')
    .description('list the keys of the organization')
    .action((_own: object, at: Program) => runner(listKeys)([], at.optsWithGlobals()));
  keys
    .command('create')
    .description('create a key; it is shown this once')
    .argument('<name>', 'to know it by')
    .addOption(
      new Option('--scope <scope...>', 'what it may do, of what your own key may')
        .choices(scopes)
        .makeOptionMandatory(),
    )
    .option('--expires <time>', 'until when, as 2027-11-02T00:00:00Z')
    .action((name: string, own: { scope: Scope[]; expires?: string }, at: Program) =>
      runner(createKey)([name, own], at.optsWithGlobals()),
    );
  keys
    .command('revoke')
    .description('revoke a key')
    .argument('<id>', 'the key’s id, from the list', readPathStep)
    .action((id: string, _own: object, at: Program) => runner(revokeKey)([id], at.optsWithGlobals()));
  program
    .command('login')
    .description('keep an API key for later commands; it is read from standard input, or asked for unseen')
    .action((_own: object, at: Program) => runner(login)([], at.optsWithGlobals()));
  program
    .command('logout')
    .description('forget it')
    .action((_own: object, at: Program) => runner(logout)([], at.optsWithGlobals()));
}
