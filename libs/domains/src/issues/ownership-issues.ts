import { MAX_NAME_LENGTH } from '../names/required-hosts.js';
import { subdomain } from './names.example.js';
import { hint, nameText, text, type IssueEntries } from './issue-entry.js';

const host = `_platform-challenge.${subdomain}`;
const token = 'p4V0nJ2mXq8Tr6Wc1Zy7Hk3LbN0';

/** Issues about who owns a name. */
export const ownershipIssues = {
  ownership_txt_missing: {
    severity: 'error',
    area: 'ownership',
    blocking: true,
    resolvesAutomatically: false,
    title: 'TXT record missing',
    meaning:
      'A TXT record must prove who owns the name, because it shows only addresses, or another organization has or had it. Usual mistakes are explained.',
    message: (e) =>
      e.length !== undefined
        ? `The TXT record that would prove ownership is impossible: its name, ${nameText(e.name)}, would have ${text(e.length)} characters, and DNS allows ${MAX_NAME_LENGTH}.`
        : `The TXT record that proves ownership was not found at ${nameText(e.name)}.${e.seen === undefined ? '' : ` Found instead: “${text(e.seen)}”.`}${hint(e)}`,
    cause: (e) =>
      e.length !== undefined
        ? null
        : e.seen === undefined
          ? `The TXT record that proves who owns the name was not found at ${nameText(e.name)}.${hint(e)}`
          : `The TXT record at ${nameText(e.name)}, which proves who owns the name, has another value.${hint(e)}`,
    remediation: (e) =>
      e.length !== undefined
        ? 'Create a CNAME record that is not flattened, or use a shorter name: addresses prove nothing without the TXT record.'
        : e.entered !== undefined
          ? `At your DNS provider, change the name of that record to ${text(e.entered)}, without the zone. Its value is ${text(e.expected)}.`
          : e.hint === undefined || e.alias !== undefined || e.wildcard !== undefined
            ? `Create a TXT record at ${nameText(e.name)} with the value ${text(e.expected)}.`
            : `Change the value of the TXT record at ${nameText(e.name)} to exactly ${text(e.expected)}.`,
    example: {
      name: host,
      expected: token,
      seen: [`pets=${token}`],
      hint: 'The value begins with “pets=”: remove that, so that the value is only the token.',
    },
  },
  ownership_txt_of_others: {
    severity: 'warning',
    area: 'ownership',
    blocking: false,
    resolvesAutomatically: false,
    title: 'TXT value of others',
    meaning:
      'A value of another organization is beside the proof of ownership of a name that shows only addresses. For the holder of the name, before it is live and later.',
    message: (e) =>
      `The TXT record at ${nameText(e.host)} has a value that belongs to another organization: ${text(e.seen)}. Because ${nameText(e.name)} shows only our addresses, that organization can take the name over.`,
    cause: (e) =>
      `The TXT record at ${nameText(e.host)} has a value of another organization, which can take ${nameText(e.name)} over with it. Keep that value only if the name is to move there.`,
    remediation: (e) =>
      `Remove that value at ${nameText(e.host)}, unless the name is to move to that organization. Your own value may stay.`,
    example: { name: subdomain, host, seen: ['w9K2sR7dYb5Qe1Ux4Mf6Gt8CjP3'] },
  },
  claimed_elsewhere: {
    severity: 'error',
    area: 'ownership',
    blocking: true,
    resolvesAutomatically: false,
    title: 'in use elsewhere',
    meaning: 'Another organization has verified the name.',
    message: (e) => `${nameText(e.name)} is in use by another organization.`,
    remediation: (e) =>
      e.proof === undefined
        ? 'Remove it there first. The next check moves it here automatically.'
        : `If it is yours, prove it with the TXT record at ${nameText(e.proof)}, or have it removed there. The next check moves it here automatically.`,
    example: { name: subdomain },
  },
} satisfies IssueEntries;
