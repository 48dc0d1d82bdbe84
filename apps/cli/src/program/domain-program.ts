import { Option, type Command as Program } from 'commander';
import { doctor, type DoctorOptions } from '../doctor/doctor.js';
import { addDomain, listDomains, showDomain, verifyDomain, waitForDomain } from '../domains/domain-commands.js';
import { goals, type Goal } from '../domains/evaluate-domain.js';
import { removeDomain } from '../domains/remove-domain.js';
import { collect, readDuration, readPathStep } from './arguments.js';
import type { Runner } from './runner.js';

const NAME = 'the domain, such as docs.example.com';
/** Whom a CAA record has to allow, unless the API uses another authority. */
const USUAL_AUTHORITY = ['letsencrypt.org'];

type Wait = { timeout: number; for: Goal };

/** `pets domains …` */
export function addDomainCommands(program: Program, runner: Runner): void {
  const domains = program.command('domains').description('custom domains of a project');
  domains
    .command('add')
    .description('add a domain, and show the DNS records to create')
    .argument('<name>', NAME, readPathStep)
    .option('--pair', 'add its www or apex twin as well, and a redirect from it')
    .action((name: string, own: { pair?: boolean }, at: Program) =>
      runner(addDomain)([name, own], at.optsWithGlobals()),
    );
  domains
    .command('verify')
    .description('check its DNS now, and tell what was found')
    .argument('<name>', NAME, readPathStep)
    .action((name: string, _own: object, at: Program) => runner(verifyDomain)([name], at.optsWithGlobals()));
  domains
    .command('wait')
    .description('wait until it is verified or live')
    .argument('<name>', NAME, readPathStep)
    .addOption(timeoutOption('how long at most: 90s, 10m, 1h', '10m'))
    .addOption(new Option('--for <state>', 'what is waited for').choices(goals).default('live'))
    .action((name: string, own: Wait, at: Program) => runner(waitForDomain)([name, own], at.optsWithGlobals()));
  domains
    .command('list')
    .description('list the domains of a project')
    .action((_own: object, at: Program) => runner(listDomains)([], at.optsWithGlobals()));
  domains
    .command('show')
    .description('show all there is to know about a domain')
    .argument('<name>', NAME, readPathStep)
    .action((name: string, _own: object, at: Program) => runner(showDomain)([name], at.optsWithGlobals()));
  domains
    .command('remove')
    .description('remove a domain, and wait until no edge serves it any more')
    .argument('<name>', NAME, readPathStep)
    .option('--yes', 'without asking')
    .addOption(timeoutOption('how long to wait for the edges', '2m'))
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
    .description('look at its DNS and CAA from here, without an account')
    .argument('<name>', NAME, readPathStep)
    .option('--target <host>', 'the host that it shall point to')
    .option('--resolver <address>', 'ask this name server, address:port (may be repeated)', collect)
    .option('--ca <name>', 'what the certificate authority is called in CAA (may be repeated)', collect)
    .option('--ca-account <url>', 'our account there, for CAA records that name one')
    .action((name: string, { ca = USUAL_AUTHORITY, ...own }: Partial<DoctorOptions>, at: Program) =>
      runner(doctor)([name, { ...own, ca }], at.optsWithGlobals()),
    );
}
