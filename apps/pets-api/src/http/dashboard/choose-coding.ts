import { contentCodings, type ContentCoding, type DashboardFile } from './dashboard-files.js';

/** The smallest form of a file that the client takes (RFC 9110 §12.5.3); null means as it is. */
export function chooseCoding(file: DashboardFile, acceptEncoding: string | undefined): ContentCoding | null {
  const taken = codingsTaken(acceptEncoding ?? '');
  return contentCodings.find((coding) => file.encoded[coding] !== undefined && taken.has(coding)) ?? null;
}

/** Only what is named counts, and only without `q=0`: a client that means all encodings by `*` names ours as well. */
function codingsTaken(acceptEncoding: string): ReadonlySet<string> {
  const offers = acceptEncoding.split(',').map((offer) => offer.split(';').map((part) => part.trim().toLowerCase()));
  return new Set(offers.flatMap(([name = '', weight]) => (isRefusal(weight) ? [] : [name])));
}

function isRefusal(weight: string | undefined): boolean {
  return weight !== undefined && /^q\s*=\s*0(?:\.0*)?$/.test(weight);
}
