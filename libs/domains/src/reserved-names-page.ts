import { reservedGroups } from './names/reserved-names.js';

const introduction = `# Reserved names

A project is served at \`<slug>.<platform domain>\`, under the platform’s certificate. A slug that people or programs take for
the platform itself is refused with \`name_reserved\`.

Reserved are:

- the names below. Hyphens do not make another name: \`mtasts\` is \`mta-sts\`. Where a group says so, a number after the name
  does not either: \`ns1\`, \`www-2\`;
- labels of the platform’s own hosts: for every URL in the settings of pets-api whose host is below \`PLATFORM_DOMAIN\`, the
  label directly below it;
- what the operator adds in \`RESERVED_NAMES\`, with commas between, with and without a number after it;
- labels that begin with \`_\` or \`xn--\`. No slug can have two hyphens in a row anyway.

A project that had its slug before the name was reserved keeps it. \`admin names reserved\` prints the reserved names and the
projects that have one.

Made from the code by \`npm run diagnoses\`; a test compares.
`;

/** The page of all reserved names, for \`docs/reserved-names.md\`. */
export function renderReservedNames(): string {
  const sections = reservedGroups.map(({ title, reason, numbered, names }) => {
    const rule = numbered ? ' Also with a number after the name.' : '';
    return `## ${title}\n\n${reason}${rule}\n\n${names.map((name) => `\`${name}\``).join(', ')}\n`;
  });
  return [introduction, ...sections].join('\n');
}
