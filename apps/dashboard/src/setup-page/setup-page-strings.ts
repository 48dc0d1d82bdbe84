/** The texts about the look of the pages of set-up links. */
export const setupPageStrings = {
  title: 'Set-up page',
  about:
    'The page of a set-up link shows these to the owner of a domain, who has no account here. A set-up link is created on the page ' +
    'of a domain.',
  logo: 'Logo',
  noLogo: 'No logo.',
  logoHint: 'PNG or WebP, at most 64 KiB and 1024 × 1024 pixels. It is shown at most 40 pixels high.',
  choose: 'Choose an image',
  replace: 'Replace the logo',
  remove: 'Remove the logo',
  uploading: 'Uploading…',
  uploaded: 'Logo changed.',
  removed: 'Logo removed.',
  alt: (name: string | null) => (name === null ? 'Your logo' : `Logo of ${name}`),
  look: 'Name, colour and help',
  name: 'Name',
  nameHint: 'As the owners of domains know you.',
  color: 'Colour of buttons',
  colorHint: 'Such as #1a5fb4. The text on it is white.',
  support: 'Address for help',
  supportHint: 'An e-mail address or an https URL.',
  origins: 'Origins of your pages',
  originsHint: 'Such as https://app.example.com, one a line. A link may lead back to these only.',
  none: 'None',
  save: 'Save',
  saved: 'Set-up page changed.',
};
