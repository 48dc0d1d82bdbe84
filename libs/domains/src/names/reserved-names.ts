/**
 * Labels below the platform domain that no project can have. A tenant that serves `login.<platform domain>` or
 * `mta-sts.<platform domain>` could act as the platform, with the platform's certificate. `docs/reserved-names.md` is
 * generated from this file.
 */

interface ReservedGroup {
  readonly title: string;
  readonly reason: string;
  /** Whether the name followed by a number (`ns1`, `www-2`) is reserved too. */
  readonly numbered: boolean;
  readonly names: readonly string[];
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const reservedGroups: readonly ReservedGroup[] = [
  {
    title: 'Looked up automatically',
    reason:
      'Browsers, mail clients, mail servers and operating systems look these names up without user action and trust the ' +
      'result: proxies, mail settings, mail policies, keys, enrolment.',
    numbered: true,
    names: words(`
      autoconfig autodiscover bimi broadcasthost caldav carddav dkim dmarc dns-sd domaincontroller domainkey
      enterpriseenrollment enterpriseregistration gc ip6-localhost ip6-loopback isatap kerberos kms ldap ldaps
      localdomain localhost loghost lyncdiscover lyncdiscoverinternal mailhost msoid mta-sts newshost openpgpkey
      printer puppet puppetca salt sip sipexternal sipinternal spf teredo timehost unifi wpad wsus xmpp
    `),
  },
  {
    title: 'Services',
    reason: 'Usual names of hosts that run a service of the domain’s owner.',
    numbered: true,
    names: words(`
      admin api app apps asset assets backend backup bastion broker cache cdn ci cloud cluster cms control
      cpanel dashboard database db dhcp dns doh dot edge email endpoint exchange feed file files firewall frontend
      ftp ftps gateway git grafana graphql grpc gw health healthz host http https imap imaps img ingress internal
      intranet irc k8s kibana kubernetes lb log logs mail mailer mailserver manage management media metrics monitor
      monitoring mqtt mssql mta mx mysql nameserver nat nfs nntp node ns ntp origin owa panel phpmyadmin ping plesk pop
      pops portal postgres postgresql preview private prod production prometheus proxy public queue queues radius
      rdap rdp redis registry relay remote resolver router rpc rsync s3 sandbox server sftp site sites smtp
      smtps snmp socket ssh ssl stage staging static storage stream stun submission svn syslog telnet tftp time tls
      tracker turn upload uploads vnc vpn web webdav webdisk webhook webhooks webmail webserver whm whois wkd worker
      ws wss www wwws
    `),
  },
  {
    title: 'Sign-in, accounts and payment',
    reason: 'People mistake a page at such a name for the platform’s own and enter passwords and card numbers.',
    numbered: true,
    names: words(`
      2fa access account accounts activate auth authenticate authentication authorization authorize bank banking
      billing cart checkout confirm confirmation connect console credential credentials federation fido forgot-password id identity
      idp invite invoice invoices join license login logins logon logout member members membership mfa my myaccount
      oauth oidc openid otp passkey passkeys passport password password-reset passwords pay payment payments profile recover
      recovery register registration renew reset reset-password saml secure secure-login session settings signin signon signout signup sso
      subscribe subscription subscriptions token unlock unsubscribe upgrade user users validate verification verify
      wallet webauthn
    `),
  },
  {
    title: 'Mailbox names',
    reason:
      'Mailboxes of RFC 2142, the addresses to which CAs send proofs of control (CA/Browser Forum Baseline Requirements ' +
      '§3.2.2.4.4), and senders that people mistake for the platform.',
    numbered: false,
    names: words(`
      abuse administrator contact hostmaster info mailer-daemon marketing news no-reply nobody noc notification
      notifications notify postmaster sales security support sysadmin sysop trouble usenet uucp webmaster
    `),
  },
  {
    title: 'Pages of the platform',
    reason: 'Pages that a platform publishes about itself, its rules and its status.',
    numbered: false,
    names: words(`
      about announcement announcements careers changelog community compliance copyright customer customers developer
      developers dmca docs download downloads enterprise faq feedback forum forums gdpr help helpdesk home incident
      incidents jobs kb legal official operator partner partners phishing platform press pricing privacy report root
      service services spam staff status system team terms tos trust update updates uptime wiki
    `),
  },
  {
    title: 'Certificates and the platform’s zones',
    reason:
      'CNAME targets are below `cname` and challenges below `acme`. Clients look for certificates, revocation lists and ' +
      'delegations under the other names.',
    numbered: true,
    names: words(`
      acme acme-challenge alias aname apex ca caa cert certificate certificates certs challenge cname crl custom
      customdomain customdomains delegation dnssec domain domains ocsp pki platform-challenge target targets txt
      zone zones
    `),
  },
];

/** Reservations of this installation, in addition to the groups above. */
export interface LocalReservations {
  /** Labels of the platform's own hosts: see `platformLabels`. */
  readonly platformLabels: readonly string[];
  /** Names of the operator. */
  readonly extraNames: readonly string[];
}

/** Removes hyphens, so that `mta-sts`, `mtasts` and `m-ta-sts` are the same name. */
const plainName = (label: string) => label.replaceAll('-', '');

const groupOf = new Map<string, ReservedGroup>(
  reservedGroups.flatMap((group) => group.names.map((name) => [plainName(name), group] as const)),
);

/**
 * Returns why a label below the platform domain is reserved; null if a project may have it. Hyphens are ignored, and in
 * numbered groups a number after the name is ignored too.
 */
export function findReservation(label: string, { platformLabels, extraNames }: LocalReservations): string | null {
  const lower = label.toLowerCase();
  // RFC 8552: programs look up names with an underscore. RFC 5890: xn-- displays as another name.
  if (lower.startsWith('_')) return 'Names that begin with an underscore';
  if (lower.startsWith('xn--')) return 'Internationalized names';
  const plain = plainName(lower);
  if (platformLabels.some((own) => plainName(own) === plain)) return 'Hosts of the platform';
  const withoutNumber = plain.replace(/(?<!\d)\d+$/, '');
  if (extraNames.some((extra) => [plain, withoutNumber].includes(plainName(extra)))) return 'Reserved by the operator';
  const exact = groupOf.get(plain);
  if (exact !== undefined) return exact.title;
  const numbered = groupOf.get(withoutNumber);
  return numbered?.numbered === true ? numbered.title : null;
}

/** The labels directly below the platform domain of the hosts of these URLs. Hosts elsewhere are ignored. */
export function platformLabels(platformDomain: string, urls: readonly string[]): readonly string[] {
  const zone = `.${platformDomain.toLowerCase()}`;
  const labels = urls
    .flatMap(hostsIn)
    .filter((host) => host.endsWith(zone))
    .map((host) => host.slice(0, -zone.length))
    .map((below) => below.slice(below.lastIndexOf('.') + 1));
  return [...new Set(labels)].toSorted();
}

/** The host of a URL and of the URLs in its parameters, such as the endpoint of a bucket. */
function hostsIn(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { hostname, searchParams } = new URL(text);
  return [hostname.toLowerCase().replace(/\.$/, ''), ...[...searchParams.values()].flatMap(hostsIn)];
}

/** DNS limits a label to 63 characters (RFC 1035 §2.3.4). */
export const MAX_LABEL_LENGTH = 63;

/** The label of a channel below the platform domain. No slug and no channel has `--`, so each label is of one channel. */
export function channelLabel(channel: string, slug: string): string {
  return `${channel}--${slug}`;
}
