import { Option, type Command as Program } from 'commander';
import type { Runner } from '../command.js';
import { doctor, type DoctorOptions } from '../doctor/doctor.js';
import { collect, parseMember, parsePathSegment, timeoutOption } from '../program/arguments.js';
import {
  addDomain,
  listDomains,
  moveDomain,
  removeDomain,
  showDomain,
  showHistory,
  updateDomain,
  type AddOptions,
  type UpdateOptions,
  type ListOptions,
  type MoveOptions,
  type RemovalOptions,
} from './domain-commands.js';
import { importDomains, type ImportOptions } from './import-command.js';
import { addConfigCommands } from '../domain-config/config-commands.js';
import { addCertificateCommands } from './certificate-commands.js';
import { goals, type Goal } from './domain-outcome.js';
import { addSetupLinkCommands } from './setup-commands.js';
import { prepareDomain, reverifyDomain, verifyDomain, waitForDomain } from './go-live-commands.js';

const NAME = 'domain name, for example docs.example.com';
/** The CAA name of the default certificate authority. */
const DEFAULT_AUTHORITY = ['letsencrypt.org'];

const listedStates = ['awaiting_dns', 'verified', 'live'];
const sortOrders = ['createdAt', '-createdAt', 'name', '-name'];

type WaitOptions = { timeout: number; for: Goal };

