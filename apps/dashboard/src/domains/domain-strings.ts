import { formatCount } from '../format.js';

const domainCount = (count: number) => `${formatCount(count)} ${count === 1 ? 'domain' : 'domains'}`;

/** The texts of the pages about domains. Issues and history are shown as the API sends them. */
export const domainStrings = {
  title: 'Domains',
  empty: 'No custom domains yet. The project is served at its platform URL.',
  emptyTitle: 'Serve this project at your own domain',
  noneFound: 'No matching domains',
  noneFoundText: 'Change the search or the status.',
  wholeLabels:
    'Special characters are found by whole labels. Enter the label up to its end, or its ASCII form (xn--…).',
  search: 'Search by name',
  status: 'Status',
  listed: {
    awaiting_dns: 'Awaiting DNS',
    verified: 'Verified',
    live: 'Live',
    misconfigured: 'DNS changed',
  },
  orders: {
    problems: 'Problems first',
    '-createdAt': 'Newest first',
    createdAt: 'Oldest first',
    name: 'Name, A to Z',
    '-name': 'Name, Z to A',
  },
  certificateUntil: 'Certificate until',
  role: 'Role',
  primary: 'Primary',
  redirectsTo: (to: string) => `Redirects to ${to}`,
  lastCheck: 'Last check',
  actions: 'Actions',
  select: 'Select',
  selectAll: 'Select all domains in the list',
  selectOne: (name: string) => `Select ${name}`,
  selection: 'Selected domains',
  selected: (count: number) => `${count} selected`,
  clearSelection: 'Clear selection',
  verifyManyStarted: (count: number) => `DNS check of ${domainCount(count)} started.`,
  removeMany: (count: number) => `Remove ${domainCount(count)}?`,
  removedMany: (removed: number, refused: number) =>
    `${domainCount(removed)} removed.${refused === 0 ? '' : ` ${domainCount(refused)} could not be removed.`}`,
  add: 'Add domain',
  addTitle: 'Add a domain',
  name: 'Domain',
  nameHint: 'A domain or subdomain that you own, for example docs.example.com.',
  pair: 'Also add the www or apex counterpart and redirect it to this domain',
  planTitle: 'Your plan does not include custom domains',
  planText:
    'Custom domains require a paid plan (Pro or higher). Upgrade your organization’s plan, then add the domain. ' +
    'Until then, the project is served at its platform URL.',
  deployTitle: 'Deploy the project first',
  deployText: 'You can add a domain after the first successful deployment of the project.',
  toDeployments: 'Go to deployments',
  notFound: 'This project has no such domain. It may have been removed or moved.',
  back: 'Go to the domains of the project',
  recordType: 'Type',
  recordName: 'Name',
  recordValue: 'Value',
  recordTtl: 'TTL',
  verify: 'Verify DNS',
  noNextCheck: 'Automatic checks have stopped. Click Verify DNS after you change a record.',
  verifyStarted: 'DNS check started.',
  verifyFinished: 'DNS check finished.',
  reverify: 'Re-verify certificate',
  reverifyStarted: 'Certificate issuance started.',
  reverifyLater: (time: string) => `Re-verify certificate is available in ${time}, if there is no certificate by then.`,
  reverifyWhen:
    'Re-verify certificate retries issuance if there is no certificate after 30 minutes or the last attempt failed.',
  menu: (name: string) => `More actions for ${name}`,
  remove: 'Remove',
  observed: 'DNS look-up results',
  observedCount: (count: number) => `${count} ${count === 1 ? 'record' : 'records'} at the last check`,
  resolver: 'Name server',
  omitted: (count: number) => `… and ${count} more`,
  history: 'History',
  historyCount: (count: number) => `${count} ${count === 1 ? 'event' : 'events'}`,
  historyEmpty: 'No events yet.',
  bySystem: 'automatic',
  problemCount: (count: number) => `${count} ${count === 1 ? 'problem' : 'problems'}`,
} as const;

/** Texts that only members read in the card that says what is next. */
export const nextStrings = {
  notRenewed: 'Visitors get your own certificate. Upload its successor before it ends.',
  redirects: 'Another name can forward to this one, or this one to another:',
  toRedirects: 'Redirects',
  look: 'Look at the new site first:',
} as const;

export const pairStrings = {
  swap: 'Swap roles',
  swapped: 'The other name redirects now.',
} as const;

export const forwardStrings = {
  action: (www: string) => `Use ${www} and forward the apex`,
  title: (www: string) => `Use ${www} instead?`,
  about: (apex: string, provider: string) =>
    `${provider} cannot point ${apex} to a host name, but it can forward its visitors to another address.`,
  steps: (apex: string, www: string, provider: string) => [
    `Add ${www} here, and create its record.`,
    `At ${provider}, open the forwarding (or redirects) of ${apex}. Enter https://${www} as the destination, as a permanent redirect (301).`,
    `When it works, remove ${apex} here: ${provider} answers for it.`,
  ],
  tls: (apex: string, provider: string) =>
    `Visitors of https://${apex} get a certificate error unless ${provider} forwards HTTPS too. Open that address to see.`,
  add: (www: string) => `Add ${www}`,
  added: (www: string) => `${www} was added.`,
} as const;

