import type { SetupDomain } from '@pets/contracts';

const minutes = (seconds: number) => (seconds <= 60 ? 'a minute' : `${Math.ceil(seconds / 60)} minutes`);

/** Every text about the set-up of a domain, by subject. Issues are shown as the API sends them. */
export const setupTexts = {
  states: {
    awaiting_dns: 'Added, awaiting DNS',
    verified: 'Verified',
    live: 'Live',
    removed: 'Removed',
  } satisfies Record<SetupDomain['state'], string>,
  /** Before a problem. */
  shortStates: {
    awaiting_dns: 'Awaiting DNS',
    verified: 'Verified',
    live: 'Live',
    removed: 'Removed',
  } satisfies Record<SetupDomain['state'], string>,
  suspended: 'suspended',
  dnsChanged: 'DNS changed',
  nowIs: (name: string, status: string) => `${name}: ${status}`,
  progress: 'Progress',
  steps: {
    added: 'Added',
    dns: 'DNS record found',
    verified: 'Verified',
    certificate: 'Certificate issued',
    live: 'Live',
  },
  stepStates: {
    done: 'Done',
    current: 'In progress',
    blocked: 'Action required',
    waiting: 'Not started',
  },
  waitingForRecord: 'Waiting for your record',
  took: (duration: string) => `took ${duration}`,
  next: {
    live: (name: string) => `${name} is live`,
    certificate: 'Your records are right. The certificate comes next.',
    awaited: 'This page finds the records as soon as your name servers show them, and goes on without a click.',
    checking: 'We are checking your records',
    suspended: (name: string) => `${name} is suspended`,
    removed: (name: string) => `${name} was removed`,
    noCertificate:
      'No certificate yet. It is issued automatically after verification, usually within a couple of minutes.',
    renewed: 'The certificate is renewed automatically.',
    oldCopies: (time: string) =>
      `Resolvers may have copies of the old records until ${time}. Until then, some visitors may see what was there before.`,
    keepWithoutProof:
      'Keep the DNS records for as long as you use the domain. You can delete the TXT record, which has served its purpose.',
  },
  /** Steps for a name that is visited elsewhere today. */
  switching: {
    title: 'Switch without an interruption',
    titleOf: (name: string) => `Switch ${name} without an interruption`,
    hints: {
      waiting: 'recommended if visitors use the name today',
      preparing: 'the certificate is being issued',
      ready: 'you can switch now',
    },
    ttlShort: 'Caches keep the old record for a few minutes at most.',
    lowerTtl: (seconds: number) =>
      `Lower the TTL of the old record from ${seconds} to 300 seconds, and wait ${minutes(seconds)}.`,
    create: 'Create this record. The certificate is then issued while the name still points elsewhere.',
    look: 'Look at the new site first: whoever sent you the link knows its address.',
    switch: 'When this page says that you can switch, change the records below.',
    end: (seconds: number | null) =>
      seconds === null
        ? 'Keep the old site until all caches have the new record.'
        : `Keep the old site for ${minutes(seconds)} after that: caches still lead some visitors there.`,
  },
  zone: {
    actions: { delete: 'Delete', change: 'Change', add: 'Add', keep: 'Keep' },
    or: 'Or add',
    becomes: 'becomes',
    empty: '(leave empty)',
    found: 'Found',
    notFound: 'Not found yet',
    foundAt: (count: number, total: number, until: string | null) =>
      `${count} of ${total} name servers${until === null ? '' : `, the last until ${until}`}`,
    gone: 'Gone',
    stillThere: 'Still there',
    goneAt: (count: number, total: number, until: string | null) =>
      `Gone at ${count} of ${total} name servers${until === null ? '' : `, at the last by ${until}`}`,
    noAlias: (provider: string) =>
      `${provider} cannot point an apex to a host name. Use the name with www, as below, or move the zone to a provider with ALIAS records.`,
    /** Texts about an apex whose provider forwards its visitors, since no record of it can point to a host name. */
    forward: {
      instead: (apex: string, provider: string, isThere: boolean) => {
        const record = isThere
          ? `create only the record of www.${apex}`
          : `use www.${apex}, which whoever runs the site has to add`;
        return `Or ${record}, and forward ${apex} to https://www.${apex} at ${provider}, permanently (301).`;
      },
      asWell: (apex: string, provider: string) =>
        `For visitors of ${apex}, forward it to https://www.${apex} at ${provider}, permanently (301).`,
      tls: (apex: string, provider: string) =>
        `Visitors of https://${apex} get a certificate error unless ${provider} forwards HTTPS too: open that address to see.`,
    },
    alternatives: (count: number, type: string | null) => {
      const which = count === 1 ? 'this record' : `all ${count} records`;
      return type === null
        ? `This provider has no ALIAS record: add ${which}.`
        : `Or, instead of the ${type} record, ${which}:`;
    },
    titles: {
      create: (provider: string) => `Create ${provider}`,
      fix: (provider: string) => `Change ${provider}`,
      restore: (provider: string) => `Restore ${provider}`,
    },
    recordsAt: (count: number, provider: string | null) =>
      `${count === 1 ? 'this record' : 'these records'} at ${provider ?? 'your DNS provider'}`,
    records: 'DNS records',
    keepText: 'Keep these records for as long as you use the domain.',
    provider: 'Your DNS provider',
    hostedBy: (zone: string, provider: string) => `The name servers of ${zone} belong to ${provider}.`,
    unknownHost: (zone: string, servers: string) => `The name servers of ${zone} are ${servers}.`,
    open: (provider: string) => `Open ${provider}`,
    names: (provider: string | null, zone: string, name: string) =>
      provider === null
        ? `Most providers add .${zone} to a name. If yours does not, enter the complete name, ${name}.`
        : `${provider} adds .${zone} to each name.`,
    apex: (zone: string, entry: string) =>
      entry === '' ? `The name stays empty for ${zone} itself.` : `${entry} stands for ${zone} itself.`,
    dots: (provider: string) => `Keep the dot at the end of a host name: without it, ${provider} adds the zone.`,
    proof: 'The TXT record proves that you own the domain. You can delete it after verification.',
    proofOfAddresses: 'It is required with the addresses as well, which do not show whose domain it is.',
    aliasNames: 'Some providers call ALIAS records ANAME.',
    caa: 'The CAA record is in addition to those that exist: it lets our certificate authority issue as well.',
    caaLine: (provider: string) =>
      `${provider} takes several values of a type as one record: add the value as another line to the CAA record that exists. It lets our certificate authority issue as well.`,
    grouped: (provider: string) => `${provider} takes several addresses of a type as one record, each on its own line.`,
  },
  check: {
    checked: (time: string) => `Checked ${time}`,
    notChecked: 'Not checked yet',
    checking: 'Checking…',
    next: (time: string) => `next check ${time}`,
    stopped: 'Checks have stopped',
  },
  copy: {
    action: 'Copy',
    done: 'Copied',
    label: (what: string) => `Copy ${what}`,
    doneLabel: (what: string) => `${what} copied`,
    failed: 'Could not copy: the browser blocked access to the clipboard. Select the text and copy it.',
  },
  share: {
    action: 'Send these steps to whoever runs the DNS',
    done: 'Steps copied: paste them into a message',
    title: (names: string) => `DNS records for ${names}`,
    nothing: 'Nothing is left to do.',
    replaces: (old: string) => `(now: ${old})`,
  },
  names: 'Both names',
  visit: 'Visit',
  newTab: 'opens in a new tab',
  link: {
    loading: 'Loading…',
    ended: 'This link has ended',
    endedText: 'Ask whoever sent it to you for a new one. What is set up stays as it is.',
    limited: 'Too many requests. The page continues in a moment.',
    offline: 'No connection. The page continues when you are back online.',
  },
};

/** The texts of the element; a page can replace each of them. */
export type SetupTexts = typeof setupTexts;