/** `pets domains …` */
export function addDomainCommands(program: Program, runner: Runner): void {
  const domains = program.command('domains').description('manage custom domains');
  domains
    .command('add')
    .description('add a domain and show the DNS records to create')
    .argument('<name>', NAME, parsePathSegment)
    .option('--pair', 'also add the www or apex counterpart and redirect it to this domain')
    .option('--external-id <id>', 'an ID of your own, to find the domain again')
    .option('--metadata <key=value>', 'a value to store with the domain (repeatable)', parseMember)
    .action((name: string, options: AddOptions, command: Program) =>
      runner(addDomain)([name, options], command.optsWithGlobals()),
    );
  domains
    .command('update')
    .description('change what is stored with a domain, or which channel it serves; an empty value removes')
    .argument('<name>', NAME, parsePathSegment)
    .option('--external-id <id>', 'an ID of your own')
    .option('--metadata <key=value>', 'a value to store (repeatable)', parseMember)
    .option('--channel <channel>', 'serve this channel of the project')
    .option('--no-channel', 'serve the active deployment')
    .action((name: string, options: UpdateOptions, command: Program) =>
      runner(updateDomain)([name, options], command.optsWithGlobals()),
    );
  domains
    .command('prepare')
    .description('add a domain and wait until its DNS can be switched without an interruption')
    .argument('<name>', NAME, parsePathSegment)
    .addOption(timeoutOption('maximum time to wait, for example 90s, 10m or 1h', '10m'))
    .action((name: string, options: { timeout: number }, command: Program) =>
      runner(prepareDomain)([name, options], command.optsWithGlobals()),
    );
  domains
    .command('verify')
    .description('check the DNS now and show the result')
    .argument('<name>', NAME, parsePathSegment)
    .action((name: string, _options: object, command: Program) =>
      runner(verifyDomain)([name], command.optsWithGlobals()),
    );
  domains
    .command('wait')
    .description('wait until the domain is ready for the switch, verified or live')
    .argument('<name>', NAME, parsePathSegment)
    .addOption(timeoutOption('maximum time to wait, for example 90s, 10m or 1h', '10m'))
    .addOption(new Option('--for <state>', 'state to wait for').choices(goals).default('live'))
    .action((name: string, options: WaitOptions, command: Program) =>
      runner(waitForDomain)([name, options], command.optsWithGlobals()),
    );
  domains
    .command('list')
    .description('list the domains of a project')
    .addOption(new Option('--state <state>', 'only domains in this state').choices(listedStates))
    .option('--misconfigured', 'only live domains whose DNS no longer points here')
    .option('--prefix <text>', 'only domains whose name begins with this text')
    .option('--contains <text>', 'only domains whose name contains this text')
    .option('--expires-before <time>', 'only domains whose certificate expires before this time (RFC 3339)')
    .option('--external-id <id>', 'only domains with this ID of your own')
    .option('--metadata <key=value>', 'only domains with this value (repeatable)', parseMember)
    .addOption(new Option('--sort <order>', 'order; with a minus sign descending').choices(sortOrders))
    .action(({ prefix: q, ...options }: ListOptions & { prefix?: string }, command: Program) =>
      runner(listDomains)([{ ...options, q }], command.optsWithGlobals()),
    );
  domains
    .command('show')
    .description('show the details of a domain')
    .argument('<name>', NAME, parsePathSegment)
    .action((name: string, _options: object, command: Program) =>
      runner(showDomain)([name], command.optsWithGlobals()),
    );
  domains
    .command('history')
    .description('show what happened to a domain, who caused it and why')
    .argument('<name>', NAME, parsePathSegment)
    .action((name: string, _options: object, command: Program) =>
      runner(showHistory)([name], command.optsWithGlobals()),
    );
  domains
    .command('reverify')
    .description('retry the issuance of the certificate now')
    .argument('<name>', NAME, parsePathSegment)
    .action((name: string, _options: object, command: Program) =>
      runner(reverifyDomain)([name], command.optsWithGlobals()),
    );
  domains
    .command('move')
    .description('move a domain to another project, without an interruption for visitors')
    .argument('<name>', NAME, parsePathSegment)
    .requiredOption('--to <project>', 'ID or slug of the other project', parsePathSegment)
    .option('--with-redirects', 'also move the redirects that refer to it, and the domains that they connect')
    .action((name: string, options: MoveOptions, command: Program) =>
      runner(moveDomain)([name, options], command.optsWithGlobals()),
    );
  domains
    .command('remove')
    .description('remove a domain and wait until it no longer serves any traffic')
    .argument('<name>', NAME, parsePathSegment)
    .option('--yes', 'skip the confirmation')
    .option('--exclude', 'also stop the wildcard that covers the name from serving it')
    .addOption(timeoutOption('maximum time to wait for the edges', '2m'))
    .action((name: string, options: RemovalOptions, command: Program) =>
      runner(removeDomain)([name, options], command.optsWithGlobals()),
    );
  domains
    .command('import')
    .description('add or remove the domains of a file, and save a report')
    .argument(
      '<file>',
      'CSV with a column "name" (and "external_id", "metadata.KEY"), or NDJSON; at most 100 000 lines',
    )
    .option('--remove', 'remove the domains of the file')
    .option('--no-wait', 'return once the file is uploaded')
    .option('--report <file>', 'where to save the report; default: beside the file')
    .action((file: string, options: ImportOptions, command: Program) =>
      runner(importDomains)([file, options], command.optsWithGlobals()),
    );
  addConfigCommands(domains, runner);
  addCertificateCommands(domains, runner, NAME);
  addSetupLinkCommands(domains, runner, NAME);
  addDoctor(domains, runner);
}

function addDoctor(domains: Program, runner: Runner): void {
  domains
    .command('doctor')
    .description('check DNS and CAA from this machine; no account required')
    .argument('<name>', NAME, parsePathSegment)
    .option('--target <host>', 'host name the domain must point to')
    .option('--resolver <address>', 'name server to query, address[:port] (repeatable)', collect)
    .option('--ca <name>', 'certificate authority as named in CAA records (repeatable)', collect)
    .option('--ca-account <url>', 'ACME account URL, for CAA records with accounturi')
    .action((name: string, { ca = DEFAULT_AUTHORITY, ...options }: Partial<DoctorOptions>, command: Program) =>
      runner(doctor)([name, { ...options, ca }], command.optsWithGlobals()),
    );
}
