import { readFile } from 'node:fs/promises';
import { pause } from '@pets/async';
import type { CertificateChoice, CertificateSource, CertificateTrust } from '@pets/contracts';
import { Argument, Option, type Command as Program } from 'commander';
import type { Api } from '../api/api.js';
import type { Command, Runner } from '../command.js';
import { parsePathSegment } from '../program/arguments.js';
import { report, usageFailure, type Report } from '../outcome/outcome.js';
import { printable, shellWord } from '../terminal/format.js';
import type { Style } from '../terminal/terminal.js';
import { presentChoice } from './present-domain.js';

interface SetOptions {
  /** Files. */
  readonly cert: string;
  readonly key: string;
  readonly trust: CertificateTrust;
  readonly prefer: CertificateSource;
}

const PATH = '/v1/projects/{projectId}/domains/{domain}/certificate';

/** The check of a revocation list takes seconds. */
const CHECK_LIMIT_MS = 60_000;
const POLL_MS = 1_000;

/** Uploads a certificate, and waits until its revocation list was read. */
const setCertificate: Command<[name: string, options: SetOptions]> = async (context, name, options) => {
  const { api, terminal } = context;
  const projectId = await context.findProjectId();
  const { trust, prefer } = options;
  const body = { certificate: await readText(options.cert), privateKey: await readText(options.key), trust, prefer };
  const params = { path: { projectId, domain: name } };
  let choice: CertificateChoice = await api.data(api.http.PUT(PATH, { params, body }));
  if (choice.own?.state === 'checking') terminal.progress('checking whether the certificate is revoked');
  for (const until = Date.now() + CHECK_LIMIT_MS; choice.own?.state === 'checking' && Date.now() < until;) {
    await pause(POLL_MS);
    choice = await readChoice(api, params.path);
  }
  return reportUpload(name, choice, terminal);
};

const showCertificate: Command<[name: string]> = async ({ api, findProjectId, terminal }, name) => {
  const projectId = await findProjectId();
  const choice = await readChoice(api, { projectId, domain: name });
  const message = choice.source === null ? `${name} has no certificate yet.` : `Visitors get the ${choice.source} one.`;
  return report('done', choice.source ?? 'none', message, {
    result: choice,
    text: presentChoice(name, choice, terminal),
  });
};

const preferCertificate: Command<[name: string, source: CertificateSource]> = async (
  { api, findProjectId, terminal },
  name,
  prefer,
) => {
  const projectId = await findProjectId();
  const params = { path: { projectId, domain: name } };
  const choice: CertificateChoice = await api.data(api.http.PATCH(PATH, { params, body: { prefer } }));
  const message =
    choice.source === prefer
      ? `Visitors get the ${prefer} certificate.`
      : `The ${prefer} certificate is preferred; visitors get the other one until it is valid.`;
  return report('done', 'preferred', message, { result: choice, text: presentChoice(name, choice, terminal) });
};

const removeCertificate: Command<[name: string, options: { force?: true }]> = async (
  { api, findProjectId },
  name,
  { force = false },
) => {
  const projectId = await findProjectId();
  const params = { path: { projectId, domain: name }, query: { force } };
  await api.result(api.http.DELETE(PATH, { params }));
  return report('done', 'removed', `Deleted the uploaded certificate of ${name}.`);
};

/** @throws CommandFailure when the file cannot be read */
async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw usageFailure('file_unreadable', `Could not read the file ${file}.`);
  }
}

function readChoice(api: Api, path: { projectId: string; domain: string }): Promise<CertificateChoice> {
  return api.data(api.http.GET(PATH, { params: { path } }));
}

function reportUpload(name: string, choice: CertificateChoice, terminal: Style): Report {
  const { own } = choice;
  const details = { result: choice, text: presentChoice(name, choice, terminal) };
  const next = [{ command: `pets domains certificate show ${shellWord(name)}`, when: 'to see its state' }];
  switch (own?.state) {
    case 'active':
      return report(
        'done',
        'active',
        own.isServed ? `Visitors of ${name} get the certificate.` : `Stored as the fallback of ${name}.`,
        details,
      );
    case 'revoked':
      return report('refused', 'own_certificate_revoked', `${printable(own.issuer)} has revoked it.`, details);
    case 'checking':
    case 'expired':
    case undefined:
      return report('not_yet', own?.state ?? 'none', 'The certificate is still being checked.', { ...details, next });
  }
}

/** `pets domains certificate …` */
export function addCertificateCommands(domains: Program, runner: Runner, nameHelp: string): void {
  const certificate = domains.command('certificate').description('use a certificate of your own');
  certificate
    .command('set')
    .description('upload a certificate, which visitors get instead of the automatic one')
    .argument('<name>', nameHelp, parsePathSegment)
    .requiredOption('--cert <file>', 'chain in PEM, the certificate of the domain first')
    .requiredOption('--key <file>', 'private key in PEM, without a passphrase')
    .addOption(new Option('--trust <who>', 'who trusts its root').choices(['public', 'private']).default('public'))
    .addOption(preferOption())
    .action((name: string, options: SetOptions, command: Program) =>
      runner(setCertificate)([name, options], command.optsWithGlobals()),
    );
  certificate
    .command('show')
    .description('show both certificates, and which one visitors get')
    .argument('<name>', nameHelp, parsePathSegment)
    .action((name: string, _options: object, command: Program) =>
      runner(showCertificate)([name], command.optsWithGlobals()),
    );
  certificate
    .command('prefer')
    .description('choose between your own and the automatic certificate')
    .argument('<name>', nameHelp, parsePathSegment)
    .addArgument(new Argument('<source>', 'which one visitors get').choices(['own', 'automatic']))
    .action((name: string, source: CertificateSource, _options: object, command: Program) =>
      runner(preferCertificate)([name, source], command.optsWithGlobals()),
    );
  certificate
    .command('rm')
    .description('delete the uploaded certificate and return to the automatic one')
    .argument('<name>', nameHelp, parsePathSegment)
    .option('--force', 'also if there is no valid automatic certificate')
    .action((name: string, options: { force?: true }, command: Program) =>
      runner(removeCertificate)([name, options], command.optsWithGlobals()),
    );
}

function preferOption(): Option {
  return new Option('--prefer <source>', 'which certificate visitors get').choices(['own', 'automatic']).default('own');
}
