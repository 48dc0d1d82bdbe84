const MAX_LABEL_LENGTH = 63;

const SUFFIX = '-site';

/** A slug to begin with, from a project's name: what a host name label may hold, in lower case. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LABEL_LENGTH)
    .replaceAll(/^-|-$/g, '');
}

/** Another slug for a name whose own slug the platform reserves. */
export function unreservedSlug(reserved: string): string {
  return reserved.slice(0, MAX_LABEL_LENGTH - SUFFIX.length).replace(/-$/, '') + SUFFIX;
}
