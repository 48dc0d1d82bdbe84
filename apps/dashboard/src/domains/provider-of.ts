import type { Provider } from './providers.js';

interface NameServerOwner {
  /** Whose name servers they are. */
  readonly label: string;
  /** Whose instructions fit. */
  readonly provider: Provider;
}

/** Providers with instructions of their own, then others that are common; a suffix, or what a whole name looks like. */
const owners: readonly (readonly [names: string | RegExp, label: string, provider?: Provider])[] = [
  ['ns.cloudflare.com', 'Cloudflare', 'cloudflare'],
  ['domaincontrol.com', 'GoDaddy', 'godaddy'],
  ['registrar-servers.com', 'Namecheap', 'namecheap'],
  [/\.awsdns-\d+\.(?:com|net|org|co\.uk)$/, 'Amazon Route 53', 'route53'],
  ['squarespacedns.com', 'Squarespace', 'squarespace'],
  // Those of Google Domains went to Squarespace under their names, which Google Cloud has as well.
  ['googledomains.com', 'Squarespace (formerly Google Domains) or Google Cloud', 'squarespace'],
  ['gandi.net', 'Gandi', 'gandi'],
  ['digitalocean.com', 'DigitalOcean'],
  ['vercel-dns.com', 'Vercel'],
  // Netlify has its zones there, among others.
  ['nsone.net', 'NS1 (used by Netlify)'],
  [/\.(?:ovh\.(?:net|ca)|anycast\.me)$/, 'OVHcloud'],
  [/\.ui-dns\.(?:com|org|de|biz)$/, 'IONOS'],
  [/\.(?:ns\.hetzner\.(?:com|de)|first-ns\.de|second-ns\.(?:com|de))$/, 'Hetzner'],
  [/\.azure-dns\.(?:com|net|org|info)$/, 'Azure'],
  ['porkbun.com', 'Porkbun'],
  ['name.com', 'Name.com'],
  ['wixdns.net', 'Wix'],
];

/** Who runs some name servers; null where that is not known, or they are not all of one provider, as during a move. */
export function providerOf(nameServers: readonly string[]): NameServerOwner | null {
  const [first, ...others] = nameServers.map((name) => owners.find(([names]) => isOf(names, name.toLowerCase())));
  if (first === undefined || others.some((other) => other !== first)) return null;
  const [, label, provider = 'other'] = first;
  return { label, provider };
}

function isOf(names: string | RegExp, name: string): boolean {
  return typeof names === 'string' ? name.endsWith(`.${names}`) : names.test(name);
}