export const certificateStrings = {
  title: 'Certificate',
  automatic: 'Automatic certificate',
  served: 'Source',
  ownServed: 'Uploaded by you',
  states: { pending: 'Issuing', issued: 'Issued', failed: 'Issuance failed', expired: 'Expired' },
  state: 'State',
  method: 'Validation method',
  methods: { 'http-01': 'HTTP-01', 'dns-01': 'DNS-01' },
  issuer: 'Issuer',
  from: 'Valid from',
  until: 'Valid until',
  renewAt: 'Renewal scheduled',
  attempts: 'Tries',
  nextAttempt: 'Next try',
  rateLimited: 'Rate limited until',
} as const;

/** The texts about certificates that owners upload. */
export const ownStrings = {
  title: 'Own certificate',
  none: 'You can upload a certificate of your own. Visitors then get it instead of the automatic one.',
  served: 'Visitors get this certificate. The automatic one is the fallback.',
  notServed: 'Visitors get the automatic certificate.',
  state: 'State',
  states: {
    checking: 'Checking whether it is revoked',
    active: 'Active',
    expired: 'Expired',
    revoked: 'Revoked by its certificate authority',
  },
  names: 'Names',
  issuer: 'Issuer',
  until: 'Valid until',
  fingerprint: 'SHA-256 fingerprint',
  upload: 'Upload certificate',
  replace: 'Replace certificate',
  dialog: 'Upload a certificate of your own',
  chain: 'Certificate chain (PEM), the certificate of the domain first',
  key: 'Private key (PEM), without a passphrase',
  keyHint: 'It is stored encrypted, and nobody can download it.',
  chooseChain: 'Choose the file of the chain',
  chooseKey: 'Choose the file of the key',
  private: 'My visitors trust the root of this certificate, although browsers do not',
  uploaded: 'Certificate uploaded.',
  preferAutomatic: 'Use the automatic certificate',
  preferOwn: 'Use this certificate',
  preferred: 'Visitors get the chosen certificate.',
  remove: 'Delete this certificate',
  removeTitle: 'Delete your certificate?',
  removeText: 'Visitors get the automatic certificate from then on. The key that you uploaded is deleted.',
  removeOnlyText:
    'Visitors see an error until the automatic certificate is issued. The key that you uploaded is deleted.',
  removed: 'Certificate deleted.',
} as const;

export const removalStrings = {
  title: (name: string) => `Remove ${name}?`,
  text: 'Traffic to the domain stops immediately and its redirects are deleted. You can add the domain again later.',
  covered: (wildcard: string) => `Your wildcard ${wildcard} serves this name after the removal, unless you exclude it.`,
  exclude: (wildcard: string) => `Exclude the name from ${wildcard}, so that it is not served at all`,
  doneCovered: (name: string, wildcard: string) => `${name} removed. ${wildcard} serves it now.`,
  confirm: 'Remove domain',
  textMany: 'Traffic to these domains stops immediately and their redirects are deleted. You can add them again later.',
  confirmMany: (count: number) => `Remove ${domainCount(count)}`,
  done: (name: string) => `${name} removed. It no longer serves any traffic.`,
  pending: (edges: number) =>
    `Removed, but ${edges} ${edges === 1 ? 'server has' : 'servers have'} not confirmed and may still serve the domain. ` +
    'Servers that cannot be reached stop serving it automatically.',
  stopped: 'Removed. The domain no longer serves any traffic. You can delete its DNS record.',
  askAgain: 'Check again',
} as const;

export const troubleshootingStrings = {
  title: 'Troubleshooting',
  verification: {
    symptom: 'Verification keeps failing',
    action:
      'A conflicting DNS record exists for the same subdomain (an existing A record blocks the CNAME), or the CNAME ' +
      'value does not exactly match the one shown here. Remove the conflict and correct the value.',
  },
  certificate: {
    symptom: 'SSL certificate not provisioning after 30 minutes',
    action:
      'Confirm the domain still verifies; check that CAA records at the DNS provider do not block the platform’s ' +
      'certificate authority; click Re-verify certificate.',
  },
  privacy: {
    symptom: 'Browser reports the connection is not private',
    action:
      'The certificate is not yet provisioned or an old certificate is cached. Wait a few minutes and retry in a private window.',
  },
  redirects: {
    symptom: 'Domain works but redirects break',
    action:
      'Redirect chains are cached; test in a private window or with a header-only HTTP request to see what is served.',
  },
} as const;

export const exclusionStrings = {
  title: 'Excluded names',
  count: (count: number) => (count === 0 ? 'None' : String(count)),
  text: (wildcard: string) =>
    `${wildcard} does not serve these names. To exclude one, add it as a domain, then remove it and select Exclude.`,
  name: 'Name',
  actions: 'Actions',
  lift: 'Serve again',
  liftOne: (name: string) => `Serve ${name} again`,
  lifted: (name: string, wildcard: string) => `${wildcard} serves ${name} again.`,
} as const;
