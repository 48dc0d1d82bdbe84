/** The texts about moves to another project. */
export const moveStrings = {
  action: 'Move to another project',
  title: (name: string) => `Move ${name}`,
  text:
    'Visitors get the site of the other project, without an interruption. DNS records, certificate and history stay as ' +
    'they are.',
  project: 'Move to',
  none: 'Create another project and deploy it first. A domain can then move to it.',
  redirects: 'Also move the redirects from and to this domain, and the domains that they connect',
  confirm: 'Move domain',
  done: (name: string, project: string) => `${name} moved to ${project}.`,
};
