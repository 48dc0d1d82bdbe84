export const deploymentStrings = {
  title: 'Deployments',
  empty: 'No deployments yet. Upload the files of your site as a gzipped tar archive.',
  upload: 'Upload .tar.gz',
  uploading: 'Uploading and checking…',
  uploaded: 'Deployment uploaded and active.',
  active: 'Active',
  activate: 'Activate',
  collected: 'Deleted',
  collectedHint: 'The files of this deployment were deleted. To serve them again, upload them again.',
  delete: 'Delete',
  deleteTitle: 'Delete this deployment?',
  deleteText: 'You cannot activate it again. Its files count towards your storage for about one more day.',
  storage: (used: string, most: string, kept: number) =>
    `Your organization uses ${used} of ${most}. The last ${kept} deployments of each project are kept.`,
  files: (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`,
  limits: 'At most 50 MiB compressed, 200 MiB and 10,000 files unpacked. A new deployment is active immediately.',
};
