/** The texts about records at a DNS provider. */
export const zoneStrings = {
  actions: { delete: 'Delete', change: 'Change', add: 'Add', keep: 'Keep' },
  or: 'Or add',
  becomes: 'becomes',
  empty: '(leave empty)',
  found: 'Found',
  notFound: 'Not found yet',
  foundAt: (count: number, total: number, until: string | null) =>
    `${count} of ${total} name servers${until === null ? '' : `, the last until ${until}`}`,
  noAlias: (provider: string) =>
    `${provider} cannot point an apex to a host name. Use the name with www instead and forward this one to it, or move the zone to a provider with ALIAS records.`,
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
  grouped: (provider: string) => `${provider} takes several addresses of a type as one record, each on its own line.`,
} as const;
