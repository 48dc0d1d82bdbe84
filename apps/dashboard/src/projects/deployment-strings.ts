/** What the page of a project’s deployments says. */
export const deploymentStrings = {
  title: 'Deployments',
  empty: 'Nothing is deployed yet. Upload a gzipped tar of the site’s files.',
  upload: 'Upload .tar.gz',
  uploading: 'Uploading and checking…',
  uploaded: 'The deployment is served.',
  active: 'Served',
  activate: 'Serve this one',
  collected: 'Not kept',
  collectedHint: 'Its files are not kept any more. To serve it again, upload it again.',
  delete: 'Delete',
  deleteTitle: 'Delete this deployment?',
  deleteText: 'It cannot be served again. Its files stop counting after about a day.',
  storage: (used: string, most: string, kept: number) =>
    `Your organization stores ${used} of ${most}. The last ${kept} deployments of each project are kept.`,
  files: (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`,
  limits: 'At most 50 MiB as sent, 200 MiB and 10 000 files unpacked. The newest one is served at once.',
};
