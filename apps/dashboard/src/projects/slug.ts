const MAX_LABEL_LENGTH = 63;

const SUFFIX = '-site';

/** Proposes a slug for the name of a project: a valid host name label in lower case. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LABEL_LENGTH)
    .replaceAll(/^-|-$/g, '');
}

/** Proposes another slug when the platform reserves the first. */
export function unreservedSlug(reserved: string): string {
  return reserved.slice(0, MAX_LABEL_LENGTH - SUFFIX.length).replace(/-$/, '') + SUFFIX;
}
