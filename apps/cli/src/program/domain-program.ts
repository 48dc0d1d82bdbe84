import { Option, type Command as Program } from 'commander';
import { doctor, type DoctorOptions } from '../doctor/doctor.js';
import { addDomain, listDomains, showDomain, verifyDomain, waitForDomain } from '../domains/domain-commands.js';
import { goals, type Goal } from '../domains/evaluate-domain.js';
import { removeDomain } from '../domains/remove-domain.js';
import { collect, readDuration, readPathStep } from './arguments.js';
import type { Runner } from './runner.js';

const NAME = 'domain name, for example docs.example.com';
/** Whom a CAA record has to allow, unless the API uses another authority. */
const USUAL_AUTHORITY = ['letsencrypt.org'];

type Wait = { timeout: number; for: Goal };

/** `pets domains …` */
export function addDomainCommands(program: Program, runner: Runner): void {
  const domains = program.command('domains').description('manage custom domains');
  domains
    .command('add')
    .description('add a domain and show the DNS records to create')
    .argument('<name>', NAME, readPathStep)
    .option('--pair', 'also add the www or apex counterpart and redirect it to this domain')
    .action((name: string, own: { pair?: boolean }, at: Program) =>
      runner(addDomain)([name, own], at.optsWithGlobals()),
    );
  domains
    .command('verify')
    .description('check the DNS now and show the result')
    .argument('<name>', NAME, readPathStep)
    .action((name: string, _own: object, at: Program) => runner(verifyDomain)([name], at.optsWithGlobals()));
  domains
    .command('wait')
    .description('wait until the domain is verified or live')
    .argument('<name>', NAME, readPathStep)
    .addOption(timeoutOption('maximum time to wait, for example 90s, 10m or 1h', '10m'))
    .addOption(new Option('--for <state>', 'state to wait for').choices(goals).default('live'))
    .action((name: string, own: Wait, at: Program) => runner(waitForDomain)([name, own], at.optsWithGlobals()));
  domains
    .command('list')
    .description('list the domains of a project')
    .action((_own: object, at: Program) => runner(listDomains)([], at.optsWithGlobals()));
  domains
    .command('show')
    .description('show the details of a domain')
    .argument('<name>', NAME, readPathStep)
    .action((name: string, _own: object, at: Program) => runner(showDomain)([name], at.optsWithGlobals()));
  domains
    .command('remove')
    .description('remove a domain and wait until it no longer serves any traffic')
    .argument('<name>', NAME, readPathStep)
    .option('--yes', 'skip the confirmation')
    .addOption(timeoutOption('maximum time to wait for the edges', '2m'))
    .action((name: string, own: { yes?: boolean; timeout: number }, at: Program) =>
      runner(removeDomain)([name, own], at.optsWithGlobals()),
    );
  addDoctor(domains, runner);
}

function timeoutOption(description: string, usual: string): Option {
  return new Option('--timeout <duration>', description).argParser(readDuration).default(readDuration(usual), usual);
}

function addDoctor(domains: Program, runner: Runner): void {
  domains
    .command('doctor')
    .description('check DNS and CAA from this machine; no account required')
    .argument('<name>', NAME, readPathStep)
    .option('--target <host>', 'host name the domain must point to')
    .option('--resolver <address>', 'name server to query, address[:port] (repeatable)', collect)
    .option('--ca <name>', 'certificate authority as named in CAA records (repeatable)', collect)
    .option('--ca-account <url>', 'ACME account URL, for CAA records with accounturi')
    .action((name: string, { ca = USUAL_AUTHORITY, ...own }: Partial<DoctorOptions>, at: Program) =>
      runner(doctor)([name, { ...own, ca }], at.optsWithGlobals()),
    );
}
