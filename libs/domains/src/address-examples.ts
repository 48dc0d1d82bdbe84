import { withRetiringAddresses } from './dns/retiring-addresses.js';
import { evaluateDns } from './dns/evaluate-dns.js';
import { apex, findingsOf, first, lookups, seenInDns, subdomain, targetHost } from './example-lookups.js';

const listed = { addresses: ['198.51.100.7', '198.51.100.8'], retiringAddresses: ['198.51.100.8'] };

/** Examples of issues about names that show addresses instead of a CNAME. */
export const addressExamples = {
  apex_cname: {
    meaning: 'The apex of a zone has a CNAME, which must not exist beside the SOA and NS records of the zone.',
    issue: seenInDns('apex_cname', apex, lookups(['CNAME', 'example.com', ['other.example.net']])),
  },
  apex_cname_to_us: {
    meaning:
      'The apex of a zone has a CNAME to the correct target. This usually works and does not delay verification.',
    issue: seenInDns('apex_cname_to_us', apex, lookups(['CNAME', 'example.com', [targetHost]])),
  },
  apex_not_pointing_here: {
    meaning: 'The addresses of the apex are not those of our target.',
    issue: seenInDns(
      'apex_not_pointing_here',
      { ...apex, addresses: ['198.51.100.7', '2001:db8::17'] },
      lookups(['A', 'example.com', ['203.0.113.7']], ['A', targetHost, ['198.51.100.7']]),
    ),
  },
  flattened: {
    meaning:
      'The name shows our addresses instead of the CNAME. It is verified with the TXT record, and this note delays nothing.',
    issue: seenInDns(
      'flattened',
      subdomain,
      lookups(['A', 'docs.example.com', ['198.51.100.7']], ['A', targetHost, ['198.51.100.7']]),
    ),
  },
  address_retiring: {
    meaning:
      'The name shows an address of ours that we give up. It still works. The warnings of an address are spread over a day.',
    issue: retiring(),
  },
};

function retiring() {
  const expected = { ...apex, ...listed };
  const findings = findingsOf(lookups(['A', 'example.com', ['198.51.100.8']], ['A', targetHost, ['198.51.100.7']]));
  const dns = withRetiringAddresses(evaluateDns(findings, expected), findings, expected, listed.retiringAddresses);
  return first((dns.kind === 'matches' && dns.notes) || []);
}
