const WWW = 'www.';

/** The other one of an apex and its `www.` name, in Unicode where the name is; null for any other name. */
export function pairedName(domain: {
  readonly name: string;
  readonly unicodeName: string;
  readonly apexName: string;
}): string | null {
  if (domain.name === domain.apexName) return `${WWW}${domain.unicodeName}`;
  return domain.name === `${WWW}${domain.apexName}` ? domain.unicodeName.slice(WWW.length) : null;
}
