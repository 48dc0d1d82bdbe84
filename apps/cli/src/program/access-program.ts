import { Option, type Command as Program } from 'commander';
import { scopes, type Scope } from '@pets/contracts';
import { createKey, listKeys, revokeKey } from '../access/key-commands.js';
import { login, logout } from '../access/login.js';
import { readPathStep } from './arguments.js';
import type { Runner } from './runner.js';

/** `pets keys …`, `pets login` and `pets logout` */
export function addAccessCommands(program: Program, runner: Runner): void {
  const keys = program.command('keys').description('manage API keys');
  keys
    .command('list')
    .description('list the API keys of the organization')
    .action((_own: object, at: Program) => runner(listKeys)([], at.optsWithGlobals()));
  keys
    .command('create')
    .description('create an API key; the key is shown only once')
    .argument('<name>', 'name of the key')
    .addOption(
      new Option('--scope <scope...>', 'scopes of the key, at most those of your own key')
        .choices(scopes)
        .makeOptionMandatory(),
    )
    .option('--expires <time>', 'expiry time, for example 2027-11-02T00:00:00Z')
    .action((name: string, own: { scope: Scope[]; expires?: string }, at: Program) =>
      runner(createKey)([name, own], at.optsWithGlobals()),
    );
  keys
    .command('revoke')
    .description('revoke an API key')
    .argument('<id>', 'ID of the key, from pets keys list', readPathStep)
    .action((id: string, _own: object, at: Program) => runner(revokeKey)([id], at.optsWithGlobals()));
  program
    .command('login')
    .description('save an API key for later commands, read from standard input or a hidden prompt')
    .action((_own: object, at: Program) => runner(login)([], at.optsWithGlobals()));
  program
    .command('logout')
    .description('delete the saved API key')
    .action((_own: object, at: Program) => runner(logout)([], at.optsWithGlobals()));
}
