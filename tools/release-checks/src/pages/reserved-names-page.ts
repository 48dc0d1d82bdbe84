import { reservedGroups } from '@pets/domains';

const introduction = `# Reserved names

A project is served at \`<slug>.<platform domain>\`, with the platform’s certificate. A slug that people or programs could
mistake for the platform itself is refused with \`name_reserved\`.

Reserved names are:

- the names below. Hyphens are ignored: \`mtasts\` is \`mta-sts\`. Where a group says so, a number after the name is ignored
  as well: \`ns1\`, \`www-2\`;
- labels of the platform’s own hosts: for \`ACME_DNS_ZONE\` and every URL in the settings of pets-api whose host is below
  \`PLATFORM_DOMAIN\`, the label directly below it;
- the names that the operator adds in \`RESERVED_NAMES\`, separated by commas, with and without a number after them;
- labels that begin with \`_\` or \`xn--\`. A slug cannot have two hyphens in a row anyway.

A project whose slug became reserved later keeps it. \`admin names reserved\` prints the reserved names and the projects that
have one.

\`npm run diagnoses\` generates this page from the code; a test compares them.
`;

/** Renders the page of all reserved names, for \`docs/reserved-names.md\`. */
export function renderReservedNames(): string {
  const sections = reservedGroups.map(({ title, reason, numbered, names }) => {
    const rule = numbered ? ' Also reserved with a number after the name.' : '';
    return `## ${title}\n\n${reason}${rule}\n\n${names.map((name) => `\`${name}\``).join(', ')}\n`;
  });
  return [introduction, ...sections].join('\n');
}
