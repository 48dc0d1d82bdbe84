import type { DnsProvider, FieldLabel } from './dns-provider.js';

const common = {
  apexName: '@',
  apexType: null,
  appendsZone: false,
  proxies: false,
  flattens: false,
  hidesTxt: false,
  groupsValues: false,
  joinsCaa: false,
  caution: null,
} as const satisfies Partial<DnsProvider>;

/** The usual form, in which only the labels of two fields differ. */
function typeFirst(name: string, value: FieldLabel): DnsProvider['fields'] {
  return [
    ['type', 'Type'],
    ['name', name],
    ['value', value],
    ['ttl', 'TTL'],
  ];
}

/** The form of a provider that nobody knows. */
export const anyProvider: DnsProvider = {
  ...common,
  id: 'other',
  label: 'Another provider',
  nameServers: [],
  navigation: 'Open the DNS records of the domain and add a record.',
  link: null,
  fields: typeFirst('Name', 'Value'),
  apexType: 'ALIAS or ANAME',
  lookedAt: null,
};

/** A provider of which only the name servers are known: its form is taken for the usual one. */
function recognized(id: string, label: string, ...nameServers: DnsProvider['nameServers']): DnsProvider {
  return { ...anyProvider, id, label, nameServers };
}

/** The providers with their own words, the largest first, then those that are only recognized. */
export const providers: readonly DnsProvider[] = [
  {
    ...common,
    id: 'cloudflare',
    label: 'Cloudflare',
    nameServers: ['ns.cloudflare.com'],
    navigation: 'Select the domain, open DNS > Records and click Add record.',
    link: 'https://dash.cloudflare.com/?to=/:account/:zone/dns/records',
    fields: typeFirst('Name', {
      A: 'IPv4 address',
      AAAA: 'IPv6 address',
      CAA: 'CA domain name',
      CNAME: 'Target',
      other: 'Content',
    }),
    apexType: 'CNAME',
    proxies: true,
    flattens: true,
    hidesTxt: true,
    caution: 'Set Proxy status to “DNS only”. A proxied record hides its target.',
    lookedAt: '2026-11-29',
  },
  {
    ...common,
    id: 'godaddy',
    label: 'GoDaddy',
    nameServers: ['domaincontrol.com'],
    navigation: 'Open Domain Portfolio, select the domain, open DNS and click Add New Record.',
    link: 'https://account.godaddy.com/products',
    fields: typeFirst('Name', 'Value'),
    caution: 'Delete the A record of a parked domain: it conflicts with the new record.',
    lookedAt: '2026-11-29',
  },
  {
    ...common,
    id: 'namecheap',
    label: 'Namecheap',
    nameServers: ['registrar-servers.com'],
    navigation: 'Open Domain List > Manage > Advanced DNS and click Add New Record.',
    link: 'https://ap.www.namecheap.com/domains/list/',
    fields: typeFirst('Host', 'Value'),
    apexType: 'ALIAS',
    lookedAt: '2026-11-23',
  },
  {
    ...common,
    id: 'route53',
    label: 'Amazon Route 53',
    nameServers: [/\.awsdns-\d+\.(?:com|net|org|co\.uk)$/],
    navigation: 'Open Hosted zones, select the domain and click Create record.',
    link: 'https://console.aws.amazon.com/route53/v2/hostedzones',
    fields: [
      ['name', 'Record name'],
      ['type', 'Record type'],
      ['value', 'Value'],
      ['ttl', 'TTL (seconds)'],
    ],
    apexName: '',
    groupsValues: true,
    joinsCaa: true,
    caution: 'Leave Alias off: alias records of Route 53 point only to AWS resources.',
    lookedAt: '2026-11-23',
  },
  {
    ...common,
    id: 'squarespace',
    label: 'Squarespace (formerly Google Domains)',
    // Squarespace took over the name servers of Google Domains, whose names Google Cloud uses too.
    nameServers: ['squarespacedns.com', 'googledomains.com'],
    navigation: 'Open Domains, select the domain, open DNS > DNS Settings and click Add record.',
    link: 'https://account.squarespace.com/domains',
    fields: typeFirst('Host', 'Data'),
    apexType: 'ALIAS',
    caution: 'Remove Squarespace preset records that have the same name.',
    lookedAt: '2026-11-23',
  },
  {
    ...common,
    id: 'gandi',
    label: 'Gandi',
    nameServers: ['gandi.net'],
    navigation: 'Open Domain, select the domain, open DNS Records and click Add record.',
    link: 'https://admin.gandi.net/domain',
    fields: typeFirst('Name', { CNAME: 'Hostname', ALIAS: 'Hostname', other: 'Value' }),
    apexType: 'ALIAS',
    appendsZone: true,
    lookedAt: '2026-11-23',
  },
  {
    ...common,
    id: 'ionos',
    label: 'IONOS',
    nameServers: [/\.ui-dns\.(?:com|org|de|biz)$/],
    navigation: 'Open Menu > Domains and SSL, open the gear of the domain, then DNS, and click Add record.',
    link: 'https://login.ionos.com/',
    fields: typeFirst('Host name', { A: 'Points to', AAAA: 'Points to', CNAME: 'Alias', other: 'Value' }),
    lookedAt: '2026-11-29',
  },
  {
    ...common,
    id: 'ovh',
    label: 'OVHcloud',
    nameServers: [/\.(?:ovh\.(?:net|ca)|anycast\.me)$/],
    navigation: 'Under Domains, select the domain, open DNS zone and click Add an entry.',
    link: 'https://www.ovh.com/manager/',
    fields: [
      ['type', 'Record type'],
      ['name', 'Sub-domain'],
      ['ttl', 'TTL'],
      ['value', { TXT: 'Value', other: 'Target' }],
    ],
    apexName: '',
    appendsZone: true,
    lookedAt: '2026-11-29',
  },
  {
    ...common,
    id: 'namecom',
    label: 'Name.com',
    nameServers: ['name.com'],
    navigation: 'Under My Domains, select the domain and open DNS Records.',
    link: 'https://www.name.com/account/domain',
    fields: typeFirst('Host', 'Answer'),
    apexName: '',
    lookedAt: '2026-11-29',
  },
  {
    ...common,
    id: 'wix',
    label: 'Wix',
    nameServers: ['wixdns.net'],
    navigation: 'On My Domains, click Edit DNS and add to the row of the record type.',
    link: 'https://premium.wix.com/wix/api/mpContainerStaticController#/domains',
    fields: [
      ['type', 'Row'],
      ['name', 'Host Name'],
      ['value', { TXT: 'TXT Value', other: 'Points to' }],
      ['ttl', 'TTL'],
    ],
    apexName: '',
    lookedAt: '2026-11-29',
  },
  {
    ...common,
    id: 'bluehost',
    label: 'Bluehost',
    nameServers: ['bluehost.com'],
    navigation: 'On the domains page, select the domain, open Manage DNS records and go to Add DNS Record.',
    link: 'https://my.bluehost.com/cgi/dm',
    fields: [
      ['name', 'Host Record'],
      ['ttl', 'TTL'],
      ['type', 'Type'],
      ['value', { TXT: 'TXT Value', other: 'Points To' }],
    ],
    lookedAt: '2026-11-29',
  },
  {
    ...common,
    id: 'hover',
    label: 'Hover',
    nameServers: ['hover.com'],
    navigation: 'Select the domain, open DNS and click Add New.',
    link: 'https://www.hover.com/domains',
    fields: [
      ['name', 'Hostname'],
      ['type', 'Record Type'],
      ['value', { CNAME: 'Target Host', other: 'Value' }],
    ],
    lookedAt: '2026-11-29',
  },
  {
    ...common,
    id: 'dreamhost',
    label: 'DreamHost',
    nameServers: ['dreamhost.com'],
    navigation: 'Open Domains > Manage Domains, open DNS of the domain and go to Add a custom DNS record.',
    link: 'https://panel.dreamhost.com/',
    fields: [
      ['name', 'Name'],
      ['type', 'Type'],
      ['value', 'Value'],
    ],
    apexName: '',
    appendsZone: true,
    lookedAt: '2026-11-29',
  },
  {
    ...common,
    id: 'azure',
    label: 'Azure',
    nameServers: [/\.azure-dns\.(?:com|net|org|info)$/],
    navigation: 'Open DNS zones, select the domain and click Record set.',
    link: 'https://portal.azure.com',
    fields: [
      ['name', 'Name'],
      ['type', 'Type'],
      ['ttl', 'TTL (seconds)'],
      ['value', { CNAME: 'Alias', other: 'Value' }],
    ],
    groupsValues: true,
    lookedAt: '2026-11-29',
  },
  {
    // https://support.hostinger.com/en/articles/10085192-cname-vs-alias-records: a CNAME at @ becomes an ALIAS.
    ...common,
    id: 'hostinger',
    label: 'Hostinger',
    nameServers: ['dns-parking.com'],
    navigation: 'Open Domains, click Manage at the domain, open DNS / Nameservers and go to Manage DNS records.',
    link: 'https://hpanel.hostinger.com/domains',
    fields: typeFirst('Name', { CNAME: 'Target', TXT: 'TXT value', A: 'Points to', AAAA: 'Points to', other: 'Value' }),
    apexType: 'CNAME',
    caution: 'Delete the A and AAAA records of the parking page that have the same name.',
    lookedAt: '2026-11-30',
  },
  {
    // https://www.alibabacloud.com/help/en/dns/pubz-add-parsing-record, and the FAQ beside it for ALIAS.
    ...common,
    id: 'alibaba',
    label: 'Alibaba Cloud',
    nameServers: ['alidns.com', 'hichina.com'],
    navigation: 'Open Public Zone, click the domain and click Add Record. Leave the request source as it is.',
    link: 'https://dns.console.aliyun.com/',
    fields: [
      ['type', 'Record Type'],
      ['name', 'Hostname'],
      ['value', 'Record Value'],
      ['ttl', 'TTL'],
    ],
    apexType: 'ALIAS',
    lookedAt: '2026-11-30',
  },
  {
    // https://learn.microsoft.com/microsoft-365/admin/dns/create-dns-records-at-network-solutions
    ...common,
    id: 'networksolutions',
    label: 'Network Solutions',
    nameServers: ['worldnic.com'],
    navigation:
      'Select the domain, open Edit DNS > Manage Advanced DNS Records and edit the section of the record type.',
    link: 'https://www.networksolutions.com/manage-it',
    fields: [
      ['type', 'Section'],
      ['name', { CNAME: 'Alias', other: 'Host' }],
      ['ttl', 'TTL'],
      ['value', { CNAME: 'Other Host', TXT: 'Text', A: 'Numeric IP', other: 'Value' }],
    ],
    appendsZone: true,
    lookedAt: '2026-11-30',
  },
  {
    // https://learn.microsoft.com/microsoft-365/admin/dns/create-dns-records-at-dnsmadeeasy
    // and https://support.dnsmadeeasy.com/support/solutions/articles/47001001393-cname-record
    ...common,
    id: 'dnsmadeeasy',
    label: 'DNS Made Easy',
    nameServers: ['dnsmadeeasy.com'],
    navigation: 'Select the domain below Managed DNS and click + in the section of the record type.',
    link: 'https://cp.dnsmadeeasy.com/',
    fields: [
      ['type', 'Section'],
      ['name', 'Name'],
      ['value', { CNAME: 'Alias to', ANAME: 'Alias to', other: 'Value' }],
      ['ttl', 'TTL'],
    ],
    apexName: '',
    apexType: 'ANAME',
    appendsZone: true,
    lookedAt: '2026-11-30',
  },
  {
    // https://techdocs.akamai.com/cloud-computing/docs/cname-records: no CNAME at the zone itself.
    ...common,
    id: 'linode',
    label: 'Akamai (Linode)',
    nameServers: ['linode.com'],
    navigation: 'Open Domains, click the domain and click Add a Record in the section of the record type.',
    link: 'https://cloud.linode.com/domains',
    fields: [
      ['type', 'Section'],
      ['name', 'Hostname'],
      ['value', { CNAME: 'Alias to', A: 'IP Address', AAAA: 'IP Address', other: 'Value' }],
      ['ttl', 'TTL'],
    ],
    apexName: '',
    lookedAt: '2026-11-30',
  },
  {
    // https://learn.microsoft.com/microsoft-365/admin/dns/create-dns-records-at-123-reg-co-uk
    ...common,
    id: '123reg',
    label: '123 Reg',
    nameServers: ['123-reg.co.uk'],
    navigation: 'Open the overview of domain names, select the domain, choose DNS and open the tab Advanced DNS.',
    link: 'https://www.123-reg.co.uk/secure/cpanel/domain/overview',
    fields: [
      ['name', 'Hostname'],
      ['type', 'Type'],
      ['value', { CNAME: 'Destination CNAME', TXT: 'Destination TXT/SPF', other: 'Destination' }],
    ],
    appendsZone: true,
    lookedAt: '2026-11-30',
  },
  recognized('digitalocean', 'DigitalOcean', 'digitalocean.com'),
  recognized('vercel', 'Vercel', 'vercel-dns.com'),
  recognized('nsone', 'NS1 (used by Netlify)', 'nsone.net'),
  recognized('hetzner', 'Hetzner', /\.(?:ns\.hetzner\.(?:com|de)|first-ns\.de|second-ns\.(?:com|de))$/),
  recognized('porkbun', 'Porkbun', 'porkbun.com'),
];

/** The provider of a zone. Null when it is unknown, or when there is more than one, as during a migration. */
export function providerOf(nameServers: readonly string[]): DnsProvider | null {
  const [first, ...others] = nameServers.map((name) => providers.find((each) => hosts(each, name.toLowerCase())));
  return first === undefined || others.some((other) => other !== first) ? null : first;
}

function hosts({ nameServers }: DnsProvider, name: string): boolean {
  return nameServers.some((names) => (typeof names === 'string' ? name.endsWith(`.${names}`) : names.test(name)));
}

/** The provider with an id, or the form of any. */
export function providerById(id: string): DnsProvider {
  return providers.find((each) => each.id === id) ?? anyProvider;
}
